package io.gpumem.platform.life;

import java.io.Serial;

/** Thrown to a start method that wants to start a part after the end; {@link Program} takes it. */
public final class LifeEnded extends RuntimeException {

  @Serial private static final long serialVersionUID = 1;

  LifeEnded(String part) {
    super("the process ends, so " + part + " is not started");
  }
}
