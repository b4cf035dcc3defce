package io.gpumem.platform.cluster.fake;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** The troubles that the next requests will meet. Any thread. */
final class StandInFaults {

  private final List<Planned> planned = new CopyOnWriteArrayList<>();
  private volatile boolean refusing;
  private volatile boolean goneAsStatus;

  private record Planned(Predicate<RecordedRequest> request, Trouble trouble) {}

  /** One trouble of one request. */
  sealed interface Trouble {
    /** It is refused, and not done. */
    record Refused(Refusal refusal) implements Trouble {}

    /** It is done, but the connection closes instead of an answer. */
    record AnswerLost() implements Trouble {}

    /** It is done, and answered after this long. */
    record AnswerLate(Duration delay) implements Trouble {}
  }

  void plan(Predicate<RecordedRequest> request, Trouble trouble) {
    planned.add(new Planned(request, trouble));
  }

  /** The trouble for this request; each planned one strikes once. */
  Optional<Trouble> strike(RecordedRequest request) {
    if (refusing) {
      return Optional.of(
          new Trouble.Refused(
              new Refusal(503, "ServiceUnavailable", "the stand-in was told to refuse")));
    }
    for (Planned plan : planned) {
      if (plan.request().test(request) && planned.remove(plan)) {
        return Optional.of(plan.trouble());
      }
    }
    return Optional.empty();
  }

  void refusing(boolean now) {
    refusing = now;
  }

  void goneAsStatus(boolean now) {
    goneAsStatus = now;
  }

  boolean goneAsStatus() {
    return goneAsStatus;
  }
}
