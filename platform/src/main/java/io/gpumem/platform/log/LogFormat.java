package io.gpumem.platform.log;

/** How the log's lines look. */
public enum LogFormat {

  /**
   * For people: time, level, logger, message, {@code key=value} pairs. A stack trace follows on
   * indented lines, in the same write; no text of an event can start a line of its own.
   */
  TEXT,

  /** For machines: one JSON object a line, a stack trace inside its {@code error} field. */
  JSON
}
