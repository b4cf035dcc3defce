package io.gpumem.demo.simulation;

/**
 * Unwinds the stack of a process that was killed in the midst of a call. An exception, against the
 * house rule, because nothing between may go on: that is what a kill means.
 */
final class Killed extends RuntimeException {

  private static final long serialVersionUID = 1;

  Killed(String process) {
    super(process, null, false, false);
  }
}
