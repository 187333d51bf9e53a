package io.burst.verbs;

/** Which kind of work finished (ibv_wc_opcode). */
public enum CompletionOpcode {
  SEND,
  RECEIVE
}
