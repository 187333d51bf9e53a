/**
 * The transport as pure state machines: no clock, no I/O, no threads. Time comes in with each call, packets go in and
 * out as frames. The same code runs under a worker and in a simulation with a virtual clock. Everything here is owned
 * by the one thread that drives its {@link io.burst.engine.qp.Endpoint}, save what a class says otherwise.
 */
package io.burst.engine.qp;
