package io.gpumem.plugin.nvml;

/**
 * Looks at the node's GPUs.
 *
 * <p>It tells what is there now and remembers, while the process lives, which GPUs were there
 * before, so that one that is lost shows as {@link Condition.Broken} and not as absent. What it
 * does not do: it does not watch (no XID events), does not retry, does not wait before it calls a
 * device broken or working again, does not turn memory into units, does not say which process uses
 * what, and changes no setting of any GPU.
 *
 * <p>{@link #scan} may block in the kernel for minutes when a GPU is in a bad state, and nothing
 * can interrupt it there: call it on a platform thread of its own, under a watchdog. One scan runs
 * at a time; a second one meanwhile is answered with {@link Scan.Failed}. {@link #close} may come
 * from any thread, returns at once and may be repeated; a scan that is in the driver then gives the
 * driver back when it returns.
 */
public interface GpuSource extends AutoCloseable {

  /** Reads all GPUs once. After {@link #close} it is {@link Scan.Failed} with code 1. */
  Scan scan();

  @Override
  void close();
}
