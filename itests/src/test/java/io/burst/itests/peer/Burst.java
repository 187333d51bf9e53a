package io.burst.itests.peer;

import io.burst.admin.DeviceView;
import io.burst.features.FeatureBundles;
import io.burst.itests.Distribution;
import io.burst.verbs.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Dictionary;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.Map;
import org.apache.felix.framework.FrameworkFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.launch.Framework;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.util.tracker.ServiceTracker;

/** BURST in this JVM: the shipped bundles in a framework of their own, and at most one device. For one thread. */
final class Burst {

  private static final String DEVICE = "peer";
  private static final long TIMEOUT_MS = 20_000;

  private final Framework framework;
  private Configuration configuration;
  private ServiceTracker<Device, Device> devices;
  private ServiceTracker<DeviceView, DeviceView> views;

  private Burst(Framework framework) {
    this.framework = framework;
  }

  static Burst start() throws IOException, BundleException {
    Path home = Files.createDirectories(Distribution.SCRATCH.resolve("peer-home"));
    System.setProperty("burst.log", home.resolve("burst.log").toString());
    System.setProperty(
        "logback.configurationFile", Distribution.FOLDER.resolve("conf/logback.xml").toUri().toString());
    Burst burst = new Burst(new FrameworkFactory().newFramework(properties(home)));
    burst.framework.start();
    BundleContext context = burst.framework.getBundleContext();
    for (FeatureBundles.Entry entry : FeatureBundles.read()) {
      context.installBundle("reference:" + Distribution.BUNDLES.resolve(entry.jar()).toUri());
    }
    for (Bundle bundle : context.getBundles()) {
      if (bundle.getHeaders().get(Constants.FRAGMENT_HOST) == null) {
        bundle.start();
      }
    }
    return burst;
  }

  /** The packages by which the tests and the bundles talk come from the tests' class path for both. */
  private static Map<String, String> properties(Path home) {
    Map<String, String> properties = new HashMap<>();
    properties.put(Constants.FRAMEWORK_BOOTDELEGATION, "io.burst.verbs,io.burst.admin,org.osgi.service.cm");
    properties.put(Constants.FRAMEWORK_BUNDLE_PARENT, Constants.FRAMEWORK_BUNDLE_PARENT_APP);
    properties.put(Constants.FRAMEWORK_STORAGE, home.resolve("cache").toString());
    properties.put(Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT);
    properties.put("felix.fileinstall.dir", home.resolve("etc").toString());
    properties.put("felix.fileinstall.tmpdir", home.resolve("tmp").toString());
    properties.put("gosh.args", "--nointeractive --noshutdown");
    properties.put("burst.dist", Distribution.FOLDER.toString());
    properties.put("burst.home", home.toString());
    return properties;
  }

  /**
   * Opens a device on a network interface, which {@link #closeDevice} closes.
   *
   * @param faults settings of the fault port by their configuration names
   */
  Device openDevice(String link, Map<String, ?> faults) throws Exception {
    BundleContext context = framework.getBundleContext();
    devices = tracker(context, Device.class);
    views = tracker(context, DeviceView.class);
    ServiceReference<ConfigurationAdmin> reference = context.getServiceReference(ConfigurationAdmin.class);
    configuration = context.getService(reference).getFactoryConfiguration("io.burst.device", DEVICE, "?");
    Dictionary<String, Object> properties = new Hashtable<>(faults);
    properties.put("port", "packet");
    properties.put("interface", link);
    configuration.update(properties);
    DeviceView view = views.waitForService(TIMEOUT_MS);
    if (view == null || view.failure() != null) {
      throw new IllegalStateException(view == null ? "no device within " + TIMEOUT_MS + " ms" : view.failure());
    }
    return devices.waitForService(TIMEOUT_MS);
  }

  private static <S> ServiceTracker<S, S> tracker(BundleContext context, Class<S> type)
      throws InvalidSyntaxException {
    ServiceTracker<S, S> tracker = new ServiceTracker<>(
        context,
        context.createFilter("(&(objectClass=" + type.getName() + ")(" + Device.NAME_PROPERTY + "=" + DEVICE + "))"),
        null);
    tracker.open();
    return tracker;
  }

  /** Of the device, by name. */
  Map<String, Long> counters() {
    return views.getService().counters();
  }

  /** Returns when it is gone. */
  void closeDevice() throws IOException {
    if (configuration == null) {
      return;
    }
    configuration.delete();
    Deadline deadline = Deadline.in(TIMEOUT_MS);
    while (!devices.isEmpty() || !views.isEmpty()) {
      deadline.pause("the device's end");
    }
    devices.close();
    views.close();
    configuration = null;
  }

  void stop() throws Exception {
    closeDevice();
    framework.stop();
    framework.waitForStop(TIMEOUT_MS);
  }
}
