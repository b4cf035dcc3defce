package io.gpumem.demo.simulation;

import io.gpumem.platform.log.LogFormat;
import io.gpumem.platform.log.Logging;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.slf4j.event.Level;

/**
 * Plays worlds from seeds: {@code make sim SEEDS=10000 FIRST=0}. With {@code MOVES} one seed's
 * first moves only, and its trace.
 */
public final class Main {

  private static final InstantSource SYSTEM = InstantSource.system();
  private static final int EVERY = 500;
  private static final int BAD_USAGE = 2;

  private Main() {}

  /**
   * @param args how many seeds, the first, and how many moves; the last may be missing
   */
  public static void main(String[] args) {
    if (args.length < 2 || args.length > 3) {
      System.err.println("expected: number of seeds, first seed, and perhaps a number of moves");
      System.exit(BAD_USAGE);
    }
    // What the processes of a world log is in no clock's order; the trace is.
    Logging.configure(LogFormat.TEXT, Level.ERROR, OutputStream.nullOutputStream(), SYSTEM);
    long seeds = Long.parseLong(args[0]);
    long first = Long.parseLong(args[1]);
    int code = args.length == 3 ? replay(first, Integer.parseInt(args[2])) : play(seeds, first);
    System.exit(code);
  }

  private static int replay(long seed, int moves) {
    Run.Result result = Run.prefix(seed, moves);
    result.trace().forEach(System.out::println);
    System.out.println("faults " + result.faults());
    result.wrong().forEach(line -> System.out.println("WRONG " + line));
    return result.isWell() ? 0 : 1;
  }

  private static int play(long seeds, long first) {
    long failed = 0;
    long events = 0;
    long refused = 0;
    Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    long begun = System.nanoTime();
    for (long seed = first; seed < first + seeds; seed++) {
      Run.Result result = Run.whole(seed);
      events += result.events();
      refused += result.refused();
      result.faults().forEach(fault -> faults.merge(fault, 1, Integer::sum));
      if (!result.isWell()) {
        failed++;
        System.out.println(report(result));
      }
      long done = seed - first + 1;
      if (done % EVERY == 0 || done == seeds) {
        long seconds = (System.nanoTime() - begun) / 1_000_000_000L;
        System.out.printf("%d seeds, %d failed, %d events, %d s%n", done, failed, events, seconds);
      }
    }
    System.out.println("worlds with each fault: " + faults);
    System.out.println("pods refused at admission, all of them cleanly: " + refused);
    return failed == 0 ? 0 : 1;
  }

  /** What somebody needs to see it again. */
  static String report(Run.Result failing) {
    Run.Result shortest = Run.shortest(failing);
    List<String> trace = shortest.trace();
    List<String> end = trace.subList(Math.max(0, trace.size() - 60), trace.size());
    return "seed %d fails with %s%n  %s%n%s%nagain: make sim FIRST=%d MOVES=%d"
        .formatted(
            shortest.seed(),
            shortest.faults(),
            String.join(System.lineSeparator() + "  ", shortest.wrong()),
            String.join(System.lineSeparator(), end),
            shortest.seed(),
            shortest.moves());
  }
}
