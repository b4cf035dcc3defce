package io.gpumem.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-1.5e+30",
        "\"\"",
        "{\"a\":{\"b\":[1,\"x\",null,true]},\"c\":[]}",
        "\"\\\"\\\\\\n\\r\\t\\u0001\"",
        "\"é 漢 🙂\""
      })
  void writesBackWhatItRead(String text) throws Json.Malformed {
    assertEquals(text, Json.write(Json.parse(text)));
  }

  @Test
  void readsBlanksAndEscapes() throws Json.Malformed {
    assertEquals(
        new Json.Arr(List.of(new Json.Text("a/\b\f\n\r\té漢"), new Json.Num("1"))),
        Json.parse(" [ \"a\\/\\b\\f\\n\\r\\t\\u00e9\\u6F22\" ,\r\n\t1 ] "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "}",
        "[",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":1 \"b\":2}",
        "nul",
        "True",
        "NaN",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "0x1",
        "--1",
        "\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u００４１\"",
        "\"a\nb\"",
        "\u00a01",
        "1\u0000",
        "1 2",
        "{} {}",
        "// c\n1"
      })
  void refusesWhatIsNotOneValue(String text) {
    assertThrows(Json.Malformed.class, () -> Json.parse(text));
  }

  @Test
  void refusesAKeyTwice() {
    var twice = assertThrows(Json.Malformed.class, () -> Json.parse("{\"a\":1,\"a\":1}"));
    assertEquals("key \"a\" twice at character 12", twice.getMessage());
    assertThrows(Json.Malformed.class, () -> Json.parse("{\"a\":null,\"\\u0061\":null}"));
  }

  @Test
  void saysWhere() {
    var wrong = assertThrows(Json.Malformed.class, () -> Json.parse("[1, x]"));
    assertEquals("expected a value at character 4", wrong.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"[,]", "'{\"a\":','}'"})
  void boundsTheDepth(String open, String close) throws Json.Malformed {
    String bearable = open.repeat(32) + "1" + close.repeat(32);
    assertEquals(bearable, Json.write(Json.parse(bearable)));
    assertThrows(Json.Malformed.class, () -> Json.parse(open.repeat(33) + "1" + close.repeat(33)));
    assertThrows(Json.Malformed.class, () -> Json.parse(open.repeat(100_000)));
  }

  @Test
  void boundsTheSize() throws Json.Malformed {
    int longest = 1 << 20;
    String digits = "1".repeat(longest);
    assertEquals(digits, Json.write(Json.parse(digits)));
    assertThrows(Json.Malformed.class, () -> Json.parse(digits + " "));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0, 0",
    "9223372036854775807, 9223372036854775807",
    "-9223372036854775808, -9223372036854775808"
  })
  void readsWholeNumbers(String text, long number) throws Json.Malformed {
    assertEquals(OptionalLong.of(number), whole(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1.0", "1e2", "9223372036854775808", "18446744073709551617", "\"1\"", "null"})
  void takesNothingElseForAWholeNumber(String text) throws Json.Malformed {
    assertEquals(OptionalLong.empty(), whole(text));
  }

  private static OptionalLong whole(String text) throws Json.Malformed {
    return ((Json.Obj) Json.parse("{\"n\":" + text + "}")).whole("n");
  }

  @Test
  void survivesHalfACharacter() throws Json.Malformed {
    String half = "\"\ud83d\"";
    assertEquals(half, Json.write(Json.parse(half)));
    assertEquals(half, Json.write(Json.parse("\"\\ud83d\"")));
  }
}
