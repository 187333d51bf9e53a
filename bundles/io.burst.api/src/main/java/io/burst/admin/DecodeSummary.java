package io.burst.admin;

/**
 * What a capture file held.
 *
 * @param packets RoCEv2 packets, whole or not
 * @param badIcrcs whole packets whose ICRC is wrong
 * @param malformed packets that contradict themselves, and a record that the file's end cuts
 * @param cut packets that the capture's snap length cut: not checked, which is not bad
 */
public record DecodeSummary(long packets, long badIcrcs, long malformed, long cut) {}
