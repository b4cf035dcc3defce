package io.gpumem.platform.cluster.fake;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The troubles that the next requests will meet. Any thread. */
final class StandInFaults {

  private final List<Planned> planned = new ArrayList<>();
  private volatile boolean refusing;
  private volatile boolean goneAsStatus;
  private volatile Optional<String> token = Optional.empty();

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
    synchronized (planned) {
      planned.add(new Planned(request, trouble));
    }
  }

  /** The trouble for this request; each planned one strikes once. */
  Optional<Trouble> strike(RecordedRequest request, String authorization) {
    if (token.isPresent() && !authorization.equals("Bearer " + token.get())) {
      return Optional.of(new Trouble.Refused(new Refusal(401, "Unauthorized", "Unauthorized")));
    }
    if (refusing) {
      return Optional.of(
          new Trouble.Refused(
              new Refusal(503, "ServiceUnavailable", "the stand-in was told to refuse")));
    }
    synchronized (planned) {
      Optional<Planned> first = planned.stream().filter(p -> p.request().test(request)).findFirst();
      first.ifPresent(planned::remove);
      return first.map(Planned::trouble);
    }
  }

  void token(Optional<String> now) {
    token = now;
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
