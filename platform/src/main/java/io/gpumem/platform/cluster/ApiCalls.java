package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests through the client library's HTTP client, which adds the credentials and trusts
 * the right authority. Each is sent once. The library's own typed calls are not used for writes:
 * they don't tell "not sent" from "sent and not answered", and they repeat a POST after a 5xx.
 */
final class ApiCalls {

  private static final Logger LOG = LoggerFactory.getLogger(ApiCalls.class);

  /** One object has at most 1.5 MB in etcd; JSON may be a few times that. */
  private static final int LARGEST_ANSWER = 16 * 1024 * 1024;

  private static final long LONGEST_RETRY_AFTER_SECONDS = 60;

  private final HttpClient http;
  private final String base;
  private final ScheduledExecutorService deadlines;
  private final LongSupplier nanoTime;

  ApiCalls(
      HttpClient http, String base, ScheduledExecutorService deadlines, LongSupplier nanoTime) {
    this.http = http;
    this.base = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    this.deadlines = deadlines;
    this.nanoTime = nanoTime;
  }

  /** What {@link #open} brought: the beginning of an answer. */
  sealed interface Opening {

    /** The answer's head is here, its body can be read. The reader closes it. */
    record Opened(int code, InputStream body, Duration retryAfter) implements Opening {}

    /** There will be no body. */
    record Failed(Answer answer) implements Opening {}
  }

  /** Sends the request and reads the whole answer, within the deadline. */
  Answer call(ApiRequest request, Duration deadline) {
    long due = nanoTime.getAsLong() + deadline.toNanos();
    return switch (open(request, deadline)) {
      case Opening.Failed(Answer answer) -> answer;
      case Opening.Opened opened -> {
        long left = Math.max(1, due - nanoTime.getAsLong());
        try (InputStream body = opened.body()) {
          Future<?> cut = closeAfter(body, Duration.ofNanos(left));
          byte[] bytes = body.readNBytes(LARGEST_ANSWER);
          cut.cancel(false);
          String text = new String(bytes, StandardCharsets.UTF_8);
          yield new Answer.Answered(opened.code(), text, opened.retryAfter());
        } catch (IOException cutShort) {
          yield new Answer.Lost("answer %d was cut short: %s".formatted(opened.code(), cutShort));
        }
      }
    };
  }

  /** Sends the request and waits for the head of the answer, within the deadline. */
  Opening open(ApiRequest request, Duration deadline) {
    CompletableFuture<HttpResponse<InputStream>> pending;
    try {
      pending = http.sendAsync(built(request, deadline), InputStream.class);
    } catch (RuntimeException closedOrMisconfigured) {
      return new Opening.Failed(new Answer.Lost(closedOrMisconfigured.toString()));
    }
    try {
      HttpResponse<InputStream> response = pending.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
      return new Opening.Opened(response.code(), response.body(), retryAfter(response));
    } catch (TimeoutException late) {
      abandon(pending);
      return new Opening.Failed(new Answer.Lost("no answer within " + deadline));
    } catch (InterruptedException stopped) {
      abandon(pending);
      Thread.currentThread().interrupt();
      return new Opening.Failed(new Answer.Lost("interrupted"));
    } catch (ExecutionException e) {
      return new Opening.Failed(failure(e));
    }
  }

  /**
   * Closes the stream when the time is over; a reader blocked in it then fails. At once when there
   * is no keeper of time any more, because the cluster was closed.
   */
  Future<?> closeAfter(InputStream stream, Duration delay) {
    try {
      return deadlines.schedule(() -> close(stream), delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      close(stream);
      return CompletableFuture.completedFuture(null);
    }
  }

  static void close(InputStream stream) {
    try {
      stream.close();
    } catch (IOException alreadyBroken) {
      LOG.atDebug().addKeyValue("error", alreadyBroken).log("stream did not close cleanly");
    }
  }

  private HttpRequest built(ApiRequest request, Duration deadline) {
    HttpRequest.Builder builder =
        http.newHttpRequestBuilder()
            .uri(base + request.path())
            .header("Accept", "application/json")
            .timeout(Math.max(1, deadline.toMillis()), TimeUnit.MILLISECONDS);
    if (!request.body().isEmpty()) {
      builder.method(request.method(), request.contentType(), request.body());
    }
    return builder.build();
  }

  /** An answer that comes too late still holds a connection: it is closed when it comes. */
  private static void abandon(CompletableFuture<HttpResponse<InputStream>> pending) {
    var _ =
        pending.thenAccept(
            late -> {
              if (late != null) {
                close(late.body());
              }
            });
  }

  private static Answer failure(Throwable failed) {
    Throwable last = failed;
    for (Throwable t = failed; t != null; t = t.getCause()) {
      if (t instanceof ConnectException || t instanceof HttpConnectTimeoutException) {
        return new Answer.Unreached(t.toString());
      }
      last = t;
    }
    return new Answer.Lost(last.toString());
  }

  private static Duration retryAfter(HttpResponse<?> response) {
    List<String> values = response.headers("Retry-After");
    if (values == null || values.isEmpty() || !values.getFirst().matches("\\d{1,6}")) {
      return Duration.ZERO;
    }
    long seconds = Long.parseLong(values.getFirst());
    return Duration.ofSeconds(Math.min(LONGEST_RETRY_AFTER_SECONDS, seconds));
  }
}
