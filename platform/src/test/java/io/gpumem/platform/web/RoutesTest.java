package io.gpumem.platform.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class RoutesTest {

  private static final Handler EXACT = request -> Response.text(200, "exact");
  private static final Handler SHORT = request -> Response.text(200, "short");
  private static final Handler LONG = request -> Response.text(200, "long");
  private static final Handler POST = request -> Response.text(200, "post");

  private final Routes routes =
      Routes.none()
          .prefix("GET", "/debug/", SHORT)
          .prefix("GET", "/debug/pods/", LONG)
          .exact("POST", "/debug/pods/a", POST)
          .exact("GET", "/debug/pods/a", EXACT);

  @Test
  void prefersTheExactPathThenTheLongestPrefix() {
    assertEquals(new Routes.Match.Found(EXACT), routes.match("GET", "/debug/pods/a"));
    assertEquals(new Routes.Match.Found(LONG), routes.match("GET", "/debug/pods/b"));
    assertEquals(new Routes.Match.Found(SHORT), routes.match("GET", "/debug/nodes"));
    assertEquals(new Routes.Match.NoPath(), routes.match("GET", "/debug"));
  }

  @Test
  void answersHeadWhereverItAnswersGet() {
    assertEquals(new Routes.Match.Found(SHORT), routes.match("HEAD", "/debug/x"));
    assertEquals(
        new Routes.Match.NoMethod("POST"),
        Routes.none().exact("POST", "/a", POST).match("HEAD", "/a"));
  }

  @Test
  void namesTheMethodsThatAPathTakes() {
    assertEquals(
        new Routes.Match.NoMethod("GET, HEAD, POST"), routes.match("PUT", "/debug/pods/a"));
  }

  @Test
  void refusesTheSameRouteTwice() {
    assertThrows(
        IllegalArgumentException.class,
        () -> routes.and(Routes.none().exact("GET", "/debug/pods/a", SHORT)));
  }
}
