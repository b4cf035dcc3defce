/** The scheduler's JSON and the pages for people: the only rooms that name Jackson. */
@NullMarked
package io.gpumem.extender.http;

import org.jspecify.annotations.NullMarked;
