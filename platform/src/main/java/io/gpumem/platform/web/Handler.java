package io.gpumem.platform.web;

/**
 * A function from a request to a response. It runs on a virtual thread of its own, beside others;
 * the server sets it no deadline and never interrupts it. What it throws becomes a 500, and the
 * server goes on.
 */
@FunctionalInterface
public interface Handler {
  Response handle(Request request) throws Exception;
}
