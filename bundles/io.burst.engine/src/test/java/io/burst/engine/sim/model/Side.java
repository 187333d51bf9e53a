package io.burst.engine.sim.model;

import io.burst.verbs.AccessFlag;
import java.util.Set;

/** What a queue pair has at hand. */
abstract class Side {
  final Host host;
  final int domain;
  final Set<AccessFlag> access;
  final Receives receives;

  /** @param access what the queue pair allows its peer */
  Side(Host host, int domain, Set<AccessFlag> access, Receives receives) {
    this.host = host;
    this.domain = domain;
    this.access = access;
    this.receives = receives;
    receives.addUser();
  }
}
