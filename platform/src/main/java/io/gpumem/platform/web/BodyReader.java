package io.gpumem.platform.web;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.Semaphore;

/**
 * Reads bodies into memory, each up to a limit and all together within a budget. Memory is taken as
 * bytes arrive, never because a header announces them, and the budget counts what is allocated, the
 * old buffer beside its larger copy included.
 */
final class BodyReader {

  /** The first buffer; twice as much each time it is full. */
  private static final int FIRST = 16 * 1024;

  private static final byte[] NOTHING = new byte[0];

  private final int limit;
  private final Semaphore budget;

  /** What came of reading. */
  sealed interface Outcome {

    @SuppressWarnings("ArrayRecordComponent") // Compared nowhere.
    record Complete(byte[] body) implements Outcome {}

    record TooLarge() implements Outcome {}

    record NoMemory() implements Outcome {}
  }

  /** One request's share of the budget; given back when the request is answered. */
  final class Share implements AutoCloseable {

    private int bytes;

    private Share() {}

    private boolean take(int more) {
      if (!budget.tryAcquire(more)) {
        return false;
      }
      bytes += more;
      return true;
    }

    private void giveBack(int less) {
      budget.release(less);
      bytes -= less;
    }

    @Override
    public void close() {
      budget.release(bytes);
      bytes = 0;
    }
  }

  BodyReader(int limit, int budget) {
    this.limit = limit;
    this.budget = new Semaphore(budget);
  }

  Share share() {
    return new Share();
  }

  /**
   * Reads to the end of the stream, or until it is clear that the body can't be taken.
   *
   * @param announced the body's length by its header, negative when there is none
   */
  Outcome read(InputStream in, long announced, Share share) throws IOException {
    if (announced > limit) {
      return new Outcome.TooLarge();
    }
    int most = announced < 0 ? limit : (int) announced;
    var buffer = NOTHING;
    int size = 0;
    // The end shows only by reading on, so each round begins with one byte beyond what is there.
    for (int next = in.read(); next >= 0; next = in.read()) {
      if (size == most) {
        return new Outcome.TooLarge();
      }
      if (size == buffer.length) {
        int larger = (int) Math.min(most, Math.max(FIRST, 2L * size));
        if (!share.take(larger)) {
          return new Outcome.NoMemory();
        }
        var grown = Arrays.copyOf(buffer, larger);
        share.giveBack(buffer.length);
        buffer = grown;
      }
      buffer[size++] = (byte) next;
      size += in.readNBytes(buffer, size, buffer.length - size);
    }
    return trimmed(buffer, size, share);
  }

  private static Outcome trimmed(byte[] buffer, int size, Share share) {
    if (size == buffer.length) {
      return new Outcome.Complete(buffer);
    } else if (!share.take(size)) {
      return new Outcome.NoMemory();
    }
    var exact = Arrays.copyOf(buffer, size);
    share.giveBack(buffer.length);
    return new Outcome.Complete(exact);
  }

  /** Throws away what the client still sends, so that it gets to read the answer. */
  static void discard(InputStream in, long most) throws IOException {
    var chunk = new byte[FIRST];
    long left = most;
    for (int read = in.read(chunk); read >= 0 && left > 0; read = in.read(chunk)) {
      left -= read;
    }
  }
}
