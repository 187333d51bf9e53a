package io.burst.features;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import org.osgi.service.feature.Feature;
import org.osgi.service.feature.FeatureBundle;
import org.osgi.service.feature.FeatureService;

/** The bundles that the shipped features name, for the build that packs them and the tests that check them. */
public final class FeatureBundles {

  private static final List<String> FEATURES = List.of("base", "burst");

  private FeatureBundles() {}

  /**
   * A bundle of a feature.
   *
   * @param jar its file name in the distribution
   * @param startLevel the framework start level that it starts at
   */
  public record Entry(String jar, int startLevel) {}

  /** All bundles, those of lower start levels first. */
  public static List<Entry> read() throws IOException {
    FeatureService service = ServiceLoader.load(FeatureService.class).findFirst().orElseThrow();
    List<Entry> entries = new ArrayList<>();
    for (String name : FEATURES) {
      String resource = "/features/" + name + ".json";
      try (Reader json =
          new InputStreamReader(FeatureBundles.class.getResourceAsStream(resource), StandardCharsets.UTF_8)) {
        Feature feature = service.readFeature(json);
        feature.getBundles().forEach(bundle -> entries.add(entry(bundle)));
      }
    }
    entries.sort(Comparator.comparingInt(Entry::startLevel));
    return entries;
  }

  private static Entry entry(FeatureBundle bundle) {
    String jar = bundle.getID().getArtifactId() + "-" + bundle.getID().getVersion() + ".jar";
    Object level = bundle.getMetadata().get("start-level");
    if (!(level instanceof Number number)) {
      throw new IllegalArgumentException(bundle.getID() + " has no start-level in its feature");
    }
    return new Entry(jar, number.intValue());
  }

  /** Writes the list that the launcher reads, a line {@code LEVEL JAR} each, to the file named. */
  public static void main(String[] arguments) throws IOException {
    Path list = Path.of(arguments[0]);
    List<String> lines = read().stream().map(entry -> entry.startLevel() + " " + entry.jar()).toList();
    Files.createDirectories(list.getParent());
    Files.write(list, lines);
  }
}
