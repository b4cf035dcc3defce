package io.gpumem.platform.log;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;

/** One event, ready to be written. The logger is the class's name without its package. */
record LogLine(
    Instant time,
    Level level,
    String logger,
    String message,
    List<KeyValuePair> fields,
    @Nullable Throwable error) {}
