package io.burst.itests.peer;

import io.burst.itests.peer.Side.Piece;
import java.util.List;

/** Work for a send queue of either side; what its operation doesn't need stays 0. For one thread. */
final class Work {

  final Operation operation;
  final List<Piece> pieces;
  int immediate;
  long remoteAddress;
  int remoteKey;
  /** What a COMPARE_SWAP compares with, a FETCH_ADD adds, an ATOMIC_WRITE writes. */
  long value;
  long swap;
  int invalidate;
  /** The queue pair that a datagram goes to. */
  int remoteNumber;
  boolean inline;

  private Work(Operation operation, List<Piece> pieces) {
    this.operation = operation;
    this.pieces = pieces;
  }

  static Work of(Operation operation, List<Piece> pieces) {
    return new Work(operation, pieces);
  }

  Work immediate(int bits) {
    immediate = bits;
    return this;
  }

  Work at(long address, int key) {
    remoteAddress = address;
    remoteKey = key;
    return this;
  }

  Work values(long first, long second) {
    value = first;
    swap = second;
    return this;
  }

  Work invalidating(int key) {
    invalidate = key;
    return this;
  }

  Work to(int number) {
    remoteNumber = number;
    return this;
  }

  Work inlined() {
    inline = true;
    return this;
  }
}
