package io.burst.engine.copy;

import io.burst.spi.CopyEngine;

/** The built-in engine. */
class CpuCopyEngineTest extends CopyEngineContract {

  @Override
  CopyEngine open() {
    return new CpuCopyEngine();
  }
}
