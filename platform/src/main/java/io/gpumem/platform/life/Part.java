package io.gpumem.platform.life;

/** A piece of a process with a beginning and an end. {@link Life} calls each at most once. */
public interface Part {

  /**
   * Returns once the part works. When it throws, it has cleaned up after itself and is not stopped;
   * the process then ends. It is interrupted when the process is told to stop meanwhile.
   */
  void start() throws Exception;

  /** Returns once the part holds nothing any more. It is interrupted when its limit is over. */
  void stop() throws Exception;
}
