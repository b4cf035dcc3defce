/** What it adds up to: used and free units of each device. */
@NullMarked
package io.gpumem.core.ledger;

import org.jspecify.annotations.NullMarked;
