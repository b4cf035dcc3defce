package io.gpumem.plugin;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page on configuration is written from the option table, and says what the table says. */
class ConfigurationPageTest {

  private static final Path PAGE = Path.of("..", "docs", "configuration.md");
  private static final String BEGIN = "<!-- plugin options -->\n";
  private static final String END = "<!-- end of plugin options -->\n";

  @Test
  void saysWhatTheTableSays() throws IOException {
    String page = Files.readString(PAGE);
    String table = PluginConfig.OPTIONS.markdown();
    if ("write".equals(System.getProperty("gpumem.docs"))) {
      int from = page.indexOf(BEGIN) + BEGIN.length();
      page = page.substring(0, from) + table + page.substring(page.indexOf(END));
      Files.writeString(PAGE, page);
    }
    assertTrue(
        page.contains(BEGIN + table + END),
        "docs/configuration.md is not what the options say: run make docs");
  }
}
