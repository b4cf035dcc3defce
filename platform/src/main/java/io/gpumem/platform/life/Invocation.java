package io.gpumem.platform.life;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/**
 * All that a start method gets from outside, so that a test can call it. {@code out} is for what a
 * user asked to read (help), {@code err} for refusals before logging is configured.
 */
public record Invocation(
    List<String> args,
    Map<String, String> env,
    PrintStream out,
    PrintStream err,
    Life life,
    Faults faults) {

  public Invocation {
    args = List.copyOf(args);
    env = Map.copyOf(env);
  }
}
