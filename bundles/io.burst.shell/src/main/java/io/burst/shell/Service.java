package io.burst.shell;

import io.burst.admin.DeviceView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.apache.felix.service.command.CommandProcessor;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.osgi.service.component.runtime.dto.ComponentConfigurationDTO;

/**
 * The program {@code run}: waits for the configured devices, opens the admin socket and stays until the container
 * stops. The launcher's main thread runs it; device views and the container's end are told by the framework's threads.
 */
@Component(service = ToIntFunction.class, property = "burst.program=run")
public final class Service implements ToIntFunction<String[]> {

  private static final int STATUS_ENDED = 0;
  private static final int STATUS_NOT_STARTED = 2;
  private static final long DEVICES_TIMEOUT_MS = 10_000;

  private final BundleContext context;
  private final CommandProcessor processor;
  private final ConfigurationAdmin configurations;
  private final ServiceComponentRuntime components;
  private final List<DeviceView> views = new ArrayList<>();
  private boolean stopped;

  @Activate
  public Service(
      BundleContext context,
      @Reference CommandProcessor processor,
      @Reference ConfigurationAdmin configurations,
      @Reference ServiceComponentRuntime components) {
    this.context = context;
    this.processor = processor;
    this.configurations = configurations;
    this.components = components;
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  synchronized void bindView(DeviceView view) {
    views.add(view);
    notifyAll();
  }

  synchronized void unbindView(DeviceView view) {
    views.remove(view);
  }

  @Deactivate
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  @Override
  public int applyAsInt(String[] arguments) {
    String failure;
    Path socket = Path.of(context.getProperty("burst.home"), "run", "admin.sock");
    try {
      failure = awaitDevices();
      failure = failure == null ? waitingComponent() : failure;
      if (failure == null) {
        serve(socket);
      }
    } catch (IOException e) {
      failure = "can't open " + socket + ": " + e.getMessage() + "; a shorter --home DIR may help";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = "interrupted";
    }
    if (failure == null) {
      return STATUS_ENDED;
    }
    System.err.println("burst: " + failure);
    return STATUS_NOT_STARTED;
  }

  /** Returns why a device isn't up, null when all are. */
  private String awaitDevices() throws IOException, InterruptedException {
    List<Configuration> misnamed = configurations("(&(service.pid=io.burst.device~*)(!(service.factoryPid=*)))");
    if (!misnamed.isEmpty()) {
      String file = misnamed.get(0).getPid() + ".cfg"; // FileInstall splits at the hyphen only
      return "etc/" + file + " is not read as a device; name it " + file.replaceFirst("~", "-");
    }
    int configured = configuredDevices();
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DEVICES_TIMEOUT_MS);
    synchronized (this) {
      while (views.size() < configured && !stopped) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
        if (leftMs <= 0) {
          return (configured - views.size()) + " of " + configured + " devices did not come up in "
              + DEVICES_TIMEOUT_MS + " ms; see log/burst.log in " + context.getProperty("burst.home");
        }
        wait(leftMs);
      }
      return views.stream()
          .filter(view -> view.failure() != null)
          .map(view -> view.name() + ": " + view.failure())
          .findFirst()
          .orElse(null);
    }
  }

  private int configuredDevices() throws IOException {
    return configurations("(service.factoryPid=io.burst.device)").size();
  }

  private List<Configuration> configurations(String filter) throws IOException {
    try {
      Configuration[] found = configurations.listConfigurations(filter);
      return found == null ? List.of() : List.of(found);
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns which component can't be activated, null when all can. */
  private String waitingComponent() {
    return components.getComponentDescriptionDTOs().stream()
        .flatMap(description -> components.getComponentConfigurationDTOs(description).stream())
        .filter(component -> component.state == ComponentConfigurationDTO.UNSATISFIED_REFERENCE
            || component.state == ComponentConfigurationDTO.FAILED_ACTIVATION)
        .map(component -> "component " + component.description.name + " can't be activated; see log/burst.log in "
            + context.getProperty("burst.home"))
        .findFirst()
        .orElse(null);
  }

  private void serve(Path socket) throws IOException, InterruptedException {
    AdminSocket admin = new AdminSocket(socket, processor);
    try (admin) {
      System.out.println("burst " + context.getProperty("burst.name") + " is up in " + sinceStartMs() + " ms, "
          + configuredDevices() + " devices");
      synchronized (this) {
        while (!stopped) {
          wait();
        }
      }
    }
  }

  /** Since the operating system started this process, the start script included. */
  private static long sinceStartMs() {
    Instant now = Instant.now();
    return Duration.between(ProcessHandle.current().info().startInstant().orElse(now), now).toMillis();
  }
}
