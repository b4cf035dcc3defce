@NullMarked
package io.gpumem.demo;

import org.jspecify.annotations.NullMarked;
