package io.gpumem.core.wire;

import java.util.Iterator;
import java.util.Map;

/** Writes JSON without blanks, so that one value has one text. */
final class JsonWriter {

  private JsonWriter() {}

  static void write(Json value, StringBuilder out) {
    switch (value) {
      case Json.Obj(Map<String, Json> fields) -> writeObject(fields, out);
      case Json.Arr(var items) -> {
        out.append('[');
        for (Iterator<Json> each = items.iterator(); each.hasNext(); ) {
          write(each.next(), out);
          out.append(each.hasNext() ? "," : "");
        }
        out.append(']');
      }
      case Json.Text(String text) -> writeString(text, out);
      case Json.Num(String text) -> out.append(text);
      case Json.Bool(boolean bool) -> out.append(bool);
      case Json.Null() -> out.append("null");
    }
  }

  private static void writeObject(Map<String, Json> fields, StringBuilder out) {
    out.append('{');
    for (Iterator<Map.Entry<String, Json>> each = fields.entrySet().iterator(); each.hasNext(); ) {
      Map.Entry<String, Json> field = each.next();
      writeString(field.getKey(), out);
      out.append(':');
      write(field.getValue(), out);
      out.append(each.hasNext() ? "," : "");
    }
    out.append('}');
  }

  private static void writeString(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
