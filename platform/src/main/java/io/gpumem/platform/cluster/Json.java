package io.gpumem.platform.cluster;

import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The JSON reader of this package: several values may follow one another in a stream. */
final class Json {

  static final JsonMapper MAPPER =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private Json() {}
}
