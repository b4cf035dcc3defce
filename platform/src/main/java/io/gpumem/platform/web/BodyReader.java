package io.gpumem.platform.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;

/**
 * Reads bodies into memory, each up to a limit and all together within a budget. Memory is taken as
 * bytes arrive, never because a header announces them.
 */
final class BodyReader {

  private static final int CHUNK = 16 * 1024;

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

    private boolean grow(int by) {
      if (!budget.tryAcquire(by)) {
        return false;
      }
      bytes += by;
      return true;
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
    var body = new ByteArrayOutputStream((int) Math.clamp(announced, 0, CHUNK));
    var chunk = new byte[announced == 0 ? 1 : CHUNK];
    for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
      if (read > limit - body.size()) {
        return new Outcome.TooLarge();
      }
      if (!share.grow(read)) {
        return new Outcome.NoMemory();
      }
      body.write(chunk, 0, read);
    }
    return new Outcome.Complete(body.toByteArray());
  }

  /** Throws away what the client still sends, so that it gets to read the answer. */
  static void discard(InputStream in, long most) throws IOException {
    var chunk = new byte[CHUNK];
    long left = most;
    for (int read = in.read(chunk); read >= 0 && left > 0; read = in.read(chunk)) {
      left -= read;
    }
  }
}
