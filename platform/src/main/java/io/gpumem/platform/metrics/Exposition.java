package io.gpumem.platform.metrics;

/** All metrics as Prometheus reads them, and the content type to send with them. */
public record Exposition(String contentType, String text) {}
