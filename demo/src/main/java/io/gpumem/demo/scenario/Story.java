package io.gpumem.demo.scenario;

import io.gpumem.demo.audit.Audit;
import io.gpumem.demo.process.Child;
import io.gpumem.demo.world.PlayedNode;
import io.gpumem.demo.world.PodPlan;
import io.gpumem.demo.world.PodState;
import io.gpumem.plugin.kubelet.fake.Restart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What happens, in order. Each part waits for what it claims before it says so. */
public final class Story {

  private static final String CARD = "node-a";
  private static final String PAIR = "node-b";
  private static final String MIG = "node-c";

  private static final int DELETED_AT_ONCE = 5;

  private static final double NANOS_PER_SECOND = 1e9;

  private final Stage stage;
  private final Map<String, Child> plugins;
  private final String resource;
  private final FaultTimes faults = new FaultTimes();

  /**
   * @param plugins the plugins' processes by node
   */
  public Story(Stage stage, Map<String, Child> plugins) {
    this.stage = stage;
    this.plugins = Map.copyOf(plugins);
    this.resource = stage.cluster().keys().resource();
  }

  /** Tells it all. */
  public void tell() throws Missed, InterruptedException, IOException {
    start();
    shareOneCard();
    refuseInPieces();
    fillMigDevice();
    burst();
    cure();
  }

  private void start() throws Missed, InterruptedException {
    for (PlayedNode node : stage.cluster().nodes()) {
      awaitPlugin(node);
      stage.await(node.name() + " publishes its devices", () -> summary(node.name()).isPresent());
      stage.console().say(node.name() + ": " + summary(node.name()).orElse(""));
    }
    stage.await("the extender is ready", () -> stage.cluster().extender().isOk("/readyz"));
    stage.await(
        "the extender knows all nodes",
        () ->
            stage
                .cluster()
                .extender()
                .get("/api/v1/nodes")
                .map(answer -> answer.path("nodes").size() == stage.cluster().nodes().size())
                .orElse(false));
    stage.console().say("the extender has seen them all; 1 unit is 1 GiB");
  }

  private Optional<String> summary(String node) {
    return stage.cluster().annotation(node, stage.cluster().keys().summary());
  }

  private void awaitPlugin(PlayedNode node) throws Missed, InterruptedException {
    stage.await(
        "the plugin registers on " + node.name(),
        () ->
            node.kubelet().openStreams() == 1
                && node.kubelet().allocatable().getOrDefault(resource, 0L) > 0);
  }

  private void shareOneCard() throws Missed, InterruptedException {
    stage.console().step("1. Six pods share one card of 16 GiB: 2 + 2 + 2 + 2 + 4 + 4");
    int[] sizes = {2, 2, 2, 2, 4, 4};
    for (int i = 0; i < sizes.length; i++) {
      stage.owner().create(pod("share-" + (i + 1), sizes[i]).on(CARD));
    }
    for (int i = 0; i < sizes.length; i++) {
      var unused = stage.awaitRunning("share-" + (i + 1));
    }
    awaitBooks();
    stage.console().say("all six run; " + CARD + ": " + summary(CARD).orElse(""));
  }

  private void refuseInPieces() throws Missed, InterruptedException {
    stage.console().step("2. Enough in sum, but not in one piece");
    stage.owner().create(pod("wide-1", 100).on(PAIR));
    stage.owner().create(pod("wide-2", 100).on(PAIR));
    stage.owner().create(pod("wide-3", 90).on(MIG));
    for (int i = 1; i <= 3; i++) {
      var unused = stage.awaitRunning("wide-" + i);
    }
    awaitBooks();
    stage.console().say("three large pods run (100, 100 and 90); now one asks for 72");
    stage.owner().create(pod("big", 72));
    stage.await("big is refused", () -> stage.cluster().unschedulable("big").isPresent());
    stage.console().say("big is Pending: " + stage.cluster().unschedulable("big").orElse(""));
    explain();
  }

  private void explain() throws Missed, InterruptedException {
    Optional<JsonNode> answer = stage.cluster().extender().get("/api/v1/explain?pod=default/big");
    if (answer.isEmpty()) {
      throw new Missed("the extender has no explanation for big");
    }
    stage.console().say("the extender explains it (/api/v1/explain):");
    for (JsonNode node : answer.get().path("nodes")) {
      if (node.path("fits").asBoolean(false)) {
        throw new Missed("the extender says that big fits on " + node.path("name").asString(""));
      }
      stage
          .console()
          .say(
              "  %s  free in sum %3d, largest piece %3d, largest device %3d"
                  .formatted(
                      node.path("name").asString(""),
                      node.path("free").asLong(0),
                      node.path("largestFree").asLong(0),
                      node.path("largestDevice").asLong(0)));
    }
  }

  private void fillMigDevice() throws Missed, InterruptedException {
    stage.console().step("3. A pod of 60 where only a MIG device has the room");
    stage.owner().create(pod("mig", 60).on(MIG));
    var unused = stage.awaitRunning("mig");
    awaitBooks();
    String device = device("mig");
    if (!device.startsWith("MIG-")) {
      throw new Missed("mig is on " + device + " instead of a MIG device");
    }
    stage.console().say("it runs with NVIDIA_VISIBLE_DEVICES=" + device);
    stage.console().say(MIG + ": " + summary(MIG).orElse(""));
  }

  /** What the pod's first container sees. */
  private String device(String pod) throws Missed {
    Optional<PodState> state = stage.cluster().pod(pod);
    return state
        .flatMap(found -> stage.cluster().node(found.node()).views(found.uid()))
        .map(views -> views.getFirst().envs().getOrDefault("NVIDIA_VISIBLE_DEVICES", ""))
        .orElseThrow(() -> new Missed(pod + " has no environment"));
  }

  private void burst() throws Missed, InterruptedException, IOException {
    stage.console().step("4. Forty pods at once, deletions, a kubelet restart, a killed plugin");
    List<PodPlan> plans = Burst.pods(resource);
    stage.owner().delete("share-2");
    stage.owner().delete("share-6");
    create(plans.subList(0, 16));
    restartKubelet();
    stage.console().say("five pods deleted (" + deleteSome() + "), twelve more created");
    create(plans.subList(16, 28));
    killPlugin(plans.subList(28, plans.size()));
    stage.console().say("five more deleted (" + deleteSome() + ")");
    awaitAllRunning();
    stage.console().say("all " + stage.owner().running().size() + " pods run; big still waits");
    awaitBooks();
    int replaced = stage.owner().replaced().size();
    if (replaced > 0) {
      stage
          .console()
          .say(
              replaced
                  + " of them met a kubelet without a plugin, were refused and made anew, as a"
                  + " Deployment does: "
                  + String.join(" ", stage.owner().replaced()));
    }
    for (PlayedNode node : stage.cluster().nodes()) {
      stage.console().say(node.name() + ": " + summary(node.name()).orElse(""));
    }
  }

  private PodPlan pod(String name, int units) {
    return PodPlan.of(name, resource, units);
  }

  private void create(List<PodPlan> plans) {
    plans.forEach(stage.owner()::create);
  }

  /** Deletes running pods of the burst; the names. */
  private String deleteSome() throws Missed, InterruptedException {
    stage.await("some pods of the burst run", () -> burstRunning().size() >= DELETED_AT_ONCE);
    List<String> names = burstRunning().subList(0, DELETED_AT_ONCE);
    names.forEach(stage.owner()::delete);
    return String.join(" ", names);
  }

  private List<String> burstRunning() {
    return stage.owner().running().stream()
        .map(PodState::name)
        .filter(name -> name.startsWith("job-"))
        .toList();
  }

  /** At a calm moment: what is between binding and start then, a kubelet refuses by its nature. */
  private void restartKubelet() throws Missed, InterruptedException {
    PlayedNode node = stage.cluster().node(PAIR);
    stage.await("pods of the burst run", () -> burstRunning().size() >= DELETED_AT_ONCE);
    stage.awaitCalm(PAIR);
    faults.begin(PAIR);
    long before = System.nanoTime();
    node.kubelet().restart(Restart.plain());
    awaitPlugin(node);
    faults.end(PAIR);
    stage.console().say(PAIR + ": kubelet restarted, the plugin is back " + after(before));
  }

  /** Pods are created while it is away. */
  private void killPlugin(List<PodPlan> meanwhile)
      throws Missed, InterruptedException, IOException {
    PlayedNode node = stage.cluster().node(MIG);
    Child plugin = Optional.ofNullable(plugins.get(MIG)).orElseThrow();
    awaitAllRunning();
    faults.begin(MIG);
    long before = System.nanoTime();
    plugin.kill();
    stage.await(
        "the kubelet of " + MIG + " notices",
        () -> node.kubelet().allocatable().getOrDefault(resource, 0L) == 0);
    stage.console().say(MIG + ": plugin killed (SIGKILL); twelve more pods created meanwhile");
    create(meanwhile);
    plugin.startAgain();
    awaitPlugin(node);
    faults.end(MIG);
    stage.console().say(MIG + ": the next plugin is registered " + after(before));
  }

  private static String after(long nanos) {
    return "after %.1f s".formatted((System.nanoTime() - nanos) / NANOS_PER_SECOND);
  }

  /** Everybody but big, who waits. */
  private void awaitAllRunning() throws Missed, InterruptedException {
    stage.await(
        "all pods but big run",
        () -> stage.owner().running().size() == stage.owner().names().size() - 1);
    if (!stage.cluster().pod("big").map(PodState::isPending).orElse(false)) {
      throw new Missed("big does not wait any more");
    }
  }

  private void cure() throws Missed, InterruptedException {
    stage.console().step("5. A large pod goes, big gets its place");
    stage.owner().delete("wide-1");
    PodState big = stage.awaitRunning("big");
    awaitBooks();
    stage.console().say("wide-1 deleted; big runs on " + big.node() + ", " + device("big"));
  }

  /** The published books must come to what the kubelets gave, and soon. */
  private void awaitBooks() throws Missed, InterruptedException {
    try {
      stage.await("the books agree", () -> Audit.of(stage.cluster()).differences().isEmpty());
    } catch (Missed late) {
      List<String> differences = Audit.of(stage.cluster()).differences();
      throw new Missed(late.getMessage() + ": " + String.join("; ", differences));
    }
  }

  /** Everything that must hold at the end; prints the table. */
  public List<String> verdict() {
    Audit audit = Audit.of(stage.cluster());
    List<String> differences = new ArrayList<>(audit.differences());
    differences.addAll(faults.unexpected(stage.cluster().nodes()));
    for (PlayedNode node : stage.cluster().nodes()) {
      node.kubelet()
          .violations()
          .forEach(each -> differences.add(node.name() + ", kubelet's contract: " + each));
    }
    stage
        .cluster()
        .misuses()
        .forEach(each -> differences.add("a request no API server would take: " + each));
    stage.console().step("6. Published books against the kubelets' own tables, in units");
    EndTable.print(audit, stage.console());
    return differences;
  }
}
