package io.burst.engine.qp;

import io.burst.verbs.MemoryWindowBinding;

/** A posted binding of a memory window, see {@link MemoryWindowBinding}; kept with its slot and used again. */
final class WindowBinding {
  int windowKey;
  int newKey;
  int regionKey;
  long address;
  long lengthBytes;
  /** A bit an access flag. */
  int access;

  void set(MemoryWindowBinding binding) {
    windowKey = binding.windowKey;
    newKey = binding.newKey;
    regionKey = binding.regionKey;
    address = binding.address;
    lengthBytes = binding.lengthBytes;
    access = Region.mask(binding.access);
  }
}
