package io.burst.engine.device;

import io.burst.engine.qp.Region;
import io.burst.verbs.MemoryRegion;
import java.nio.ByteBuffer;

/** A registered direct buffer, which it keeps from being collected. Any thread. */
final class LocalMemoryRegion implements MemoryRegion {
  private final LocalProtectionDomain domain;
  private final Region region;
  private ByteBuffer buffer;

  LocalMemoryRegion(LocalProtectionDomain domain, ByteBuffer buffer, Region region) {
    this.domain = domain;
    this.buffer = buffer;
    this.region = region;
  }

  @Override
  public long address() {
    return region.address();
  }

  @Override
  public long lengthBytes() {
    return region.lengthBytes();
  }

  @Override
  public int localKey() {
    return region.key();
  }

  @Override
  public int remoteKey() {
    return region.key();
  }

  @Override
  public synchronized void close() {
    if (buffer != null) {
      domain.device().memory().remove(region);
      domain.device().worker().release(endpoint -> {});
      domain.release();
      buffer = null;
    }
  }
}
