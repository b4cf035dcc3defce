package io.gpumem.demo.scenario;

/** What should have happened by now and did not: the demonstration ends with this sentence. */
public final class Missed extends Exception {

  private static final long serialVersionUID = 1;

  Missed(String sentence) {
    super(sentence);
  }
}
