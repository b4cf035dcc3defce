package io.gpumem.platform.cluster.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

final class SelectorsTest {

  private static final ObjectNode POD =
      Json.parse(
          """
          {"metadata":{"name":"p","namespace":"ns","labels":{"app":"x","tier/y":"","n":"1"}},
           "spec":{"nodeName":"n1"},"status":{"phase":"Running"}}
          """);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "app            | true",
        "absent         | false",
        "!absent        | true",
        "!app           | false",
        "app=x          | true",
        "app==x         | true",
        "app=y          | false",
        "app!=y         | true",
        "app!=x         | false",
        "absent!=x      | true",
        "absent=        | false",
        "tier/y=        | true",
        "app=x,n=1      | true",
        "app=x,n=2      | false",
        "app in (y, x)  | true",
        "app in (y,z),n | false",
        "app notin (y)  | true",
        "absent notin (y) | true",
        "absent in (y)  | false",
        "''             | true",
      })
  void selectsByLabel(String selector, boolean matches) {
    assertEquals(matches, Selectors.labels(selector).test(POD));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spec.nodeName=n1                                   | true",
        "spec.nodeName=                                     | false",
        "metadata.name=p,metadata.namespace=ns              | true",
        "metadata.name!=p                                   | false",
        "status.phase!=Succeeded,status.phase!=Failed       | true",
        "status.phase!=Running,status.phase!=Failed         | false",
      })
  void selectsByField(String selector, boolean matches) {
    assertEquals(matches, Selectors.fields(ResourceKind.PODS, selector).test(POD));
  }

  @ParameterizedTest
  @ValueSource(strings = {"spec.hostNetwork=true", "involvedObject.name=x", "nodeName"})
  void refusesFieldsThatTheRealServerDoesNotIndex(String selector) {
    assertThrows(Refusal.class, () -> Selectors.fields(ResourceKind.PODS, selector));
  }

  @Test
  void refusesLabelTermsItCannotRead() {
    assertThrows(Refusal.class, () -> Selectors.labels("a b"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":\"b\"}         | {\"a\":\"c\"}           | {\"a\":\"c\"}",
        "{\"a\":\"b\"}         | {\"b\":\"c\"}           | {\"a\":\"b\",\"b\":\"c\"}",
        "{\"a\":\"b\"}         | {\"a\":null}            | {}",
        "{\"a\":[\"b\"]}       | {\"a\":\"c\"}           | {\"a\":\"c\"}",
        "{\"a\":{\"b\":\"c\"}} | {\"a\":{\"b\":\"d\",\"c\":null}} | {\"a\":{\"b\":\"d\"}}",
        "{\"a\":[1,2]}         | {\"a\":[3]}             | {\"a\":[3]}",
        "{\"a\":1}             | {\"a\":{\"bb\":{\"ccc\":null}}} | {\"a\":{\"bb\":{}}}",
      })
  void mergesAsRfc7386Says(String target, String patch, String result) {
    assertEquals(Json.parse(result), MergePatch.applied(Json.parse(target), Json.parse(patch)));
  }
}
