package io.gpumem.platform.options;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The table of a program's options. A flag wins over the environment, which wins over the default;
 * an empty environment variable counts as not set, because templates write those. Whatever is left
 * over, a flag or a variable that starts with {@code GPUMEM_} and is no option, stops the start: a
 * misspelt option that is silently ignored is found in production. Immutable.
 */
public final class Options {

  private final List<Option<?>> options;
  private final Map<String, String> removed;
  private final List<Function<Values, Optional<String>>> rules;

  private Options(
      List<Option<?>> options,
      Map<String, String> removed,
      List<Function<Values, Optional<String>>> rules) {
    this.options = options;
    this.removed = removed;
    this.rules = rules;
  }

  /** A table in the order in which it is shown. Two options of one name are a bug and throw. */
  public static Options of(List<? extends Option<?>> options) {
    var names = new LinkedHashSet<String>();
    for (var option : options) {
      if (!names.add(option.flag()) || option.flag().equals("--help")) {
        throw new IllegalArgumentException("expected each option once but was " + option.flag());
      }
    }
    return new Options(List.copyOf(options), Map.of(), List.of());
  }

  /**
   * Remembers an option that is no more, flag and variable, so that a start with it is refused.
   *
   * @param instead completes the sentence "it was removed: ..." with what to do
   */
  public Options removed(String flag, String instead) {
    var more = new LinkedHashMap<>(removed);
    more.put(flag, instead);
    return new Options(options, more, rules);
  }

  /**
   * Adds a rule over several options: a sentence for values that don't go together, else empty. It
   * is asked only when each option by itself is good.
   */
  public Options rule(Function<Values, Optional<String>> rule) {
    var more = new ArrayList<>(rules);
    more.add(rule);
    return new Options(options, removed, List.copyOf(more));
  }

  /** Reads the configuration. Pure. */
  public Parsed parse(List<String> args, Map<String, String> env) {
    if (args.contains("--help") || args.contains("-h")) {
      return new Parsed.HelpAsked();
    }
    var problems = new ArrayList<String>();
    var flags = new CommandLine(options, this::unknown).read(args, problems);
    refuseUnknownVariables(env, problems);
    var values = new ArrayList<Values.Value>();
    for (var option : options) {
      value(option, flags, env, problems).ifPresent(values::add);
    }
    if (!problems.isEmpty()) {
      return new Parsed.Problems(problems);
    }
    var all = new Values(values);
    rules.forEach(rule -> rule.apply(all).ifPresent(problems::add));
    return problems.isEmpty() ? all : new Parsed.Problems(problems);
  }

  /** What {@code --help} prints. */
  public String help(String program) {
    var out = new StringBuilder("usage: " + program + " [--option=value ...]\n\n");
    for (var option : options) {
      out.append(option.flag()).append("  (").append(option.env()).append(")\n    ");
      out.append(option.help()).append("\n    ").append(option.parser().form());
      out.append("; ").append(defaultSentence(option)).append('\n');
    }
    return out.append("\nA flag wins over the environment, which wins over the default.\n")
        .toString();
  }

  /** The table as Markdown, for the page on configuration. */
  public String markdown() {
    var rows =
        options.stream()
            .map(option -> "| " + String.join(" | ", cells(option)) + " |\n")
            .collect(Collectors.joining());
    return "| Flag | Environment | Value | Default | Meaning |\n| --- | --- | --- | --- | --- |\n"
        + rows;
  }

  private static List<String> cells(Option<?> option) {
    var ifMissing = option.defaultText().map(text -> text.isEmpty() ? "none" : "`" + text + "`");
    return List.of(
        "`" + option.flag() + "`",
        "`" + option.env() + "`",
        option.parser().form().replace("|", "\\|"),
        ifMissing.orElse("must be given").replace("|", "\\|"),
        option.help().replace("|", "\\|"));
  }

  private static String defaultSentence(Option<?> option) {
    return option
        .defaultText()
        .map(text -> text.isEmpty() ? "no default" : "default " + text)
        .orElse("must be given");
  }

  private <T> Optional<Values.Value> value(
      Option<T> option, Map<String, String> flags, Map<String, String> env, List<String> problems) {
    var flag = flags.get(option.flag());
    var variable = env.getOrDefault(option.env(), "");
    if (flag != null) {
      return read(option, flag, Source.FLAG, option.flag(), problems);
    } else if (!variable.isEmpty()) {
      return read(option, variable, Source.ENV, option.env(), problems);
    } else if (option.defaultText().isPresent()) {
      return read(option, option.defaultText().get(), Source.DEFAULT, option.flag(), problems);
    }
    problems.add(
        option.flag() + " (or " + option.env() + ") must be given, " + option.parser().form());
    return Optional.empty();
  }

  private static <T> Optional<Values.Value> read(
      Option<T> option, String text, Source source, String where, List<String> problems) {
    return switch (option.parser().parse(text)) {
      case Reading.Good<T>(T value) ->
          Optional.of(new Values.Value(option, text, (Object) value, source));
      case Reading.Bad<T>(String problem) -> {
        var shown = option.secret() ? "expected " + option.parser().form() : problem;
        problems.add(where + ": " + shown);
        yield Optional.empty();
      }
    };
  }

  private void refuseUnknownVariables(Map<String, String> env, List<String> problems) {
    var known = options.stream().map(Option::env).collect(Collectors.toSet());
    env.keySet().stream()
        .filter(name -> name.startsWith(Option.ENV_PREFIX) && !known.contains(name))
        .filter(name -> !ServiceLinks.contain(env, name))
        .sorted()
        .map(this::unknownVariable)
        .forEach(problems::add);
  }

  private String unknown(String flag) {
    return unknown(flag, removed, options.stream().map(Option::flag).collect(Collectors.toSet()));
  }

  private String unknownVariable(String name) {
    var gone =
        removed.entrySet().stream()
            .collect(Collectors.toMap(entry -> Option.envOf(entry.getKey()), Map.Entry::getValue));
    return unknown(name, gone, options.stream().map(Option::env).collect(Collectors.toSet()));
  }

  private static String unknown(String name, Map<String, String> gone, Set<String> known) {
    var instead = gone.get(name);
    if (instead != null) {
      return name + " was removed: " + instead;
    }
    return name
        + " is no option; "
        + Nearest.of(name, known)
            .map(near -> "did you mean " + near + "?")
            .orElse("--help lists all options");
  }
}
