package io.gpumem.core.house;

import static io.gpumem.core.house.Made.assertBroken;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoomsTest {

  private static final SourceFile CONTRACT =
      Made.page(
          "proto/src/main/proto/api.proto",
          "syntax = \"proto3\";",
          "package v1beta1;",
          "option java_package = \"io.gpumem.proto.deviceplugin\";");

  private static final SourceFile BARE =
      Made.page("proto/src/main/proto/bare.proto", "package v1;");

  @ParameterizedTest
  @CsvSource({
    "io.gpumem.plugin.allocate, io.gpumem.proto.deviceplugin.Api",
    "io.gpumem.plugin.allocate, v1.Podresources",
    "io.gpumem.plugin, io.grpc.Server",
    "io.gpumem.demo, com.google.protobuf.Message",
    "io.gpumem.plugin.health, com.sun.jna.Pointer",
    "io.gpumem.plugin.nvmlish, com.sun.jna.Pointer",
    "io.gpumem.extender.view, io.fabric8.kubernetes.api.model.Pod",
    "io.gpumem.platform.facts, tools.jackson.core.JsonParser",
    "io.gpumem.extender.view, com.fasterxml.jackson.annotation.JsonProperty"
  })
  void refusesALibraryOutsideItsRoom(String packageName, String imported) {
    var main = Made.main(packageName, "Made.java", "import " + imported + ";");
    var test = Made.test(packageName, "MadeTest.java", "", "Object x = " + imported + ".x();");
    assertBroken(
        Rooms.librariesInTheirRooms(Repository.of(CONTRACT, BARE, main, test)),
        "Made.java:3",
        "MadeTest.java:4");
  }

  @ParameterizedTest
  @CsvSource({
    "io.gpumem.plugin.kubelet, Made.java, io.gpumem.proto.deviceplugin.Api",
    "io.gpumem.plugin.kubelet.fake, Made.java, v1.Podresources",
    "io.gpumem.plugin.kubelet, MadeTest.java, io.grpc.Server",
    "io.gpumem.plugin.nvml, Made.java, com.sun.jna.Pointer",
    "io.gpumem.platform.cluster, Made.java, io.fabric8.kubernetes.api.model.Pod",
    "io.gpumem.platform.cluster.fake, Made.java, io.fabric8.kubernetes.api.model.Pod",
    "io.gpumem.extender.view, PodFacts.java, io.fabric8.kubernetes.api.model.Pod",
    "io.gpumem.platform.cluster.fake, Made.java, tools.jackson.core.JsonParser",
    "io.gpumem.extender.http, Made.java, tools.jackson.core.JsonParser",
    "io.gpumem.plugin.nvml.fake, Made.java, tools.jackson.core.JsonParser",
    "io.gpumem.demo, Made.java, tools.jackson.core.JsonParser",
    "io.gpumem.plugin.allocate, Made.java, java.util.List",
    "io.gpumem.plugin.allocate, Made.java, org.v1.Other"
  })
  void acceptsALibraryInItsRoom(String packageName, String file, String imported) {
    var made = Made.main(packageName, file, "import " + imported + ";");
    assertBroken(Rooms.librariesInTheirRooms(Repository.of(CONTRACT, BARE, made)));
  }

  @Test
  void keepsFakesOutOfShippedCodeButItsWiring() {
    var line = "import io.gpumem.platform.cluster.fake.FakeCluster;";
    assertBroken(
        Rooms.fakesStayOutOfShippedCode(
            Repository.of(
                Made.main("io.gpumem.plugin", "Plugin.java", line),
                Made.main("io.gpumem.extender", "Main.java", line),
                Made.main("io.gpumem.demo", "World.java", line),
                Made.main("io.gpumem.plugin.kubelet.fake", "FakeKubelet.java", line),
                Made.test("io.gpumem.plugin", "AllocateTest.java", line),
                Made.main("io.gpumem.platform.cluster", "Feed.java", line))),
        "Feed.java:3");
  }

  @ParameterizedTest
  @CsvSource({
    "io.gpumem.core.ledger, io.gpumem.platform.log.Log",
    "io.gpumem.platform.log, io.gpumem.plugin.Plugin",
    "io.gpumem.plugin, io.gpumem.extender.view.View",
    "io.gpumem.extender, io.gpumem.plugin.Plugin",
    "io.gpumem.extender, io.gpumem.proto.deviceplugin.Api",
    "io.gpumem.plugin, io.gpumem.demo.World",
    "io.gpumem.core, io.gpumem.corelike.Thing"
  })
  void refusesAModuleThatLooksOutwards(String packageName, String imported) {
    var made = Made.main(packageName, "Made.java", "import " + imported + ";");
    var test = Made.test(packageName, "MadeTest.java", "", "import " + imported + ";");
    assertBroken(
        Rooms.modulesLookInwards(Repository.of(made, test)), "Made.java:3", "MadeTest.java:4");
  }

  @ParameterizedTest
  @CsvSource({
    "io.gpumem.plugin, io.gpumem.core.units.Memory",
    "io.gpumem.plugin, io.gpumem.proto.deviceplugin.Api",
    "io.gpumem.extender, io.gpumem.platform.log.Log",
    "io.gpumem.demo, io.gpumem.extender.Extender"
  })
  void acceptsAModuleThatLooksInwards(String packageName, String imported) {
    var made = Made.main(packageName, "Made.java", "import " + imported + ";");
    assertBroken(Rooms.modulesLookInwards(Repository.of(made)));
  }

  @Test
  void refusesAModuleThatIsNotOnTheMapAndAPackageThatIsNotItsModules() {
    var stranger = Made.main("io.gpumem.attic", "Made.java", "");
    var guest = Made.page("core/src/main/java/org/other/Guest.java", "package org.other;");
    assertBroken(
        Rooms.modulesLookInwards(Repository.of(stranger, guest)), "Made.java:1", "Guest.java:1");
  }
}
