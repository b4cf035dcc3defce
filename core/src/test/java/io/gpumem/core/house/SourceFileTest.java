package io.gpumem.core.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SourceFileTest {

  @Test
  void blanksCommentsAndLiteralsAndKeepsTheLines() {
    var text =
        "int a; // \"x\n/* b\n' */ char c = '\"'; int d;\n"
            + "String e = \"/* \\\" */\"; int f;\nString g = \"\"\"\n  \" // h\n  \\\"\"\" '\n  \"\"\"; int i;\n";
    assertEquals(
        "int a;  \n \n  char c =  ; int d;\nString e =  ; int f;\nString g =  \n \n \n ; int i;\n",
        new SourceFile("Made.java", text).code());
  }

  @Test
  void readsModuleTreeAndPackageFromThePath() {
    var main = new SourceFile("core/src/main/java/io/gpumem/core/units/Memory.java", "");
    assertEquals("core", main.module());
    assertEquals("io.gpumem.core.units.Memory", main.qualifiedName());
    assertTrue(main.isMain());
    var descriptor = new SourceFile("core/src/main/java/module-info.java", "");
    assertEquals("", descriptor.packageName());
    assertTrue(descriptor.isMain());
    var generated = new SourceFile("proto/target/generated/Api.java", "");
    assertFalse(generated.isMain());
  }
}
