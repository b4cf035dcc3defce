/**
 * Mutants: small patches that break a must each, kept so that the tests which notice them go on
 * noticing.
 */
@NullMarked
package io.gpumem.core.mutants;

import org.jspecify.annotations.NullMarked;
