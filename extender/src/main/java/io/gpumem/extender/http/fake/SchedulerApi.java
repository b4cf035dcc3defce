package io.gpumem.extender.http.fake;

import java.io.IOException;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The little that the stand-in scheduler needs of an API server. An {@link IOException} is an
 * answer that was no success, or none; the scheduler then tries again later.
 */
public interface SchedulerApi {

  /** Every pod of every namespace, as it is now. */
  List<JsonNode> pods() throws IOException, InterruptedException;

  /** Every node, as it is now. */
  List<JsonNode> nodes() throws IOException, InterruptedException;

  /** A merge patch of a pod's status. */
  void patchStatus(String namespace, String name, ObjectNode patch)
      throws IOException, InterruptedException;

  /** Binds a pod that no extender is interested in. */
  void bind(String namespace, String name, String uid, String node)
      throws IOException, InterruptedException;
}
