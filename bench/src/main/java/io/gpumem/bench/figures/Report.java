package io.gpumem.bench.figures;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Where the tables go: the console as they come, and a file that has them all. */
public final class Report {

  private final PrintStream console;
  private final Path file;

  private Report(PrintStream console, Path file) {
    this.console = console;
    this.file = file;
  }

  /** Begins the file anew with this heading. */
  public static Report begin(PrintStream console, Path file, String heading) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(file, "");
    Report report = new Report(console, file);
    report.write(heading + "\n");
    return report;
  }

  public void add(Table table) throws IOException {
    write(table.markdown());
  }

  /** Tells who waits what is going on; it is no part of the report. */
  public void progress(String what) {
    console.println("... " + what);
    console.flush();
  }

  private void write(String text) throws IOException {
    console.print(text);
    console.flush();
    Files.writeString(file, text, StandardOpenOption.APPEND);
  }
}
