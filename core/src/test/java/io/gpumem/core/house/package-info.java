/** The rules of the house, read from the sources of every module and enforced as tests. */
@NullMarked
package io.gpumem.core.house;

import org.jspecify.annotations.NullMarked;
