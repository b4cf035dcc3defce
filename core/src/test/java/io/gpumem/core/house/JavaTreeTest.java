package io.gpumem.core.house;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.house.JavaTree.Declaration;
import io.gpumem.core.house.JavaTree.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class JavaTreeTest {

  @Test
  void findsMethodsWhereverTheyHide() {
    assertEquals(
        List.of("<init>:4-4", "plain:6-12", "inAnonymous:9-9", "inConstant:15-16", "deep:20-21"),
        names(
            Kind.METHOD,
            "record Outer(int a) {",
            "  Outer { }",
            "  /** A comment is not part of it. */",
            "  @Deprecated",
            "  void plain() {",
            "    new Object() {",
            "      void inAnonymous() {}",
            "      String text = \"} void fake() {\";",
            "    }.hashCode();",
            "  }",
            "  enum Choice {",
            "    ONE {",
            "      @Override",
            "      void inConstant() {}",
            "    };",
            "    interface Shape {",
            "      record Round(Object x) implements Shape {",
            "        int deep() { return switch (x) { case Round(var y) when y == null -> 1;",
            "            default -> 2; }; }",
            "      }",
            "    }",
            "  }",
            "}"));
  }

  @Test
  void namesEveryTypeButTheAnonymous() {
    assertEquals(
        List.of("A:3-5", "B:4-4", "C:6-6", "D:7-7"),
        names(
            Kind.TYPE,
            "class A {",
            "  interface B { Object NONE = new Object() {}; }",
            "}",
            "enum C { X { } }",
            "@interface D {}"));
  }

  @Test
  void survivesWhatDoesNotParse() {
    assertEquals(List.of("A:3-5"), names(Kind.TYPE, "class A {", "  void broken( {", "}"));
  }

  private static List<String> names(Kind kind, String... lines) {
    return JavaTree.declarations(Made.main("io.gpumem.core.made", "Made.java", lines)).stream()
        .filter(it -> it.kind() == kind)
        .map(JavaTreeTest::describe)
        .toList();
  }

  private static String describe(Declaration it) {
    return it.name() + ":" + it.firstLine() + "-" + it.lastLine();
  }
}
