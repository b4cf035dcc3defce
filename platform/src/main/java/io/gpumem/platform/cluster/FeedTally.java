package io.gpumem.platform.cluster;

import java.util.concurrent.atomic.LongAdder;

/** The counters behind {@link FeedCounts}: one thread adds, any reads. */
final class FeedTally {

  final LongAdder lists = new LongAdder();
  final LongAdder watches = new LongAdder();
  final LongAdder events = new LongAdder();
  final LongAdder failures = new LongAdder();
  final LongAdder expiries = new LongAdder();
  final LongAdder listenerFaults = new LongAdder();
  final LongAdder trimFaults = new LongAdder();

  FeedCounts counts() {
    return new FeedCounts(
        lists.sum(),
        watches.sum(),
        events.sum(),
        failures.sum(),
        expiries.sum(),
        listenerFaults.sum(),
        trimFaults.sum());
  }
}
