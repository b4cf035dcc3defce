/** A small HTTP server: a handler is a function from a request to a response. */
@NullMarked
package io.gpumem.platform.web;

import org.jspecify.annotations.NullMarked;
