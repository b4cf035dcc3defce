package io.gpumem.platform.log;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.event.Level;

/**
 * The libraries that say too much, and the least level at which each is heard, whatever level is
 * configured. The first prefix that fits a logger's name counts.
 */
final class Quiet {

  /** netty warns of an unknown channel option for every unix socket that gRPC opens. */
  static final Map<String, Level> PREFIXES = prefixes();

  private Quiet() {}

  static Level least(String loggerName) {
    return PREFIXES.entrySet().stream()
        .filter(entry -> isUnder(loggerName, entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(Level.TRACE);
  }

  private static boolean isUnder(String name, String prefix) {
    return name.startsWith(prefix)
        && (name.length() == prefix.length() || name.charAt(prefix.length()) == '.');
  }

  private static Map<String, Level> prefixes() {
    var prefixes = new LinkedHashMap<String, Level>();
    prefixes.put("io.netty.bootstrap", Level.ERROR);
    prefixes.put("io.grpc.netty.shaded.io.netty.bootstrap", Level.ERROR);
    prefixes.put("io.netty", Level.WARN);
    prefixes.put("io.grpc", Level.WARN);
    prefixes.put("io.fabric8", Level.WARN);
    return prefixes;
  }
}
