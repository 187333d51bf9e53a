package io.burst.engine.device;

import io.burst.admin.DeviceView;
import io.burst.admin.QueuePairView;
import io.burst.engine.port.FaultConfig;
import io.burst.engine.port.PortException;
import io.burst.engine.port.Ports;
import io.burst.engine.qp.Counter;
import io.burst.engine.qp.Endpoint;
import io.burst.engine.qp.QueuePairContext;
import io.burst.spi.PacketPort;
import io.burst.verbs.Device;
import io.burst.verbs.Gid;
import io.burst.verbs.QueuePairState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device for as long as its configuration {@code io.burst.device~NAME} is there. Its view is always a service; the
 * device is one only if its port could be opened, and the view says why when not. Both carry the device's name, which
 * comes from the configuration's PID and so can't be a property of the component. Any thread.
 */
@Component(
    service = {},
    immediate = true,
    configurationPid = ConfiguredDevice.PID,
    configurationPolicy = ConfigurationPolicy.REQUIRE)
@Designate(ocd = DeviceConfig.class, factory = true)
public final class ConfiguredDevice implements DeviceView {
  static final String PID = "io.burst.device";

  private static final Logger LOG = LoggerFactory.getLogger(ConfiguredDevice.class);

  private final String name;
  private final String port;
  private String failure;
  private PacketPort packetPort;
  private LocalDevice device;
  private final List<ServiceRegistration<?>> registrations = new ArrayList<>();

  @Activate
  public ConfiguredDevice(BundleContext context, DeviceConfig config, Map<String, Object> properties) {
    String pid = String.valueOf(properties.get("service.pid"));
    name = pid.substring(pid.indexOf('~') + 1);
    port = (config.port() + " " + config.inter$face() + " " + config.address()).strip();
    try {
      packetPort = open(config);
      device = LocalDevice.open(name, packetPort);
      register(context, Device.class, device);
      LOG.info("device {} is up on {}", name, port);
    } catch (PortException | IOException | IllegalArgumentException e) {
      failure = e.getMessage();
      LOG.error("device {} could not be opened: {}", name, failure);
    }
    register(context, DeviceView.class, this);
  }

  @Deactivate
  void close() {
    registrations.forEach(ServiceRegistration::unregister);
    if (device != null) {
      device.close();
    }
  }

  private static PacketPort open(DeviceConfig config) throws PortException, IOException {
    FaultConfig faults =
        new FaultConfig(
            config.fault_drop(),
            config.fault_duplicate(),
            config.fault_reorder(),
            config.fault_corrupt(),
            config.fault_delay(),
            config.fault_delay_ns(),
            config.fault_seed());
    String interfaceName = config.inter$face().isEmpty() ? null : config.inter$face();
    InetAddress address = config.address().isEmpty() ? null : address(config.address());
    return Ports.open(config.port(), interfaceName, address, faults);
  }

  /** Literals only: a name could mean another address tomorrow, or wait for a resolver. */
  private static InetAddress address(String literal) throws UnknownHostException {
    if (!literal.matches("[0-9.]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.%a-z0-9]*")) {
      throw new UnknownHostException(literal + " is no IP address: give one of this host's, as in ip address");
    }
    return InetAddress.getByName(literal);
  }

  private <S> void register(BundleContext context, Class<S> type, S service) {
    Map<String, Object> properties = Map.of(Device.NAME_PROPERTY, name);
    registrations.add(context.registerService(type, service, FrameworkUtil.asDictionary(properties)));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String port() {
    return port;
  }

  @Override
  public String failure() {
    return failure;
  }

  @Override
  public List<String> gids() {
    return device == null ? List.of() : device.gids().stream().map(Gid::toString).toList();
  }

  @Override
  public int linkMtuBytes() {
    return device == null ? 0 : device.linkMtuBytes();
  }

  @Override
  public int activeMtuBytes() {
    return device == null ? 0 : device.activeMtu().bytes();
  }

  @Override
  public List<QueuePairView> queuePairs() {
    return device == null ? List.of() : device.worker().call(ConfiguredDevice::views);
  }

  @Override
  public Map<String, Long> counters() {
    Map<String, Long> values = new LinkedHashMap<>();
    if (device != null) {
      for (Counter counter : Counter.values()) {
        values.put(counter.label(), device.worker().counters().get(counter));
      }
      packetPort.counters(values::put);
    }
    return values;
  }

  private static List<QueuePairView> views(Endpoint endpoint) {
    List<QueuePairView> views = new ArrayList<>();
    endpoint.forEach(connection -> views.add(view(connection)));
    return views;
  }

  private static QueuePairView view(QueuePairContext connection) {
    return new QueuePairView(
        connection.number(),
        label(connection.state()),
        connection.path() == null ? "-" : connection.path().remote().toString(),
        connection.destinationNumber(),
        connection.sendPsn(),
        connection.receivePsn(),
        connection.outstandingSends());
  }

  /** As {@code rdma resource show qp} prints it. */
  private static String label(QueuePairState state) {
    return switch (state) {
      case RESET -> "RESET";
      case INIT -> "INIT";
      case READY_TO_RECEIVE -> "RTR";
      case READY_TO_SEND -> "RTS";
      case SEND_QUEUE_DRAINED -> "SQD";
      case SEND_QUEUE_ERROR -> "SQE";
      case ERROR -> "ERR";
    };
  }
}
