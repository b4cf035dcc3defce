package io.gpumem.platform.fuzz.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import java.util.function.Supplier;

/** What a run is doing, for the message of a finding. Written by one thread, read after a fault. */
public final class Trace {

  /** A finding is read by a person; the whole input comes back with a replay. */
  private static final int LONGEST = 4_000;

  private volatile long run;
  private volatile Supplier<String> input = () -> "none yet";

  void begin(long number) {
    run = number;
    input = () -> "none yet";
  }

  long run() {
    return run;
  }

  String input() {
    String all = input.get();
    return all.length() <= LONGEST ? all : all.substring(0, LONGEST) + "... of " + all.length();
  }

  /** The run uses this text, for what is said before it. */
  public void input(String what, String text) {
    input = () -> printable(what, text);
  }

  private static String printable(String what, String text) {
    var printable = new StringBuilder(what).append(' ');
    for (char c : text.toCharArray()) {
      if (c >= ' ' && c < 127) {
        printable.append(c);
      } else {
        printable.append("\\u%04x".formatted((int) c));
      }
    }
    return printable.toString();
  }

  /** The run uses these bytes: as text where they are UTF-8, else in hexadecimal digits. */
  public void input(String what, byte[] bytes) {
    input = () -> printable(what, bytes);
  }

  private static String printable(String what, byte[] bytes) {
    try {
      return printable(what, UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException binary) {
      return what + " (hex) " + HexFormat.of().formatHex(bytes);
    }
  }
}
