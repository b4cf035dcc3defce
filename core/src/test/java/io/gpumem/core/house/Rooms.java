package io.gpumem.core.house;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Which room may name what: the two tables are the map of the house, and the build reads it. */
final class Rooms {

  /** Module → the modules whose packages it may name. A new module needs a line here. */
  private static final Map<String, Set<String>> SEES =
      Map.of(
          "core", Set.of("core"),
          "proto", Set.of("proto"),
          "platform", Set.of("platform", "core"),
          "plugin", Set.of("plugin", "platform", "core", "proto"),
          "extender", Set.of("extender", "platform", "core"),
          "cli", Set.of("cli", "platform", "core"),
          "demo", Set.of("demo", "plugin", "extender", "platform", "core"),
          "e2e", Set.of("e2e", "demo", "cli", "plugin", "extender", "platform", "core"));

  /** A foreign library, and the only rooms that may name it: "package.Type" must match. */
  private record Room(String library, Pattern names, Pattern home) {

    Room(String library, String names, String home) {
      this(library, Pattern.compile("(?<![\\w.])(" + names + ")\\b"), Pattern.compile(home));
    }

    String remedy() {
      return "move that to " + home.pattern().replace("\\.", ".");
    }
  }

  private static final String KUBELET =
      "io\\.gpumem\\.plugin\\.kubelet\\..*|io\\.gpumem\\.plugin\\.ShareC\\w+Test";

  private static final List<Room> ROOMS =
      List.of(
          new Room("gRPC", "io\\.grpc|io\\.netty|com\\.google\\.protobuf", KUBELET),
          new Room("JNA", "com\\.sun\\.jna", "io\\.gpumem\\.plugin\\.nvml\\..*"),
          new Room(
              "the Kubernetes client",
              "io\\.fabric8",
              "io\\.gpumem\\.platform\\.cluster\\..*|.*\\.\\w*Facts(Test|Properties)?|.*\\.ApiSide"),
          new Room(
              "Jackson",
              "tools\\.jackson|com\\.fasterxml",
              "io\\.gpumem\\.(platform\\.cluster|extender\\.http|plugin\\.nvml\\.fake"
                  + "|plugin\\.kubelet|demo)\\..*"
                  + "|io\\.gpumem\\.platform\\.log\\.\\w+Test"));

  /** Shipped code that may name a fake: other fakes, the demonstration, and the wiring. */
  private static final Pattern FAKE = Pattern.compile("(?<![\\w.])io\\.gpumem(\\.\\w+)*\\.fake\\b");

  private static final Pattern KNOWS_FAKES =
      Pattern.compile(".*\\.fake\\..*|io\\.gpumem\\.demo\\..*|.*\\.(Plugin|Main)");

  private static final Pattern OURS = Pattern.compile("(?<![\\w.])io\\.gpumem\\.(\\w+)");

  private static final Pattern PROTO_PACKAGE =
      Pattern.compile(
          "(?m)^\\s*(?:option\\s+java_package\\s*=\\s*\"([\\w.]+)\"|package\\s+([\\w.]+))");

  private Rooms() {}

  static List<Violation> librariesInTheirRooms(Repository house) {
    var rooms = Stream.concat(ROOMS.stream(), contracts(house)).toList();
    var found = new ArrayList<Violation>();
    for (var file : house.java().filter(file -> !file.module().equals("proto")).toList()) {
      var code = file.code();
      for (var room : rooms) {
        if (!room.home().matcher(file.qualifiedName()).matches()) {
          var fault = room.library() + " is named here (%s)";
          found.addAll(file.matches(room.names(), code, fault, room.remedy()));
        }
      }
    }
    return found;
  }

  /** The generated packages, by the names that the .proto files give them. */
  private static Stream<Room> contracts(Repository house) {
    return house.files().stream()
        .filter(file -> file.path().endsWith(".proto"))
        .map(file -> Pattern.quote(javaPackage(file)))
        .distinct()
        .map(name -> new Room("the kubelet's contract", name, KUBELET));
  }

  private static String javaPackage(SourceFile proto) {
    var matcher = PROTO_PACKAGE.matcher(proto.text());
    var name = "";
    while (matcher.find()) {
      if (matcher.group(1) != null) {
        return matcher.group(1);
      }
      name = matcher.group(2);
    }
    if (name.isEmpty()) {
      throw new IllegalArgumentException("expected a package in " + proto.path());
    }
    return name;
  }

  static List<Violation> fakesStayOutOfShippedCode(Repository house) {
    return house
        .mainJava()
        .filter(file -> !KNOWS_FAKES.matcher(file.qualifiedName()).matches())
        .flatMap(file -> fakesIn(file).stream())
        .toList();
  }

  private static List<Violation> fakesIn(SourceFile file) {
    return file.matches(
        FAKE,
        file.code(),
        "shipped code names the fakes %s",
        "choose between fake and real in Plugin or Main");
  }

  static List<Violation> modulesLookInwards(Repository house) {
    var found = new ArrayList<Violation>();
    for (var file : house.java().filter(file -> !file.packageName().isEmpty()).toList()) {
      var sees = SEES.get(file.module());
      if (sees == null) {
        found.add(new Violation(file.path(), 1, "the module is not on the map", "add it to Rooms"));
      } else if (!(file.packageName() + ".").startsWith("io.gpumem." + file.module() + ".")) {
        var fault = "the package is not the module's own";
        found.add(new Violation(file.path(), 1, fault, "begin it with io.gpumem." + file.module()));
      } else {
        found.addAll(outwards(file, sees));
      }
    }
    return found;
  }

  private static List<Violation> outwards(SourceFile file, Set<String> sees) {
    var allowed = Pattern.compile("(?<![\\w.])io\\.gpumem\\.(" + String.join("|", sees) + ")\\b");
    var code = SourceFile.blank(allowed, file.code());
    var fault = file.module() + " names %s";
    return file.matches(OURS, code, fault, "it may only name " + new TreeSet<>(sees));
  }
}
