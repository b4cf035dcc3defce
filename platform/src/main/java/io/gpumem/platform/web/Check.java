package io.gpumem.platform.web;

import java.util.function.Supplier;

/**
 * A question that a probe asks.
 *
 * @param health answers at once, from what is known; it waits for nothing
 */
public record Check(String name, Supplier<Health> health) {}
