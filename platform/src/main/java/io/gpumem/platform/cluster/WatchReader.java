package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.function.LongSupplier;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.databind.JsonNode;

/**
 * Reads the JSON values of one watch. It does so without the library's own watch, which dies of a
 * blank line in the stream and hides the bookmarks; here white space between values is just that.
 *
 * <p>One thread reads; any thread may ask {@link #heardAt} or close, which ends a blocked read.
 */
final class WatchReader<O extends HasMetadata> implements AutoCloseable {

  private final Heard stream;
  private final KubernetesSerialization serialization;
  private final Class<O> type;

  /** Made at the first read, because making it blocks until the first bytes are there. */
  private Optional<JsonParser> parser = Optional.empty();

  WatchReader(
      InputStream body,
      KubernetesSerialization serialization,
      Class<O> type,
      LongSupplier nanoTime) {
    this.stream = new Heard(body, nanoTime);
    this.serialization = serialization;
    this.type = type;
  }

  /** Blocks until something arrives or the stream is closed by either side. Throws nothing. */
  WatchItem<O> next() {
    try {
      JsonParser json = parser.orElseGet(() -> Json.MAPPER.createParser(stream));
      parser = Optional.of(json);
      JsonToken token = json.nextToken();
      if (token == null) {
        return new WatchItem.Ended<>("ended by the server", true);
      }
      return item(json.readValueAsTree());
    } catch (JacksonIOException broken) {
      return new WatchItem.Ended<>(broken.getOriginalMessage(), false);
    } catch (JacksonException unreadable) {
      return stream.broken
          ? new WatchItem.Ended<>("cut within an event", false)
          : new WatchItem.Garbage<>(unreadable.getOriginalMessage());
    } catch (RuntimeException noSuchObject) {
      return new WatchItem.Garbage<>(noSuchObject.toString());
    }
  }

  private WatchItem<O> item(JsonNode event) {
    JsonNode object = event.path("object");
    String version = object.path("metadata").path("resourceVersion").asString("");
    return switch (event.path("type").asString("")) {
      case "ADDED", "MODIFIED" -> new WatchItem.Put<>(read(object), version);
      case "DELETED" -> new WatchItem.Removed<>(read(object), version);
      case "BOOKMARK" -> new WatchItem.Bookmark<>(version);
      case "ERROR" -> {
        ApiStatus status = ApiStatus.read(0, object);
        yield status.expired()
            ? new WatchItem.Expired<>(status.text())
            : new WatchItem.Garbage<>(status.text());
      }
      case String other -> new WatchItem.Garbage<>("an event of type '" + other + "'");
    };
  }

  private O read(JsonNode object) {
    O read = serialization.convertValue(object, type);
    if (read.getMetadata() == null || read.getMetadata().getUid() == null) {
      throw new IllegalArgumentException("expected an object with a UID");
    }
    return read;
  }

  /** When the last byte came, or the reader was made. */
  long heardAt() {
    return stream.at;
  }

  @Override
  public void close() {
    ApiCalls.close(stream);
  }

  /** Notes when something was heard, and whether the end was one. */
  private static final class Heard extends FilterInputStream {

    private final LongSupplier nanoTime;
    private volatile long at;
    private volatile boolean broken;

    Heard(InputStream in, LongSupplier nanoTime) {
      super(in);
      this.nanoTime = nanoTime;
      this.at = nanoTime.getAsLong();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int read = super.read(buffer, offset, length);
      at = nanoTime.getAsLong();
      broken = read < 0;
      return read;
    }
  }
}
