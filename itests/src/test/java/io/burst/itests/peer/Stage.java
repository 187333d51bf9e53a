package io.burst.itests.peer;

import java.nio.ByteBuffer;
import java.util.Map;

/** Both ends and the network between them, and how many attempts failed there. For one thread. */
final class Stage {

  /** What is done on it. */
  interface Attempt {
    void run() throws Exception;
  }

  private final ByteBuffer memory = ByteBuffer.allocateDirect(Side.BUFFER_BYTES);
  private final SoftRoce guest;
  private final VerbsPeer peer;
  private final GuestSide theirs;
  private final Burst burst;
  private BurstSide ours;
  private Network network;
  private int attempts;
  private int failures;

  private Stage(SoftRoce guest, Burst burst) throws Exception {
    this.guest = guest;
    this.burst = burst;
    peer = guest.verbsPeer();
    theirs = new GuestSide(guest, peer);
  }

  /** Boots the guest and starts BURST, still without a device. */
  static Stage open() throws Exception {
    return new Stage(SoftRoce.upBesideThisJvm(), Burst.start());
  }

  void close() throws Exception {
    leaveNetwork();
    burst.stop();
    peer.close();
    guest.down();
  }

  BurstSide ours() {
    return ours;
  }

  GuestSide theirs() {
    return theirs;
  }

  Side initiator(Role role) {
    return role == Role.BURST_STARTS ? ours : theirs;
  }

  Side target(Role role) {
    return role == Role.BURST_STARTS ? theirs : ours;
  }

  VerbsPeer peer() {
    return peer;
  }

  SoftRoce guest() {
    return guest;
  }

  Burst burst() {
    return burst;
  }

  /** Counts what is attempted on a network, and says when it fails what BURST counted and the guest's kernel logged. */
  void attempt(Network wanted, Attempt attempt) throws Exception {
    if (network != wanted) {
      leaveNetwork();
      guest.shape(wanted.queueing);
      ours = new BurstSide(guest, burst.openDevice(guest.link(), wanted.faults), memory);
      network = wanted;
    }
    Map<String, Long> before = burst.counters();
    attempts++;
    failures++;
    try {
      attempt.run();
      failures--;
    } catch (Exception | AssertionError e) {
      Map<String, Long> counted = burst.counters();
      counted.replaceAll((name, value) -> value - before.get(name));
      counted.values().removeIf(value -> value == 0);
      e.addSuppressed(new Exception("BURST counted " + counted));
      e.addSuppressed(new Exception("the guest's kernel logged: " + guest.run("dmesg -c | tail -n 40")));
      throw e;
    }
  }

  private void leaveNetwork() throws Exception {
    if (ours != null) {
      ours.close();
      burst.closeDevice();
      ours = null;
      network = null;
    }
  }

  String summary() {
    return attempts + " cases ran, " + failures + " failed";
  }
}
