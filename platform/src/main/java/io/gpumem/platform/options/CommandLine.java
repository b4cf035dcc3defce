package io.gpumem.platform.options;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Splits arguments into flags and their texts. */
final class CommandLine {

  private final Map<String, Option<?>> options;
  private final UnaryOperator<String> unknown;

  /**
   * @param unknown makes the sentence that refuses a flag which is no option
   */
  CommandLine(List<Option<?>> options, UnaryOperator<String> unknown) {
    this.options = options.stream().collect(Collectors.toMap(Option::flag, option -> option));
    this.unknown = unknown;
  }

  /** The texts by flag; whatever can't be taken adds a sentence to the problems. */
  Map<String, String> read(List<String> args, List<String> problems) {
    var texts = new LinkedHashMap<String, String>();
    for (int at = 0; at < args.size(); at++) {
      var arg = args.get(at);
      int equals = arg.indexOf('=');
      var flag = equals < 0 ? arg : arg.substring(0, equals);
      var option = options.get(flag);
      if (option == null) {
        problems.add(refusal(arg, flag));
        // Its value, if the next argument is one, would only be refused a second time.
        at += equals < 0 && flag.startsWith("--") && isValue(args, at + 1) ? 1 : 0;
        continue;
      }
      String text;
      if (equals >= 0) {
        text = arg.substring(equals + 1);
      } else if (option.isSwitch()) {
        text = "true";
      } else if (isValue(args, at + 1)) {
        text = args.get(++at);
      } else {
        problems.add(flag + " needs a value, " + option.parser().form() + ": " + flag + "=...");
        continue;
      }
      if (texts.put(flag, text) != null) {
        problems.add(flag + " is given twice; give it once");
      }
    }
    return texts;
  }

  private String refusal(String arg, String flag) {
    if (flag.startsWith("--") && flag.length() > 2) {
      return unknown.apply(flag);
    }
    return "\"" + arg + "\" is no flag; options are --name=value, a switch is off by --name=false";
  }

  private static boolean isValue(List<String> args, int at) {
    return at < args.size() && !args.get(at).startsWith("--");
  }
}
