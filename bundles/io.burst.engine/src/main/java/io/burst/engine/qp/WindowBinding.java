package io.burst.engine.qp;

import io.burst.verbs.MemoryWindowBinding;

/**
 * A posted binding of a memory window; see {@link MemoryWindowBinding}. Immutable.
 *
 * @param access a bit an access flag
 */
record WindowBinding(int windowKey, int newKey, int regionKey, long address, long lengthBytes, int access) {

  static WindowBinding of(MemoryWindowBinding binding) {
    return new WindowBinding(
        binding.windowKey,
        binding.newKey,
        binding.regionKey,
        binding.address,
        binding.lengthBytes,
        Region.mask(binding.access));
  }
}
