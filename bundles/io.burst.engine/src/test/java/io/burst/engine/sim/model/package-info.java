/**
 * The plain model that the transport is held against: requests, receives, bytes, their order and how they end, and
 * nothing of packets, time or PSNs. It uses nothing of the engine, so that it can't share a mistake with it.
 */
package io.burst.engine.sim.model;
