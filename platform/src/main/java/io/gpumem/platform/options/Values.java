package io.gpumem.platform.options;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/** The effective configuration: a value for every option. Immutable. */
public final class Values implements Parsed {

  private static final String HIDDEN = "(hidden)";

  /** One option's text, value and source. */
  record Value(Option<?> option, String text, Object value, Source source) {}

  /**
   * One line of what is shown: secrets are hidden.
   *
   * @param name the option's flag without its dashes
   */
  public record Row(String name, String text, Source source) {}

  private final Map<String, Value> values;

  Values(List<Value> values) {
    this.values = new LinkedHashMap<>();
    values.forEach(value -> this.values.put(value.option.flag(), value));
  }

  /** The option's value. Asking for an option of another table is a bug and throws. */
  public <T> T get(Option<T> option) {
    var value = found(option);
    @SuppressWarnings("unchecked") // The value was read by this very option's parser.
    T typed = (T) value.value;
    return typed;
  }

  /** Where the option's value came from. */
  public Source source(Option<?> option) {
    return found(option).source;
  }

  /** All options in the table's order, to be logged as fields. */
  public List<Row> rows() {
    return values.values().stream().map(Values::row).toList();
  }

  /** All options as lines of aligned columns: name, value, source. */
  public String table() {
    var rows = new ArrayList<>(rows());
    int names = rows.stream().mapToInt(row -> row.name.length()).max().orElse(0);
    int texts = rows.stream().mapToInt(row -> row.text.length()).max().orElse(0);
    var out = new StringBuilder();
    for (var row : rows) {
      out.append(pad(row.name, names)).append("  ").append(pad(row.text, texts)).append("  ");
      out.append(Parsers.format(row.source)).append('\n');
    }
    return out.toString();
  }

  /** Logs one line for each option, so that each is a field of its own for whoever searches. */
  public void log(Logger log) {
    for (var row : rows()) {
      log.atInfo()
          .addKeyValue("option", row.name)
          .addKeyValue("value", row.text)
          .addKeyValue("from", Parsers.format(row.source))
          .log("configuration");
    }
  }

  private static Row row(Value value) {
    boolean hide = value.option.secret() && !value.text.isEmpty();
    return new Row(value.option.name(), hide ? HIDDEN : value.text, value.source);
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(width - text.length());
  }

  private Value found(Option<?> option) {
    var value = values.get(option.flag());
    if (value == null || !value.option.equals(option)) {
      throw new IllegalArgumentException("expected an option of this table but was " + option);
    }
    return value;
  }
}
