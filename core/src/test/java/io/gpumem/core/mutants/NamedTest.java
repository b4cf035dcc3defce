package io.gpumem.core.mutants;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test methods, each given as {@code class#method}, in a process of its own and says by its
 * exit code how they ended. A test that broke by anything else than an assertion has not judged.
 */
final class NamedTest {

  static final int PASSED = 0;
  static final int ASSERTION_FAILED = 10;
  static final int BROKEN = 11;
  static final int NOT_FOUND = 12;

  private NamedTest() {}

  public static void main(String[] names) {
    System.exit(Arrays.stream(names).mapToInt(NamedTest::run).max().orElse(NOT_FOUND));
  }

  private static int run(String name) {
    String[] parts = name.split("#", -1);
    var results = new Results();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(parts[0]))
                .filters(new OnlyMethod(parts[1]))
                .build(),
            results);
    System.out.println(name + ": " + results);
    return results.exitCode();
  }

  /** Leaves of a class what is of one method, its invocations with parameters included. */
  private record OnlyMethod(String method) implements PostDiscoveryFilter {
    @Override
    public FilterResult apply(TestDescriptor test) {
      boolean isOther =
          test.getSource()
              .filter(MethodSource.class::isInstance)
              .map(source -> !((MethodSource) source).getMethodName().equals(method))
              .orElse(false);
      return FilterResult.includedIf(!isOther);
    }
  }

  /** What was executed, and what it died of. */
  private static final class Results implements TestExecutionListener {
    private final List<Throwable> thrown = new ArrayList<>();
    private int executed;

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      executed += test.isTest() ? 1 : 0;
      result.getThrowable().ifPresent(thrown::add);
    }

    int exitCode() {
      if (thrown.isEmpty()) {
        return executed == 0 ? NOT_FOUND : PASSED;
      }
      return thrown.stream().anyMatch(AssertionError.class::isInstance) ? ASSERTION_FAILED : BROKEN;
    }

    @Override
    public String toString() {
      return executed + " executed, thrown " + thrown;
    }
  }
}
