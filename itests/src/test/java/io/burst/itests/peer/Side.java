package io.burst.itests.peer;

import java.util.List;

/**
 * One of the two ends, with one buffer in which all tests of a device work, so that what a test asks of BURST it can
 * ask of soft-RoCE. For one thread.
 */
interface Side {

  /** Enough for the longest message and guards around it. */
  int BUFFER_BYTES = (8 << 20) + 8192;

  byte POISON = (byte) 0xa5;

  enum Family {
    IPV4,
    IPV6
  }

  enum Service {
    RC,
    UC,
    UD
  }

  /** A part of the buffer. */
  record Piece(int offset, int lengthBytes) {}

  /**
   * What both queue pairs are made and connected with.
   *
   * @param psn the first one of both
   * @param sharedReceives whether the receives are a shared queue's
   * @param timeout the code of BURST's local ACK timeout
   */
  record Terms(Service service, Family family, int pathMtu, int psn, boolean sharedReceives, int timeout, int retries) {

    static Terms of(Service service, Family family, int pathMtu) {
      return new Terms(service, family, pathMtu, 0xfffff0, false, 14, 7);
    }

    Terms withSharedReceives(boolean shared) {
      return new Terms(service, family, pathMtu, psn, shared, timeout, retries);
    }

    Terms withPsn(int first) {
      return new Terms(service, family, pathMtu, first, sharedReceives, timeout, retries);
    }

    Terms withRetries(int count, int timeoutCode) {
      return new Terms(service, family, pathMtu, psn, sharedReceives, timeoutCode, count);
    }
  }

  /**
   * A completion.
   *
   * @param status as a number of ibv_wc_status; all behind it is null, false or 0 unless it is 0
   * @param opcode verbs-peer's name of it
   * @param immediate null without one
   * @param invalidated null without one
   * @param hasHeader whether 40 bytes of IP header are before the message
   */
  record Outcome(long work, int status, String opcode, int lengthBytes, Integer immediate, Integer invalidated,
      boolean hasHeader, int sourceNumber) {}

  /** Puts the bytes of a seed into the buffer. */
  void fill(int offset, int lengthBytes, long seed);

  void poison(int offset, int lengthBytes);

  /** Where the buffer has another byte than the seed's, counted from the offset; -1 when nowhere. */
  int mismatch(int offset, int lengthBytes, long seed);

  /** Where the poison is gone, counted from the offset; -1 when nowhere. */
  int spoiled(int offset, int lengthBytes);

  long load(int offset);

  void store(int offset, long value);

  /** The buffer's, for remote requests. */
  long address();

  int remoteKey();

  Queue create(Terms terms);

  /** A queue pair; closing it also closes its shared receives. */
  interface Queue extends AutoCloseable {

    int number();

    /** From RESET to RTS, towards the other end's queue pair. */
    void connect(int remoteNumber);

    void receive(long work, List<Piece> pieces);

    void send(long work, Work request);

    /** The next completion of this queue pair, or null when the time is over. */
    Outcome await(long timeoutMs);

    /** Binds a new window of type 2 to a part of the buffer, by a request of this queue pair. Returns its key. */
    int bindWindow(int offset, int lengthBytes);

    /** Arms the limit of the shared receives. */
    void limit(int receives);

    /** Waits for an event of this queue pair or its shared receives, by its number in ibv_event_type. */
    boolean awaitEvent(int type, long timeoutMs);

    @Override
    void close();
  }
}
