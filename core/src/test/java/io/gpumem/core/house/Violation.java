package io.gpumem.core.house;

/**
 * One place where a rule is broken. It prints as {@code path:line: fault; remedy}, so that a
 * failing rule says where to go and what to do there. Lines count from 1.
 */
record Violation(String path, int line, String fault, String remedy) {

  @Override
  public String toString() {
    return path + ":" + line + ": " + fault + "; " + remedy;
  }
}
