package io.gpumem.plugin.kubelet.fake;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The latest calls and list messages, oldest first. Thread-safe. */
final class CallLog {
  /** A long simulation must not grow without end; a test reads its own few calls. */
  private static final int MOST_CALLS = 10_000;

  /** List messages are large, up to 4 MiB each. */
  private static final int MOST_LISTS = 100;

  private final Deque<KubeletCall> calls = new ArrayDeque<>();
  private final Deque<ListMessage> lists = new ArrayDeque<>();

  synchronized void add(KubeletCall call) {
    calls.addLast(call);
    if (calls.size() > MOST_CALLS) {
      calls.removeFirst();
    }
  }

  synchronized void add(ListMessage list) {
    lists.addLast(list);
    if (lists.size() > MOST_LISTS) {
      lists.removeFirst();
    }
  }

  synchronized List<KubeletCall> calls() {
    return List.copyOf(calls);
  }

  synchronized List<ListMessage> lists() {
    return List.copyOf(lists);
  }
}
