package io.burst.engine.qp;

/**
 * What a queue pair works on.
 *
 * @param receives its own, or shared ones
 */
public record Queues(
    SendQueue sends, ReceiveQueue receives, CompletionRing sendCompletions, CompletionRing receiveCompletions) {}
