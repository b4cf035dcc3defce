package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.platform.fuzz.fake.Fuzz;
import io.gpumem.platform.fuzz.fake.Mutator;
import io.gpumem.platform.fuzz.fake.Trace;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.ContainerView;
import io.gpumem.plugin.allocate.HolderCheck;
import io.gpumem.plugin.allocate.NodeState;
import io.gpumem.plugin.allocate.Reading;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * The plugin's service on a node whose kubelet table stays as it is, called with one damaged call
 * after another. What was granted and never shows is forgotten by the next reading, so that each
 * run finds the same books.
 */
final class PlayedCalls implements Fuzz.Victim {

  /** Longer than any answer stands that the table does not show. */
  private static final Duration FORGOTTEN = Duration.ofSeconds(12);

  private final TrueNode node;
  private final Allocator allocator;
  private final DevicePluginService service;
  private final ForgedTexts forged;
  private final NodeState.View before;
  private long nanos = FORGOTTEN.toNanos();
  private boolean anythingGranted;

  PlayedCalls(Random chance) {
    node = TrueNode.of(chance);
    allocator =
        new Allocator(
            TrueNode.NAME,
            Allocator.Matching.ON,
            Duration.ZERO,
            () -> true,
            this::holder,
            () -> nanos,
            event -> {});
    allocator.inventory(node.inventory());
    allocator.podsListed(node.pods());
    var list = DeviceList.of(node.inventory(), Set.of(), false);
    service = new DevicePluginService(allocator, this::container, new ListStreams(list, () -> {}));
    forged = new ForgedTexts(allocator, node);
    readTable();
    before = allocator.view();
    assertEquals(truth(), before.facts().allocations());
  }

  private ContainerView container(Map<DeviceUuid, Long> granted) {
    return ContainerView.of(
        granted, node.inventory().unit(), Set.of(ContainerView.Strategy.ENVVAR), Map.of());
  }

  private HolderCheck.Held holder(PodName name, Duration limit) {
    return node.table().keySet().stream()
        .filter(pod -> pod.name().equals(name))
        .findFirst()
        .<HolderCheck.Held>map(pod -> new HolderCheck.Held.Listed(reading(pod)))
        .orElseGet(HolderCheck.Held.Gone::new);
  }

  private Reading reading(PodFacts pod) {
    Set<DeviceId> ids = node.table().getOrDefault(pod, Set.of());
    return new Reading(pod.name(), Map.of(TrueNode.MAIN, ids), nanos);
  }

  private void readTable() {
    node.table().keySet().forEach(pod -> allocator.shown(reading(pod)));
    node.outstanding().forEach(pod -> allocator.notShown(pod.name(), nanos));
  }

  private Allocations truth() {
    Map<PodUid, PodAllocation> pods = new TreeMap<>();
    node.table()
        .forEach(
            (pod, ids) -> {
              Map<DeviceUuid, Long> devices = new TreeMap<>();
              ids.forEach(id -> devices.merge(id.device(), 1L, Long::sum));
              var containers = Map.of(TrueNode.MAIN, devices);
              pods.put(pod.uid(), new PodAllocation(pod.name(), Map.copyOf(containers), Map.of()));
            });
    return new Allocations(pods, Map.of());
  }

  @Override
  public Fuzz.Outcome play(Random chance, Trace trace) {
    var calls = new DamagedCalls(node, chance);
    Fuzz.Outcome outcome =
        switch (chance.nextInt(10)) {
          case 0, 1, 2, 3 -> preferAndAllocate(calls, chance, trace);
          case 4, 5, 6 -> allocate(calls.allocate(), Set.of(), trace);
          case 7 -> bytes(calls, chance, trace);
          default -> forged.play(chance, trace);
        };
    assertTrue(allocator.heldIds().containsAll(node.held()), "nothing held is forgotten");
    if (anythingGranted) {
      // Until it is read again, what is given twice is of nobody we know; it is in the books.
      node.inventory().devices().forEach(device -> assertNotLess(device.uuid()));
      forget();
    }
    assertEquals(truth(), allocator.view().facts().allocations(), "the truth is the table");
    assertEquals(before, allocator.view(), "the books are the old ones");
    return outcome;
  }

  private void assertNotLess(DeviceUuid device) {
    long used = allocator.view().books().ledger().used(device);
    long held = node.held().stream().filter(id -> id.device().equals(device)).count();
    assertTrue(used >= held, () -> device + " has " + used + " of " + held + " in use");
  }

  private void forget() {
    nanos += FORGOTTEN.toNanos();
    readTable();
    anythingGranted = false;
  }

  private Fuzz.Outcome preferAndAllocate(DamagedCalls calls, Random chance, Trace trace) {
    PreferredAllocationRequest request = calls.preferred();
    PreferredAllocationResponse answer = prefer(request, trace);
    if (answer.getContainerResponsesCount() == 1 && chance.nextInt(3) > 0) {
      var asked = request.getContainerRequests(0);
      List<String> ids = List.copyOf(answer.getContainerResponses(0).getDeviceIDsList());
      AllocateRequest next = calls.allocate(ids);
      boolean asAnswered = next.getContainerRequests(0).getDevicesIdsList().equals(ids);
      // What was offered as free though another pod holds it must be refused.
      Set<String> sold = new HashSet<>();
      node.held().forEach(id -> sold.add(id.toString()));
      sold.retainAll(asked.getAvailableDeviceIDsList());
      asked.getMustIncludeDeviceIDsList().forEach(sold::remove);
      return allocate(next, asAnswered ? sold : Set.of(), trace);
    }
    return new Fuzz.Outcome("preferred", true);
  }

  private PreferredAllocationResponse prefer(PreferredAllocationRequest request, Trace trace) {
    trace.input("GetPreferredAllocation", request.toString());
    NodeState.View view = allocator.view();
    var observer = new OneAnswer<PreferredAllocationResponse>();
    service.getPreferredAllocation(request, observer);
    PreferredAllocationResponse answer = observer.given().orElseThrow(observer::failure);
    assertEquals(request.getContainerRequestsCount(), answer.getContainerResponsesCount());
    for (int i = 0; i < request.getContainerRequestsCount(); i++) {
      new JudgedChoice(request.getContainerRequests(i), node.inventory())
          .judge(answer.getContainerResponses(i).getDeviceIDsList());
    }
    assertEquals(view, allocator.view(), "a preference moves nothing");
    return answer;
  }

  /**
   * @param sold IDs that must not be among those granted
   */
  private Fuzz.Outcome allocate(AllocateRequest request, Set<String> sold, Trace trace) {
    trace.input("Allocate", request.toString());
    NodeState.View view = allocator.view();
    Set<DeviceId> held = allocator.heldIds();
    var observer = new OneAnswer<AllocateResponse>();
    service.allocate(request, observer);
    Optional<AllocateResponse> answer = observer.given();
    if (answer.isEmpty()) {
      assertEquals("FAILED_PRECONDITION", observer.code());
      assertEquals(held, allocator.heldIds(), "a refusal holds nothing");
      if (isGivenTwice(request)) {
        forget();
      }
      assertEquals(view, allocator.view(), "a refusal moves nothing");
      return new Fuzz.Outcome("Allocate refused: " + kind(observer.why()), true);
    }
    int containers = request.getContainerRequestsCount();
    assertEquals(containers, answer.get().getContainerResponsesCount());
    for (int i = 0; i < containers; i++) {
      List<String> ids = request.getContainerRequests(i).getDevicesIdsList();
      JudgedGrant.judge(ids, answer.get().getContainerResponses(i), node.inventory());
      ids.forEach(id -> assertTrue(!sold.contains(id), () -> id + " is sold twice"));
    }
    anythingGranted |= containers > 0;
    return new Fuzz.Outcome("Allocate granted", true);
  }

  /**
   * Whether a container before the refused one asks for what another pod holds. No kubelet asks so;
   * whose those units are is then known again with the next reading, and not before.
   */
  private boolean isGivenTwice(AllocateRequest request) {
    Set<String> held = new HashSet<>();
    node.held().forEach(id -> held.add(id.toString()));
    return request.getContainerRequestsCount() > 1
        && request.getContainerRequestsList().stream()
            .flatMap(each -> each.getDevicesIdsList().stream())
            .anyMatch(held::contains);
  }

  private static String kind(String why) {
    String constant = why.replaceAll("\"(?s:.*)\"", "ID").replaceAll("(GPU-|\\{|team-)\\S*", "_");
    return constant.substring(0, Math.min(constant.length(), 60)).strip();
  }

  private Fuzz.Outcome bytes(DamagedCalls calls, Random chance, Trace trace) {
    var mutator = new Mutator(chance);
    boolean preferred = chance.nextBoolean();
    byte[] honest = preferred ? calls.preferred().toByteArray() : calls.allocate().toByteArray();
    byte[] bytes = mutator.bytes(honest);
    trace.input(preferred ? "GetPreferredAllocation" : "Allocate", bytes);
    try {
      if (preferred) {
        PreferredAllocationResponse unused =
            prefer(PreferredAllocationRequest.parseFrom(bytes), trace);
        return new Fuzz.Outcome("preferred", true);
      }
      return allocate(AllocateRequest.parseFrom(bytes), Set.of(), trace);
    } catch (InvalidProtocolBufferException noMessage) {
      return new Fuzz.Outcome("no message", false);
    }
  }

  @Override
  public void close() {
    forget();
    assertEquals(before, allocator.view());
  }
}
