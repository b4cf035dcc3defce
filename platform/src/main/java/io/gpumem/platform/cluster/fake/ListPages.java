package io.gpumem.platform.cluster.fake;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lists in pages. Later pages show the revision of the first, as a real server's continue token
 * makes them; so what is left of a list is kept until it is asked for or forgotten. Any thread.
 */
final class ListPages {

  /** Lists begun and not ended; the oldest is forgotten, and its token is then too old. */
  private static final int OPEN_LISTS = 200;

  private final Map<String, Rest> open = new LinkedHashMap<>();
  private long tokens;

  private record Rest(long revision, List<ObjectNode> objects) {}

  synchronized ObjectNode first(
      ResourceKind kind, long revision, List<ObjectNode> objects, int limit) {
    return page(kind, new Rest(revision, objects), limit);
  }

  synchronized ObjectNode next(ResourceKind kind, String token, int limit) {
    Rest rest = open.remove(token);
    if (rest == null) {
      throw Refusal.expired(
          "The provided continue parameter is too old to display a consistent list result. You can"
              + " start a new list without the continue parameter.");
    }
    return page(kind, rest, limit);
  }

  synchronized void forget() {
    open.clear();
  }

  private ObjectNode page(ResourceKind kind, Rest rest, int limit) {
    int size = limit == 0 ? rest.objects().size() : Math.min(limit, rest.objects().size());
    ObjectNode list = Json.object();
    list.put("kind", kind.kind() + "List").put("apiVersion", kind.apiVersion());
    ObjectNode metadata = list.putObject("metadata");
    metadata.put("resourceVersion", Long.toString(rest.revision()));
    if (size < rest.objects().size()) {
      String token = "list-" + ++tokens;
      List<ObjectNode> left = rest.objects().subList(size, rest.objects().size());
      open.put(token, new Rest(rest.revision(), left));
      if (open.size() > OPEN_LISTS) {
        open.remove(open.keySet().iterator().next());
      }
      metadata.put("continue", token);
    }
    ArrayNode items = list.putArray("items");
    for (ObjectNode object : rest.objects().subList(0, size)) {
      ObjectNode item = object.deepCopy();
      // As on the wire of the real server: the list says the kind, its items don't.
      item.remove("kind");
      item.remove("apiVersion");
      items.add(item);
    }
    return list;
  }
}
