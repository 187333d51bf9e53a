package io.burst.tools;

import io.burst.admin.DeviceView;
import io.burst.admin.QueuePairView;
import io.burst.verbs.Device;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Filter;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.util.tracker.ServiceTracker;

/**
 * A device for as long as a program needs it: one that is configured already, or one configured here and taken away
 * again. Belongs to the program's thread.
 */
final class DeviceLease implements AutoCloseable {

  /** Where a queue pair's activity can be read. */
  interface Activity {
    LongSupplier of(int queuePairNumber) throws CommandFailure;
  }

  private static final String FACTORY_PID = "io.burst.device";
  private static final long WAIT_MS = 10_000;

  private final String name;
  private final Configuration ours;
  private final Services<DeviceView> views;
  private final Services<Device> devices;

  private DeviceLease(BundleContext context, String name, Configuration ours) {
    this.name = name;
    this.ours = ours;
    views = new Services<>(context, DeviceView.class, name);
    devices = new Services<>(context, Device.class, name);
  }

  static DeviceLease open(BundleContext context, ConfigurationAdmin configurations, DeviceSettings settings)
      throws CommandFailure {
    DeviceLease lease = new DeviceLease(context, settings.name(), configure(configurations, settings));
    try {
      lease.awaitDevice();
    } catch (CommandFailure failure) {
      lease.close();
      throw failure;
    }
    return lease;
  }

  /** @return the new configuration, or null when there is one of that name that isn't ours to delete */
  private static Configuration configure(ConfigurationAdmin configurations, DeviceSettings settings)
      throws CommandFailure {
    try {
      String pid = "(service.pid=" + FACTORY_PID + "~" + settings.name() + ")";
      if (configurations.listConfigurations(pid) != null) {
        return null;
      }
      Configuration ours = configurations.getFactoryConfiguration(FACTORY_PID, settings.name(), "?");
      ours.update(settings.properties());
      return ours;
    } catch (IOException | InvalidSyntaxException e) {
      throw CommandFailure.notStarted("the device could not be configured: " + e.getMessage());
    }
  }

  private void awaitDevice() throws CommandFailure {
    String failure = views.await().failure();
    if (failure != null) {
      throw CommandFailure.notStarted(failure);
    }
    devices.await();
  }

  Device device() throws CommandFailure {
    return devices.await();
  }

  DeviceView view() throws CommandFailure {
    return views.await();
  }

  /** A number that changes with every packet that takes a queue pair on. */
  LongSupplier activityOf(int queuePairNumber) throws CommandFailure {
    DeviceView view = view();
    return () -> view.queuePairs().stream()
        .filter(queuePair -> queuePair.number() == queuePairNumber)
        .mapToLong(DeviceLease::activity)
        .findFirst()
        .orElse(0);
  }

  private static long activity(QueuePairView queuePair) {
    return (long) queuePair.sendPsn() << 32 ^ queuePair.receivePsn() ^ (long) queuePair.outstanding() << 56;
  }

  /** Returns when the device is gone, if it is ours. */
  @Override
  public void close() {
    try {
      if (ours != null) {
        ours.delete();
        devices.awaitGone();
        views.awaitGone();
      }
    } catch (IOException e) {
      throw new IllegalStateException("the configuration of device " + name + " could not be deleted", e);
    } finally {
      devices.close();
      views.close();
    }
  }

  /** The services of one type for the device, with a wait for their end. */
  private static final class Services<S> extends ServiceTracker<S, S> {

    private final String what;

    Services(BundleContext context, Class<S> type, String name) {
      super(context, filter(type, name), null);
      what = type.getSimpleName() + " " + name;
      open();
    }

    private static Filter filter(Class<?> type, String name) {
      try {
        return FrameworkUtil.createFilter(
            "(&(objectClass=" + type.getName() + ")(" + Device.NAME_PROPERTY + "=" + name + "))");
      } catch (InvalidSyntaxException impossible) {
        throw new AssertionError("device names have no filter characters", impossible);
      }
    }

    S await() throws CommandFailure {
      try {
        S service = waitForService(WAIT_MS);
        if (service != null) {
          return service;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw CommandFailure.notStarted("no " + what + " within " + WAIT_MS / 1000
          + " s: is the bundle io.burst.engine active? its errors are in the container's log");
    }

    synchronized void awaitGone() {
      long deadlineMs = System.nanoTime() / 1_000_000 + WAIT_MS;
      try {
        long leftMs = WAIT_MS;
        while (size() > 0 && leftMs > 0) {
          wait(leftMs);
          leftMs = deadlineMs - System.nanoTime() / 1_000_000;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void removedService(ServiceReference<S> reference, S service) {
      super.removedService(reference, service);
      synchronized (this) {
        notifyAll();
      }
    }
  }
}
