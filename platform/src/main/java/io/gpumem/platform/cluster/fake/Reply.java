package io.gpumem.platform.cluster.fake;

import tools.jackson.databind.node.ObjectNode;

/** What the stand-in is going to answer. */
sealed interface Reply {

  /** An object or a Status. */
  record Whole(int code, ObjectNode body) implements Reply {}

  /** A line of text, from the health paths. */
  record Text(String line) implements Reply {}

  /** A stream of events. */
  record Watching(WatchQuery query) implements Reply {}
}
