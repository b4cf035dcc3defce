package io.gpumem.plugin.nvml;

/** Something of this machine that is no device of the scan: its name, and a line that says why. */
public record LeftOut(String what, String why) {}
