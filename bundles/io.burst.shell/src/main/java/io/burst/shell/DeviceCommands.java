package io.burst.shell;

import io.burst.admin.DeviceView;
import io.burst.admin.QueuePairView;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.felix.service.command.Descriptor;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferencePolicy;

/** The Gogo commands that show devices. Each runs on the thread of its shell session; views may come and go. */
@Component(
    service = DeviceCommands.class,
    property = {
      "osgi.command.scope=burst",
      "osgi.command.function=devices",
      "osgi.command.function=qps",
      "osgi.command.function=counters"
    })
public final class DeviceCommands {

  private static final String ABSENT = "-";

  @Reference(policy = ReferencePolicy.DYNAMIC)
  volatile List<DeviceView> views;

  @Descriptor("lists the devices, their ports, MTUs in bytes and addresses")
  public void devices() {
    Table table = new Table("DEVICE", "STATE", "LINK_MTU", "PATH_MTU", "GIDS", "PORT");
    for (DeviceView view : sorted()) {
      String failure = view.failure();
      String gids = String.join(",", view.gids());
      table.row(view.name(), failure == null ? "up" : "down: " + failure, view.linkMtuBytes(), view.activeMtuBytes(),
          gids.isEmpty() ? ABSENT : gids, view.port());
    }
    System.out.print(table);
  }

  @Descriptor("lists the queue pairs of all devices")
  public void qps() {
    print(sorted());
  }

  @Descriptor("lists the queue pairs of a device")
  public void qps(@Descriptor("the device's name") String device) {
    print(List.of(named(device)));
  }

  private static void print(List<DeviceView> views) {
    Table table =
        new Table("DEVICE", "QPN", "STATE", "REMOTE_GID", "REMOTE_QPN", "SEND_PSN", "RECEIVE_PSN", "OUTSTANDING");
    for (DeviceView view : views) {
      for (QueuePairView pair : view.queuePairs()) {
        table.row(view.name(), pair.number(), pair.state(), pair.remoteGid(), pair.remoteNumber(), pair.sendPsn(),
            pair.receivePsn(), pair.outstanding());
      }
    }
    System.out.print(table);
  }

  @Descriptor("shows the counters of all devices")
  public void counters() {
    show(sorted());
  }

  @Descriptor("shows the counters of a device")
  public void counters(@Descriptor("the device's name") String device) {
    show(List.of(named(device)));
  }

  private static void show(List<DeviceView> views) {
    Table table = new Table("DEVICE", "COUNTER", "VALUE");
    views.forEach(view -> view.counters().forEach((name, value) -> table.row(view.name(), name, value)));
    System.out.print(table);
  }

  private List<DeviceView> sorted() {
    return views.stream().sorted(Comparator.comparing(DeviceView::name)).toList();
  }

  private DeviceView named(String device) {
    return views.stream().filter(view -> view.name().equals(device)).findFirst().orElseThrow(() -> {
      String known = views.stream().map(DeviceView::name).sorted().collect(Collectors.joining(", "));
      return new IllegalArgumentException(
          "no device " + device + "; " + (known.isEmpty() ? "none is configured" : "there are " + known));
    });
  }
}
