package io.burst.engine.sim;

import io.burst.engine.sim.model.Mismatch;

/**
 * The work request identifiers of one application or shared queue: 64 bits that say whose request it is, which, and
 * whether it is a receive.
 */
record Identifiers(int owner) {

  long send(int index) {
    return (long) owner << Integer.SIZE | (long) index << 1;
  }

  long receive(int index) {
    return send(index) | 1;
  }

  static boolean isReceive(long identifier) {
    return (identifier & 1) != 0;
  }

  int index(long identifier) {
    Mismatch.unless(identifier >> Integer.SIZE == owner, "nobody has posted %x", identifier);
    return (int) identifier >>> 1;
  }
}
