package io.gpumem.platform.options;

import java.util.List;

/** What a command line and an environment came to. */
public sealed interface Parsed permits Values, Parsed.Problems, Parsed.HelpAsked {

  /** The start must be refused, with all of these sentences, each with what to do. */
  record Problems(List<String> sentences) implements Parsed {
    public Problems {
      sentences = List.copyOf(sentences);
    }
  }

  /** {@code --help} or {@code -h} was given; whatever else is wrong does not matter then. */
  record HelpAsked() implements Parsed {}
}
