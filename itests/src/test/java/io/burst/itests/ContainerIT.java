package io.burst.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.ops4j.pax.exam.CoreOptions.junitBundles;

import io.burst.admin.DecodeSummary;
import io.burst.admin.PacketDecoder;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import javax.inject.Inject;
import org.apache.felix.service.command.CommandProcessor;
import org.apache.felix.service.command.CommandSession;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.junit.PaxExam;
import org.ops4j.pax.exam.spi.reactors.ExamReactorStrategy;
import org.ops4j.pax.exam.spi.reactors.PerClass;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.osgi.service.component.runtime.dto.ComponentConfigurationDTO;

/** Everything that the features name resolves, starts and finds its services. */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class ContainerIT {

  @Inject
  private BundleContext context;

  @Inject
  private ServiceComponentRuntime components;

  @Inject
  private CommandProcessor processor;

  @Inject
  private PacketDecoder decoder;

  @Configuration
  public Option[] configuration() {
    return new Option[] {ShippedBundles.option(), junitBundles()};
  }

  @Test
  public void everyBundleIsActive() {
    List<String> idle = Arrays.stream(context.getBundles())
        .filter(bundle -> bundle.getHeaders().get(Constants.FRAGMENT_HOST) == null)
        .filter(bundle -> bundle.getState() != Bundle.ACTIVE)
        .map(Bundle::toString)
        .toList();
    assertEquals(List.of(), idle);
    assertTrue(ours().containsAll(
        List.of("io.burst.api", "io.burst.linux", "io.burst.engine", "io.burst.shell", "io.burst.tools")));
  }

  private List<String> ours() {
    return Arrays.stream(context.getBundles()).map(Bundle::getSymbolicName).filter(n -> n.startsWith("io.burst."))
        .toList();
  }

  @Test
  public void everyComponentFindsItsServices() {
    List<String> waiting = components.getComponentDescriptionDTOs().stream()
        .flatMap(description -> components.getComponentConfigurationDTOs(description).stream())
        .filter(component -> component.state == ComponentConfigurationDTO.UNSATISFIED_REFERENCE
            || component.state == ComponentConfigurationDTO.FAILED_ACTIVATION)
        .map(component -> component.description.name)
        .toList();
    assertEquals(List.of(), waiting);
  }

  @Test
  public void programsAreThere() throws Exception {
    List<Object> programs = Arrays.stream(context.getServiceReferences(ToIntFunction.class.getName(), "(burst.program=*)"))
        .map(reference -> reference.getProperty("burst.program"))
        .toList();
    assertTrue(programs.toString(), programs.containsAll(List.of("run", "pingpong", "decode", "demo")));
  }

  /** tshark finds 58 RoCEv2 packets in this capture. */
  @Test
  public void thePacketDecoderIsThere() throws Exception {
    List<String> lines = new ArrayList<>();
    DecodeSummary summary = decoder.decode(Distribution.CAPTURES.resolve("rc-pingpong.pcap"), lines::add);
    assertEquals(new DecodeSummary(58, 0, 0, 0), summary);
    assertEquals(58, lines.size());
  }

  @Test
  public void commandsAreThere() throws Exception {
    assertEquals("DEVICE  STATE  LINK_MTU  PATH_MTU  GIDS  PORT\n", execute("burst:devices"));
    assertEquals("DEVICE  COUNTER  VALUE\n", execute("burst:counters"));
    assertTrue(execute("burst:qps").startsWith("DEVICE  QPN"));
  }

  private String execute(String line) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    try (CommandSession session = processor.createSession(InputStream.nullInputStream(), out, out)) {
      assertNull(session.execute(line));
    }
    out.flush();
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
