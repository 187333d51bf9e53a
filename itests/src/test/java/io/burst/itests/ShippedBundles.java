package io.burst.itests;

import static org.ops4j.pax.exam.CoreOptions.bundle;
import static org.ops4j.pax.exam.CoreOptions.composite;
import static org.ops4j.pax.exam.CoreOptions.frameworkProperty;
import static org.ops4j.pax.exam.CoreOptions.frameworkStartLevel;
import static org.ops4j.pax.exam.CoreOptions.systemProperty;

import io.burst.features.FeatureBundles;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.ops4j.pax.exam.Option;

/** A Pax Exam container as the launcher would start it: the features' bundles and the distribution's properties. */
final class ShippedBundles {

  private ShippedBundles() {}

  static Option option() {
    try {
      Path home = Files.createDirectories(Distribution.SCRATCH.resolve("pax-exam-home"));
      Files.createDirectories(home.resolve("etc"));
      List<Option> options = new ArrayList<>();
      options.add(systemProperty("burst.log").value(home.resolve("burst.log").toString()));
      options.add(systemProperty("logback.configurationFile")
          .value(Distribution.FOLDER.resolve("conf/logback.xml").toUri().toString()));
      options.add(frameworkProperty("burst.dist").value(Distribution.FOLDER.toString()));
      options.add(frameworkProperty("burst.home").value(home.toString()));
      options.add(frameworkStartLevel(10));
      addProperties(home, options);
      for (FeatureBundles.Entry entry : FeatureBundles.read()) {
        options.add(bundle("reference:" + Distribution.BUNDLES.resolve(entry.jar()).toUri())
            .startLevel(entry.startLevel()));
      }
      return composite(options.toArray(Option[]::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All but the framework's own, which Pax Exam sets. */
  private static void addProperties(Path home, List<Option> options) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(Distribution.FOLDER.resolve("conf/framework.properties"))) {
      properties.load(reader);
    }
    properties.forEach((key, value) -> {
      if (!key.toString().startsWith("org.osgi.framework.")) {
        options.add(frameworkProperty(key.toString()).value(value.toString().replace("${home}", home.toString())));
      }
    });
  }
}
