package io.gpumem.platform.web;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Which handler answers what. An exact path wins over prefixes, and the longest prefix over the
 * others. A handler of GET answers HEAD too. Immutable.
 */
public final class Routes {

  private static final Routes NONE = new Routes(List.of());

  private record Route(String method, String path, boolean isPrefix, Handler handler) {

    boolean takes(String wanted) {
      return isPrefix ? wanted.startsWith(path) : wanted.equals(path);
    }

    boolean isSamePlace(Route other) {
      return path.equals(other.path) && isPrefix == other.isPrefix;
    }
  }

  /** What a method and a path lead to. */
  sealed interface Match {

    record Found(Handler handler) implements Match {}

    record NoPath() implements Match {}

    /** The path is known, but only with other methods, named as the Allow header wants them. */
    record NoMethod(String allowed) implements Match {}
  }

  private final List<Route> routes;

  private Routes(List<Route> routes) {
    this.routes = routes;
  }

  public static Routes none() {
    return NONE;
  }

  /** Adds a handler for exactly this path. */
  public Routes exact(String method, String path, Handler handler) {
    return with(new Route(method, path, false, handler));
  }

  /** Adds a handler for every path that starts so. */
  public Routes prefix(String method, String path, Handler handler) {
    return with(new Route(method, path, true, handler));
  }

  /** Adds all routes of another table. */
  public Routes and(Routes other) {
    var all = this;
    for (var route : other.routes) {
      all = all.with(route);
    }
    return all;
  }

  /** The handler that answers this method and path; empty when none does. */
  public Optional<Handler> handler(String method, String path) {
    return match(method, path) instanceof Match.Found(Handler found)
        ? Optional.of(found)
        : Optional.empty();
  }

  Match match(String method, String path) {
    var taking = routes.stream().filter(route -> route.takes(path)).toList();
    if (taking.isEmpty()) {
      return new Match.NoPath();
    }
    var best = taking.getFirst();
    var here = taking.stream().filter(best::isSamePlace).toList();
    var wanted = method.equals("HEAD") ? "GET" : method;
    return here.stream()
        .filter(route -> route.method.equals(wanted))
        .<Match>map(route -> new Match.Found(route.handler))
        .findFirst()
        .orElseGet(() -> new Match.NoMethod(allowed(here)));
  }

  private static String allowed(List<Route> routes) {
    var methods = new TreeSet<String>();
    for (var route : routes) {
      methods.add(route.method);
      if (route.method.equals("GET")) {
        methods.add("HEAD");
      }
    }
    return String.join(", ", methods);
  }

  /** Keeps the routes in the order in which they win. */
  private Routes with(Route added) {
    for (var route : routes) {
      if (route.isSamePlace(added) && route.method.equals(added.method)) {
        throw new IllegalArgumentException(
            "expected each route once but was again " + added.method + " " + added.path);
      }
    }
    var all = new ArrayList<>(routes);
    all.add(added);
    all.sort(
        Comparator.comparing(Route::isPrefix)
            .thenComparing(route -> route.path.length(), Comparator.reverseOrder()));
    return new Routes(List.copyOf(all));
  }
}
