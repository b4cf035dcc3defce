package io.gpumem.bench.figures;

import java.util.ArrayList;
import java.util.List;

/** One table of the report, in Markdown, with a line above that says what it shows. */
public final class Table {

  private final String title;
  private final String about;
  private final List<String> heads;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * @param about how it was measured, in sentences
   */
  public Table(String title, String about, String... heads) {
    this.title = title;
    this.about = about;
    this.heads = List.of(heads);
  }

  /** Adds a row with a cell for each head. */
  public void row(String... cells) {
    if (cells.length != heads.size()) {
      throw new IllegalArgumentException(
          "expected " + heads.size() + " cells but was " + List.of(cells));
    }
    rows.add(List.of(cells));
  }

  String markdown() {
    StringBuilder text = new StringBuilder();
    text.append("\n## ").append(title).append("\n\n").append(about).append("\n\n");
    line(heads, text);
    line(heads.stream().map(head -> "---").toList(), text);
    rows.forEach(row -> line(row, text));
    return text.toString();
  }

  private static void line(List<String> cells, StringBuilder text) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }
}
