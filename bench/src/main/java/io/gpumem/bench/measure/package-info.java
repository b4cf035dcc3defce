/** What is measured on whole processes. */
@NullMarked
package io.gpumem.bench.measure;

import org.jspecify.annotations.NullMarked;
