package io.gpumem.plugin.kubelet.fake;

import java.util.ArrayList;
import java.util.List;

/**
 * What was seen that ought not to be: a plugin that breaks the contract in a way the kubelet
 * tolerates, and things of our own that went wrong or were left open at the end. Bounded; the first
 * ones tell the most.
 */
final class Findings {
  /** Enough for a person to read; a loop that goes wrong repeats itself. */
  private static final int MOST = 100;

  private final List<String> violations = new ArrayList<>();
  private final List<String> troubles = new ArrayList<>();

  synchronized void violation(String text) {
    add(violations, text);
  }

  synchronized void trouble(String text) {
    add(troubles, text);
  }

  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  synchronized List<String> troubles() {
    return List.copyOf(troubles);
  }

  private static void add(List<String> list, String text) {
    if (list.size() < MOST) {
      list.add(text);
    }
  }
}
