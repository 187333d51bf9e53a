package io.burst.launcher;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.apache.felix.framework.FrameworkFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.startlevel.BundleStartLevel;

/**
 * A Felix framework with the bundles of the distribution. Started by the main thread, which also runs the program;
 * closed by the shutdown hook.
 */
final class Container {

  /** The service property that holds a program's name. */
  private static final String PROGRAM = "burst.program";

  private static final long STOP_TIMEOUT_MS = 10_000;

  private final Path distribution;
  private final Home home;
  private final String name;
  private volatile Framework framework;

  Container(Path distribution, Home home, String name) {
    this.distribution = distribution;
    this.home = home;
    this.name = name;
  }

  /** Returns when every bundle is started and the components that need no configuration are active. */
  void start() throws LaunchException {
    System.setProperty("burst.log", home.log().toString());
    System.setProperty("logback.configurationFile", distribution.resolve("conf/logback.xml").toUri().toString());
    System.setProperty("jna.tmpdir", home.folder().resolve("tmp").toString());
    FrameworkLog log = new FrameworkLog(home.log());
    log.adoptJavaLogging();
    try {
      framework = new FrameworkFactory().newFramework(configuration(log));
      framework.init();
      List<Throwable> failures = new ArrayList<>();
      framework.getBundleContext().addFrameworkListener(event -> {
        if (event.getType() == FrameworkEvent.ERROR) {
          failures.add(event.getThrowable());
        }
      });
      install();
      framework.start();
      if (!failures.isEmpty()) {
        throw new LaunchException("the container does not start: " + failures.get(0).getMessage());
      }
    } catch (BundleException | IOException e) {
      throw new LaunchException("the container does not start: " + e.getMessage());
    }
  }

  private Map<String, Object> configuration(FrameworkLog log) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(distribution.resolve("conf/framework.properties"))) {
      properties.load(reader);
    }
    Map<String, Object> configuration = new HashMap<>();
    properties.forEach((key, value) ->
        configuration.put(key.toString(), value.toString().replace("${home}", home.folder().toString())));
    configuration.put("burst.dist", distribution.toString());
    configuration.put("burst.home", home.folder().toString());
    configuration.put("burst.name", name);
    configuration.put("felix.log.logger", log);
    return configuration;
  }

  private void install() throws IOException, BundleException {
    BundleContext context = framework.getBundleContext();
    List<Bundle> bundles = new ArrayList<>();
    for (String line : Files.readAllLines(distribution.resolve("conf/bundles.list"))) {
      String[] levelAndJar = line.split(" ", 2);
      Path jar = distribution.resolve("bundles").resolve(levelAndJar[1]);
      Bundle bundle = context.installBundle("reference:" + jar.toUri());
      bundle.adapt(BundleStartLevel.class).setStartLevel(Integer.parseInt(levelAndJar[0]));
      bundles.add(bundle);
    }
    for (Bundle bundle : bundles) {
      if (bundle.getHeaders().get(Constants.FRAGMENT_HOST) == null) {
        bundle.start();
      }
    }
  }

  /** Runs the program of that name in the calling thread and returns its exit status. */
  int run(String program, List<String> arguments) throws LaunchException {
    BundleContext context = framework.getBundleContext();
    ServiceReference<?> reference = references(context)
        .filter(candidate -> program.equals(candidate.getProperty(PROGRAM)))
        .findFirst()
        .orElseThrow(() -> new LaunchException(usage(context, program)));
    @SuppressWarnings("unchecked") // the contract of a service with the property burst.program
    ToIntFunction<String[]> service = (ToIntFunction<String[]>) context.getService(reference);
    if (service == null) {
      throw new LaunchException(program + " could not be activated; see " + home.log());
    }
    return service.applyAsInt(arguments.toArray(String[]::new));
  }

  private static String usage(BundleContext context, String program) {
    Stream<String> programs = references(context).map(reference -> (String) reference.getProperty(PROGRAM));
    String known = String.join(" | ", Stream.concat(programs, Stream.of("shell")).sorted().toList());
    return (program.isEmpty() ? "" : "unknown command " + program + "; ") + "usage: burst " + known;
  }

  private static Stream<ServiceReference<?>> references(BundleContext context) {
    try {
      ServiceReference<?>[] references =
          context.getServiceReferences(ToIntFunction.class.getName(), "(" + PROGRAM + "=*)");
      return references == null ? Stream.empty() : Arrays.stream(references);
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stops every bundle; without effect on a container that never started. */
  void close() {
    if (framework == null) {
      return;
    }
    try {
      framework.stop();
      framework.waitForStop(STOP_TIMEOUT_MS);
    } catch (BundleException e) {
      System.err.println("burst: the container does not stop: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
