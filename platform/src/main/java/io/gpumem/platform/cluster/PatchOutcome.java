package io.gpumem.platform.cluster;

/** What became of a patch. A merge patch may be sent again after any of these. */
public sealed interface PatchOutcome {

  /** The object now has these keys so. */
  record Patched() implements PatchOutcome {}

  /** There is no such object. */
  record Gone(String why) implements PatchOutcome {}

  /** The server said no and wrote nothing. */
  record Refused(int code, String message) implements PatchOutcome {}

  /** No connection was made, so nothing was written. */
  record Unreached(String why) implements PatchOutcome {}

  /** The write may or may not have happened. */
  record Unknown(String why) implements PatchOutcome {}
}
