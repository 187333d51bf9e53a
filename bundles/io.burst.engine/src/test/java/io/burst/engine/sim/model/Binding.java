package io.burst.engine.sim.model;

import io.burst.verbs.AccessFlag;
import java.util.Set;

/**
 * A memory window's range and rights.
 *
 * @param windowKey the window's key as it was
 * @param start offset of the first byte in its host's memory
 */
public record Binding(
    int windowKey, int newKey, int regionKey, int start, int lengthBytes, Set<AccessFlag> access) {}
