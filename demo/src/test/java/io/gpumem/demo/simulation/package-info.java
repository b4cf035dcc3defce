/** Tests of the simulation, and what it says of the system. */
package io.gpumem.demo.simulation;
