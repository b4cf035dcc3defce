package io.gpumem.plugin;

import io.gpumem.platform.life.Program;

/** The device plugin's process. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    Program.launch(args, Plugin::run);
  }
}
