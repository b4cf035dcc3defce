package io.gpumem.core.house;

import io.gpumem.core.house.JavaTree.Declaration;
import io.gpumem.core.house.JavaTree.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What docs/pitfalls.md promises: each known pitfall, must, failure and amendment is there once,
 * and is shown by a test method that exists, or says in one of a few words why there is none.
 */
final class ProofPage {

  private static final String PAGE = "docs/pitfalls.md";

  /** How many pitfalls of kubelet and scheduler were collected, and how many demands follow. */
  private static final int PITFALLS = 43;

  private static final int MUSTS = 11;
  private static final int FAILURES = 17;
  private static final int AMENDMENTS = 15;

  private static final Pattern HEAD = Pattern.compile("\\| no \\|.*|\\|(-+\\|)+");
  private static final Pattern ROW =
      Pattern.compile("\\| (\\S+) \\| (\\S[^|]*) \\| (\\S[^|]*) \\|");
  private static final Pattern CODE = Pattern.compile("`([^`]*)`");
  private static final Pattern PROOF = Pattern.compile("([A-Z]\\w*)\\.([a-z]\\w*)");
  private static final Pattern REASON =
      Pattern.compile("\\*(Not applicable|Not built|Real cluster|Otherwise):\\* \\S+ \\S+ \\S.*");
  private static final Pattern TEST = Pattern.compile("@(Test|ParameterizedTest|RepeatedTest)\\b");

  private ProofPage() {}

  /** One line of a table. */
  private record Row(int line, String key, String proof) {
    List<String> named() {
      return CODE.matcher(proof).results().map(found -> found.group(1)).toList();
    }

    boolean hasReason() {
      return REASON.matcher(proof).find();
    }
  }

  static List<Violation> everythingIsProvedOrExplained(Repository house) {
    var page = house.files().stream().filter(file -> file.path().equals(PAGE)).findFirst();
    if (page.isEmpty()) {
      return List.of(new Violation(PAGE, 1, "there is no such page", "write it"));
    }
    var found = new ArrayList<Violation>();
    var rows = rows(page.get(), found);
    found.addAll(wrongKeys(rows));
    var tests = testMethods(house, rows);
    for (var row : rows) {
      found.addAll(wrongProof(row, tests));
    }
    return found;
  }

  private static List<Row> rows(SourceFile page, List<Violation> found) {
    var rows = new ArrayList<Row>();
    var lines = page.lines();
    for (int i = 0; i < lines.size(); i++) {
      var line = lines.get(i);
      var row = ROW.matcher(line);
      if (!line.startsWith("|") || HEAD.matcher(line).matches()) {
        continue;
      }
      if (row.matches()) {
        rows.add(new Row(i + 1, row.group(1), row.group(3)));
      } else {
        found.add(broken(i + 1, "no row of three cells", "write | no | what | shown by |"));
      }
    }
    return rows;
  }

  private static List<Violation> wrongKeys(List<Row> rows) {
    var found = new ArrayList<Violation>();
    var missing = keys();
    var known = Set.copyOf(missing);
    for (var row : rows) {
      if (!known.contains(row.key())) {
        found.add(broken(row.line(), row.key() + " is no known number", "mend the number"));
      } else if (!missing.remove(row.key())) {
        found.add(broken(row.line(), row.key() + " is there twice", "make one row of both"));
      }
    }
    missing.forEach(key -> found.add(broken(1, "there is no row " + key, "write it")));
    return found;
  }

  private static Set<String> keys() {
    var keys = new LinkedHashSet<String>();
    numbered("", PITFALLS).forEach(keys::add);
    numbered("M", MUSTS).forEach(keys::add);
    numbered("F", FAILURES).forEach(keys::add);
    numbered("A", AMENDMENTS).forEach(keys::add);
    return keys;
  }

  private static Stream<String> numbered(String letter, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(number -> letter + number);
  }

  private static List<Violation> wrongProof(Row row, Set<String> tests) {
    var found = new ArrayList<Violation>();
    int proofs = 0;
    for (var name : row.named()) {
      if (PROOF.matcher(name).matches()) {
        proofs++;
        if (!tests.contains(name)) {
          found.add(
              broken(row.line(), "there is no test " + name, "name one that exists, or write it"));
        }
      }
    }
    if (proofs == 0 && !row.hasReason()) {
      var remedy = "name a test, or say *Not applicable:*, *Not built:* and so on with a reason";
      found.add(broken(row.line(), row.key() + " has neither test nor reason", remedy));
    }
    return found;
  }

  /** {@code Class.method} of every test method in the classes that the rows name. */
  private static Set<String> testMethods(Repository house, List<Row> rows) {
    var named = new HashSet<String>();
    for (var row : rows) {
      row.named().forEach(name -> named.add(name.replaceFirst("\\..*", ".java")));
    }
    var tests = new HashSet<String>();
    house
        .java()
        .filter(file -> !file.isMain() && named.contains(file.name()))
        .forEach(
            file ->
                house.declarations(file).stream()
                    .filter(each -> isTest(file, each))
                    .forEach(each -> tests.add(file.name().replace("java", "") + each.name())));
    return tests;
  }

  /** A declaration begins with its annotations, which come before its name. */
  private static boolean isTest(SourceFile file, Declaration declaration) {
    if (declaration.kind() != Kind.METHOD) {
      return false;
    }
    int name = file.text().indexOf(declaration.name() + "(", declaration.start());
    return name > 0 && TEST.matcher(file.text().substring(declaration.start(), name)).find();
  }

  private static Violation broken(int line, String fault, String remedy) {
    return new Violation(PAGE, line, fault, remedy);
  }
}
