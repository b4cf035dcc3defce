package io.gpumem.platform.cluster.fake;

import tools.jackson.databind.node.ObjectNode;

/**
 * The API server's no, with the code, reason and text of the real one. An exception, against the
 * house rule, because a refusal anywhere below a route ends the request just so.
 */
public final class Refusal extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int code;
  private final String reason;

  Refusal(int code, String reason, String message) {
    super(message, null, false, false);
    this.code = code;
    this.reason = reason;
  }

  static Refusal badRequest(String message) {
    return new Refusal(400, "BadRequest", message);
  }

  static Refusal notFound(ObjectKey key) {
    return new Refusal(
        404, "NotFound", "%s \"%s\" not found".formatted(key.kind().qualified(), key.name()));
  }

  static Refusal unknownPath() {
    return new Refusal(404, "NotFound", "the server could not find the requested resource");
  }

  static Refusal methodNotAllowed() {
    return new Refusal(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
  }

  static Refusal alreadyExists(ObjectKey key) {
    return new Refusal(
        409,
        "AlreadyExists",
        "%s \"%s\" already exists".formatted(key.kind().qualified(), key.name()));
  }

  static Refusal conflict(String resource, String name, String why) {
    return new Refusal(
        409,
        "Conflict",
        "Operation cannot be fulfilled on %s \"%s\": %s".formatted(resource, name, why));
  }

  static Refusal modified(ObjectKey key) {
    return conflict(
        key.kind().qualified(),
        key.name(),
        "the object has been modified; please apply your changes to the latest version and try"
            + " again");
  }

  /** As etcd's storage layer words it. */
  static Refusal otherUid(ObjectKey key, String wanted, String found) {
    String path = key.namespace().isEmpty() ? key.name() : key.namespace() + "/" + key.name();
    return conflict(
        key.kind().qualified(),
        key.name(),
        ("StorageError: invalid object, Code: 4, Key: /registry/%s/%s, ResourceVersion: 0,"
                + " AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object"
                + " meta: %s")
            .formatted(key.kind().plural(), path, wanted, found));
  }

  static Refusal invalid(ResourceKind kind, String name, String why) {
    return new Refusal(
        422, "Invalid", "%s \"%s\" is invalid: %s".formatted(kind.kind(), name, why));
  }

  static Refusal expired(String message) {
    return new Refusal(410, "Expired", message);
  }

  static Refusal unsupportedMediaType(String found) {
    return new Refusal(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include:"
            + " application/merge-patch+json, but was "
            + found);
  }

  static Refusal tooLarge(int limit) {
    return new Refusal(413, "RequestEntityTooLarge", "Request entity too large: limit is " + limit);
  }

  int code() {
    return code;
  }

  ObjectNode status() {
    ObjectNode status = Json.object();
    status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
    return status
        .put("status", "Failure")
        .put("message", getMessage())
        .put("reason", reason)
        .put("code", code);
  }
}
