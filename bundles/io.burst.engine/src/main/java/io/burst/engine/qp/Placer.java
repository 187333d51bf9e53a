package io.burst.engine.qp;

/** Brings bytes to their place, now or later. */
@FunctionalInterface
interface Placer {

  void put(long from, long to, int bytes);
}
