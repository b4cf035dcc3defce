/** What is measured on single methods, by JMH. */
@NullMarked
package io.gpumem.bench.method;

import org.jspecify.annotations.NullMarked;
