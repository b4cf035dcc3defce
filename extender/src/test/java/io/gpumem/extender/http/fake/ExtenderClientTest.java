package io.gpumem.extender.http.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.extender.http.fake.ExtenderClient.ExtenderException;
import io.gpumem.platform.life.fake.RecordedFaults;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.time.SystemTime;
import io.gpumem.platform.web.Response;
import io.gpumem.platform.web.Routes;
import io.gpumem.platform.web.WebMetrics;
import io.gpumem.platform.web.WebServer;
import io.gpumem.platform.web.WebSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ExtenderClientTest {

  private final RecordedFaults faults = new RecordedFaults();
  private final SystemTime time = new SystemTime(faults);
  private volatile String seen = "";
  private volatile Response answer = Response.json(200, "{}");
  private WebServer server;
  private ExtenderClient client;

  private static JsonNode pod() {
    return JsonMapper.builder()
        .build()
        .readTree(
            """
            {"kind":"Pod","apiVersion":"v1",
             "metadata":{"name":"a","managedFields":[{"manager":"kubectl"}]}}
            """);
  }

  @BeforeEach
  void serve() throws Exception {
    Routes routes = Routes.none();
    for (String verb : List.of("/filter", "/prioritize", "/bind")) {
      routes =
          routes.exact(
              "POST",
              verb,
              request -> {
                seen = request.text();
                return answer;
              });
    }
    var listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var metrics = new WebMetrics(new Metrics());
    server = new WebServer(WebSettings.defaults(listen), routes, time, metrics);
    server.start();
    client =
        new ExtenderClient(URI.create("http://127.0.0.1:" + server.port()), Duration.ofSeconds(5));
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.stop();
    time.close();
    faults.close();
  }

  @Test
  void sendsTheGoTypesNamesWithNullsAndWithoutKind() throws Exception {
    answer = Response.json(200, "{\"NodeNames\":[\"n1\"]}");
    client.filter(pod(), List.of("n1", "n2"));
    assertEquals(
        "{\"Pod\":{\"metadata\":{\"name\":\"a\"}},\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\"]}",
        seen);
  }

  @Test
  void readsAnswersInAnyCase() throws Exception {
    answer = Response.json(200, "{\"nodenames\":[\"n1\"],\"failednodes\":{\"n2\":\"why\"}}");
    assertEquals(
        new ExtenderClient.Answer(List.of("n1"), Map.of("n2", "why")),
        client.filter(pod(), List.of("n1", "n2")));
  }

  @Test
  void takesAnAnswerWithoutNamesForNoNode() throws Exception {
    answer = Response.json(200, "{\"NodeNames\":null,\"Nodes\":null}");
    assertEquals(List.of(), client.filter(pod(), List.of("n1")).passed());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"NodeNames\":[\"other\"]}", "{\"Error\":\"no\"}", "not json", "{\"NodeNames\""})
  void refusesAWrongAnswer(String body) {
    answer = Response.json(200, body);
    assertThrows(ExtenderException.class, () -> client.filter(pod(), List.of("n1")));
  }

  @ParameterizedTest
  @ValueSource(ints = {201, 204, 400, 500, 503})
  void readsOnlyA200(int status) {
    answer = Response.json(status, "{\"NodeNames\":[\"n1\"]}");
    var refused = assertThrows(ExtenderException.class, () -> client.filter(pod(), List.of("n1")));
    assertTrue(String.valueOf(refused.getMessage()).contains("code " + status));
  }

  @Test
  void ignoresScoresThatAreNoWholeNumbers() throws Exception {
    answer = Response.json(200, "[{\"Host\":\"n1\",\"Score\":7}]");
    assertEquals(Map.of("n1", 7L), client.prioritize(pod(), List.of("n1")));
    answer = Response.json(200, "[{\"Host\":\"n1\",\"Score\":7.5}]");
    assertEquals(Map.of(), client.prioritize(pod(), List.of("n1")));
    answer = Response.json(500, "[]");
    assertEquals(Map.of(), client.prioritize(pod(), List.of("n1")));
  }
}
