package io.burst.engine.worker;

import io.burst.engine.copy.CpuCopyEngine;
import io.burst.engine.port.Frames;
import io.burst.engine.qp.Counters;
import io.burst.engine.qp.Endpoint;
import io.burst.engine.qp.FramePool;
import io.burst.engine.qp.MemoryTable;
import io.burst.engine.qp.QueuePairContext;
import io.burst.linux.DescriptorSet;
import io.burst.linux.EventDescriptor;
import io.burst.spi.CopyEngine;
import io.burst.spi.Frame;
import io.burst.spi.PacketPort;
import io.burst.verbs.VerbsException;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that owns a port and all queue pairs on it. A round takes commands, received packets and time-outs in, and
 * packets to send out. Rounds without work spin first, then yield, then the thread sleeps until a packet, a posted
 * request, a command or a deadline.
 */
public final class Worker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private static final int BATCH = 64;
  /** Packets that may wait for their copies. */
  private static final int SPARE_FRAMES = 64;
  private static final int SPINS = 64;
  private static final int YIELDS = 64;
  private static final long LONGEST_SLEEP_NS = TimeUnit.SECONDS.toNanos(1);
  /** So that a round that fails again and again doesn't fill the disk with its log. */
  private static final long PAUSE_AFTER_FAILURE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long PAUSE_FOR_COPIES_NS = TimeUnit.MICROSECONDS.toNanos(50);

  private static final long LIVENESS_CHECK_MS = 100;

  private final PacketPort port;
  private final Counters counters = new Counters();
  private final CopyEngine copyEngine;
  private final FramePool spareFrames;
  private final Endpoint endpoint;
  private final Frame[] received;
  private final Frame[] sent;
  private final EventDescriptor wakeUp;
  private final DescriptorSet descriptors;
  private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private final long originNs = System.nanoTime();

  private volatile boolean running = true;
  private volatile boolean sleeping;
  private int idleRounds;

  /**
   * Takes the port over: {@link #close} closes it.
   *
   * @throws IOException when the process has no descriptor left; the port is the caller's then
   */
  public Worker(String name, PacketPort port, MemoryTable memory) throws IOException {
    this.port = port;
    wakeUp = new EventDescriptor();
    copyEngine = new CpuCopyEngine();
    spareFrames = new FramePool(Frames.allocate(SPARE_FRAMES, port.mtuBytes()));
    endpoint =
        new Endpoint(
            memory,
            counters,
            ThreadLocalRandom.current().nextInt(),
            Worker::logDefect,
            copyEngine,
            spareFrames);
    received = Frames.allocate(BATCH, port.mtuBytes());
    sent = Frames.allocate(BATCH, port.mtuBytes());
    descriptors = new DescriptorSet(port.descriptor(), wakeUp.descriptor());
    thread = new Thread(this::run, "burst-worker-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  public Counters counters() {
    return counters;
  }

  /** Makes it look for posted requests; cheap unless it sleeps. For any thread. */
  public void wake() {
    VarHandle.fullFence();
    if (sleeping) {
      wakeUp.signal();
    }
  }

  /**
   * Runs a command between two rounds and returns its result. An interrupt waits until then, since a command can't be
   * taken back. For any thread but the worker's own.
   *
   * @throws VerbsException ENODEV when the worker has ended
   */
  public <T> T call(Function<Endpoint, T> command) {
    if (Thread.currentThread() == thread) {
      throw new VerbsException("EDEADLK: a completion queue's listener may not ask the worker that calls it");
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    commands.add(() -> complete(result, command));
    wake();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return result.get(LIVENESS_CHECK_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          if (!thread.isAlive()) {
            throw new VerbsException("ENODEV: the device is closed", e);
          }
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          throw e.getCause() instanceof RuntimeException cause ? cause : new CompletionException(e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Runs a command that takes something away, and returns when no copy touches it any more; a worker that has ended has
   * nothing left to take.
   */
  public void release(Consumer<Endpoint> command) {
    try {
      long begun =
          call(
              endpoint -> {
                command.accept(endpoint);
                return endpoint.copiesBegun();
              });
      while (!call(endpoint -> endpoint.haveCopiesEnded(begun))) {
        LockSupport.parkNanos(PAUSE_FOR_COPIES_NS);
      }
    } catch (VerbsException e) {
      if (thread.isAlive()) {
        throw e;
      }
    }
  }

  @Override
  public void close() {
    running = false;
    wake();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    copyEngine.close();
    descriptors.close();
    wakeUp.close();
    port.close();
  }

  private <T> void complete(CompletableFuture<T> result, Function<Endpoint, T> command) {
    try {
      result.complete(command.apply(endpoint));
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  private void run() {
    while (running) {
      try {
        if (round()) {
          idleRounds = 0;
        } else {
          idle();
        }
      } catch (RuntimeException | Error e) {
        LOG.error("a round of {} failed", thread.getName(), e);
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NS);
      }
    }
  }

  private boolean round() {
    boolean busy = runCommands();
    long nowNs = nowNs();
    int arrived = port.receive(received, received.length, nowNs);
    for (int i = 0; i < arrived; i++) {
      endpoint.onFrame(received[i], nowNs);
      if (received[i].isHeld()) {
        received[i] = spareFrames.take();
      }
    }
    endpoint.onTimeout(nowNs);
    int departing = endpoint.pollTransmit(sent, nowNs);
    if (departing > 0) {
      port.send(sent, departing, nowNs);
    }
    return busy || arrived > 0 || departing > 0;
  }

  private boolean runCommands() {
    boolean any = false;
    for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
      command.run();
      any = true;
    }
    return any;
  }

  private void idle() {
    idleRounds++;
    if (idleRounds <= SPINS) {
      Thread.onSpinWait();
    } else if (idleRounds <= SPINS + YIELDS) {
      Thread.yield();
    } else {
      sleep();
    }
  }

  /** Looks once more after it has said that it sleeps: what is posted from then on signals. */
  private void sleep() {
    sleeping = true;
    VarHandle.fullFence();
    if (!round() && running) {
      descriptors.await(sleepNs());
    }
    sleeping = false;
    wakeUp.drain();
    idleRounds = SPINS;
  }

  private long sleepNs() {
    if (endpoint.hasCopiesUnderWay()) {
      return 0;
    }
    long deadlineNs = Math.min(endpoint.nextDeadlineNs(), port.nextDeadlineNs());
    return Math.max(0, Math.min(LONGEST_SLEEP_NS, deadlineNs - nowNs()));
  }

  private long nowNs() {
    return System.nanoTime() - originNs;
  }

  private static void logDefect(QueuePairContext connection, RuntimeException defect) {
    LOG.error("queue pair 0x{} failed", Integer.toHexString(connection.number()), defect);
  }
}
