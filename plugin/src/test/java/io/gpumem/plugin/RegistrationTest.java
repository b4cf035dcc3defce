package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.RESOURCE;
import static io.gpumem.plugin.PluginOnSockets.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.plugin.kubelet.DirectCalls;
import io.gpumem.plugin.kubelet.fake.KubeletCall;
import io.gpumem.plugin.kubelet.fake.KubeletSettings;
import io.gpumem.plugin.kubelet.fake.PluginAnswer;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the plugin makes itself known, and what it leaves in the kubelet's directory. */
final class RegistrationTest {

  private static final String OURS = "gpumem-";

  @TempDir Path root;

  @Test
  void servesBeforeTheKubeletHasTakenIt() throws Exception {
    try (PluginOnSockets all = new PluginOnSockets(root, CardFile.of(root, 16384))) {
      all.kubelet.faults().refuseRegister(Integer.MAX_VALUE);
      all.start();
      eventually("a refusal", () -> !all.kubelet.calls(KubeletCall.Method.REGISTER).isEmpty());

      try (DirectCalls calls = DirectCalls.to(all.kubelet.settings().devicePlugins())) {
        assertTrue(calls.options().getGetPreferredAllocationAvailable());
      }
      assertEquals(0, all.kubelet.openStreams());
    }
  }

  /** A plugin that served only once Register had returned would not be dialled in time. */
  @Test
  void answersTheDialBackWhileItsOwnRegisterWaits() throws Exception {
    KubeletSettings impatient =
        KubeletSettings.at(root.resolve("k")).withDialTimeout(Duration.ofSeconds(5));
    try (PluginOnSockets all = new PluginOnSockets(root, CardFile.of(root, 16384), impatient)) {
      all.start();
      all.awaitServing();

      List<KubeletCall> calls = all.kubelet.calls(KubeletCall.Method.REGISTER);
      assertEquals(1, calls.size(), "it was taken the first time");
      assertInstanceOf(PluginAnswer.Given.class, calls.getFirst().answer());
    }
  }

  @Test
  void registersABareFileNameAndServesTheOptionsItTells() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384);
        DirectCalls calls = DirectCalls.to(all.kubelet.settings().devicePlugins())) {
      var request = DirectCalls.request(taken(all));

      assertEquals("v1beta1", request.getVersion());
      assertEquals(RESOURCE, request.getResourceName());
      assertEquals(Set.of(request.getEndpoint()), sockets(all), "a name in that directory");
      var served = calls.options();
      assertEquals(served, request.getOptions());
      assertTrue(served.getGetPreferredAllocationAvailable());
      assertFalse(served.getPreStartRequired(), "else no container restarts without the plugin");
    }
  }

  @Test
  void takesAnotherFileNameAtEachStart() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      String first = DirectCalls.request(taken(all)).getEndpoint();
      all.stop();
      all.start();
      all.awaitServing();

      assertNotEquals(first, DirectCalls.request(taken(all)).getEndpoint());
    }
  }

  @Test
  void removesWhatADeadPluginOfOursLeftAndNothingElse() throws Exception {
    try (PluginOnSockets all = new PluginOnSockets(root, CardFile.of(root, 16384))) {
      Path directory = all.kubelet.settings().devicePlugins();
      leaveSocket(directory.resolve(OURS + "1-00000000.sock"));
      leaveSocket(directory.resolve("neighbour.sock"));
      try (ServerSocketChannel living = bind(directory.resolve(OURS + "2-00000000.sock"))) {
        all.start();
        all.awaitServing();

        assertTrue(living.isOpen());
        String own = DirectCalls.request(taken(all)).getEndpoint();
        assertEquals(new TreeSet<>(Set.of(OURS + "2-00000000.sock", own)), sockets(all));
        assertTrue(Files.exists(directory.resolve("neighbour.sock")));
      }
    }
  }

  @Test
  void writesNothingButItsSocketIntoTheKubeletsDirectory() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      all.run(all.bound("a", 10));
      eventually("the books are out", () -> all.api.truth().containsKey("a"));
      all.cards.broken(0, "XID 79");
      eventually("the fault is seen", () -> all.api.events().toString().contains("XID 79"));
      all.stop();
      all.start();
      eventually("it serves again", () -> all.kubelet.openStreams() == 1);

      Set<String> kubelets = Set.of("kubelet.sock", "kubelet_internal_checkpoint");
      for (Path file : files(all)) {
        String name = file.getFileName().toString();
        assertTrue(kubelets.contains(name) || isSocket(file), name);
      }
    }
  }

  private static KubeletCall taken(PluginOnSockets all) {
    return all.kubelet.calls(KubeletCall.Method.REGISTER).stream()
        .filter(call -> call.answer() instanceof PluginAnswer.Given)
        .reduce((first, last) -> last)
        .orElseThrow();
  }

  private static List<Path> files(PluginOnSockets all) throws IOException {
    try (Stream<Path> files = Files.list(all.kubelet.settings().devicePlugins())) {
      return files.toList();
    }
  }

  private static Set<String> sockets(PluginOnSockets all) throws IOException {
    Set<String> names = new TreeSet<>();
    for (Path file : files(all)) {
      if (file.getFileName().toString().startsWith(OURS)) {
        names.add(file.getFileName().toString());
      }
    }
    return names;
  }

  private static boolean isSocket(Path file) throws IOException {
    var attributes =
        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return attributes.isOther();
  }

  private static ServerSocketChannel bind(Path file) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    channel.bind(UnixDomainSocketAddress.of(file));
    return channel;
  }

  /** As a killed process does: the file stays, and nobody listens. */
  private static void leaveSocket(Path file) throws IOException {
    bind(file).close();
    assertTrue(Files.exists(file));
  }
}
