package io.gpumem.extender.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.Holding;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.Units;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.extender.verdict.Bind;
import io.gpumem.platform.cluster.BindOutcome;
import io.gpumem.platform.cluster.PodRef;
import io.gpumem.platform.fuzz.fake.Mutator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;

/** Takes Bindings as an API server that may answer anything, and says what each may change. */
final class PostedBindings implements Bind.Binder {

  /** One Binding, and what was answered. */
  record Sent(PodRef pod, String node, Optional<Reservation> plan, BindOutcome outcome) {

    /** Where the answer says that the pod is instead. */
    Optional<NodeName> elsewhere() {
      return outcome instanceof BindOutcome.AlreadyBound(String other, var annotations)
              && !other.equals(node)
          ? Optional.of(new NodeName(other))
          : Optional.empty();
    }

    boolean counts() {
      return switch (outcome) {
        case BindOutcome.Bound() -> true;
        case BindOutcome.Unknown(var why) -> true;
        case BindOutcome.AlreadyBound(String there, var annotations) -> there.equals(node);
        case BindOutcome.Gone(var why) -> false;
        case BindOutcome.Unreached(var why) -> false;
        case BindOutcome.Refused(int code, var why) -> false;
      };
    }
  }

  private final Keys keys;
  private final List<Sent> sent = new ArrayList<>();
  private BindOutcome next = new BindOutcome.Bound();

  PostedBindings(Keys keys) {
    this.keys = keys;
  }

  List<Sent> sent() {
    return List.copyOf(sent);
  }

  void forget() {
    sent.clear();
  }

  /** How the next Binding is answered. */
  void answerBy(Random chance, PodFacts pod, Mutator mutator) {
    next =
        switch (chance.nextInt(8)) {
          case 0 -> new BindOutcome.Unknown("lost");
          case 1 -> new BindOutcome.Refused(409, "\u0000");
          case 2 -> new BindOutcome.Gone("gone");
          case 3 -> new BindOutcome.Unreached("away");
          case 4 ->
              new BindOutcome.AlreadyBound(
                  "n" + chance.nextInt(3),
                  Map.of(
                      keys.reservation(),
                      mutator.json("{\"v\":1,\"uid\":\"" + pod.uid() + "\",\"node\":\"n1\"}")));
          default -> new BindOutcome.Bound();
        };
  }

  @Override
  public BindOutcome bind(
      PodRef pod, String node, Map<String, String> annotations, Duration deadline) {
    assertTrue(deadline.isPositive());
    Optional<Reservation> plan =
        ReservationCodec.decode(Optional.ofNullable(annotations.get(keys.reservation())))
            .understood();
    assertEquals(annotations.size(), plan.stream().count(), "a plan that can be read, or nothing");
    sent.add(new Sent(pod, node, plan, next));
    return next;
  }

  /** Holds a Binding against the books of its node before and after. */
  void judge(Sent one, PodFacts pod, NodeLedger before, NodeLedger after, String error) {
    Reservation plan = one.plan().orElseThrow();
    assertEquals(pod.uid(), plan.uid());
    assertEquals(one.node(), plan.node().text());
    assertEquals(
        Optional.empty(), plan.distrust(pod.uid(), plan.node(), pod.demand(), before.inventory()));
    assertEquals(error.isEmpty(), isBoundThere(one), () -> "OK only when it is bound: " + error);
    Optional<Holding> holding = after.holding("uid:" + pod.uid());
    assertEquals(one.counts(), holding.isPresent(), () -> "counted: " + one.outcome());
    if (!one.counts()) {
      assertEquals(before, after);
      return;
    }
    Holding taken = holding.orElseThrow();
    long total = Units.sum(Units.total(taken.devices()), taken.unplaced());
    assertEquals(pod.demand().footprint(), total, "the amounts of the spec");
    for (Device device : after.inventory().devices()) {
      long used = after.used(device.uuid());
      long most = Math.max(before.used(device.uuid()), device.units());
      assertTrue(used <= most, () -> device.uuid() + " is oversold: " + used);
      assertTrue(after.free(device) >= 0 && after.free(device) <= device.units());
    }
  }

  private static boolean isBoundThere(Sent one) {
    return one.outcome() instanceof BindOutcome.Bound
        || (one.outcome() instanceof BindOutcome.AlreadyBound(String there, var annotations)
            && Objects.equals(there, one.node()));
  }
}
