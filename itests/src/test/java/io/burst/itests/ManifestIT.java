package io.burst.itests;

import static org.assertj.core.api.Assertions.assertThat;

import aQute.bnd.header.OSGiHeader;
import io.burst.features.FeatureBundles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The architecture as the manifests of the shipped bundles show it. */
class ManifestIT {

  private static final String OURS = "io.burst.";

  /** Which of our bundles a bundle may import from. */
  private static final Map<String, Set<String>> PROVIDERS = Map.of(
      "io.burst.api", Set.of("io.burst.api"),
      "io.burst.linux", Set.of("io.burst.api", "io.burst.linux"),
      "io.burst.engine", Set.of("io.burst.api", "io.burst.linux"),
      "io.burst.shell", Set.of("io.burst.api", "io.burst.linux"),
      "io.burst.tools", Set.of("io.burst.api", "io.burst.client"));

  /** What any of our bundles may import of others. */
  private static final Set<String> THIRD_PARTIES = Set.of(
      "org.osgi.framework", "org.osgi.service.cm", "org.osgi.service.component", "org.osgi.util.tracker", "org.slf4j");

  /** What one of our bundles may import besides. */
  private static final Map<String, Set<String>> SPECIAL = Map.of(
      "io.burst.linux", Set.of("com.sun.jna", "com.sun.jna.ptr", "sun.misc"),
      "io.burst.shell", Set.of(
          "org.apache.felix.service.command", "org.osgi.service.component.runtime",
          "org.osgi.service.component.runtime.dto", "org.osgi.service.log"));

  private final Map<String, Attributes> manifests = read();

  @Test
  void everyBundleIsKnownToTheArchitecture() {
    assertThat(manifests.keySet()).isEqualTo(new TreeSet<>(PROVIDERS.keySet()));
  }

  @Test
  void noBundleImportsWhatTheArchitectureForbids() {
    Set<String> forbidden = new TreeSet<>();
    manifests.forEach((name, manifest) -> {
      Set<String> allowed = new TreeSet<>(THIRD_PARTIES);
      allowed.addAll(SPECIAL.getOrDefault(name, Set.of()));
      PROVIDERS.getOrDefault(name, Set.of()).forEach(provider -> allowed.addAll(exports(provider)));
      packages(manifest, "Import-Package").stream()
          .filter(imported -> !imported.startsWith("java.") && !allowed.contains(imported))
          .forEach(imported -> forbidden.add(name + " imports " + imported));
    });
    assertThat(forbidden).isEmpty();
  }

  @Test
  void onlyApiAndLinuxExport() {
    manifests.forEach((name, manifest) -> {
      Set<String> exported = packages(manifest, "Export-Package");
      if (Set.of("io.burst.api", "io.burst.linux").contains(name)) {
        assertThat(exported).as(name).allMatch(exportedPackage -> exportedPackage.startsWith(OURS));
      } else {
        assertThat(exported).as(name).isEmpty();
      }
    });
  }

  @Test
  void noBundleGoesRoundItsImports() {
    manifests.forEach((name, manifest) -> {
      for (String header : List.of("DynamicImport-Package", "Require-Bundle", "Bundle-ClassPath", "Fragment-Host")) {
        assertThat(manifest.getValue(header)).as(name + " " + header).isNull();
      }
    });
  }

  @Test
  void theDistributionHoldsWhatTheFeaturesName() throws IOException {
    try (Stream<Path> jars = Files.list(Distribution.BUNDLES)) {
      assertThat(jars.map(jar -> jar.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(FeatureBundles.read().stream().map(FeatureBundles.Entry::jar).toList());
    }
  }

  private Set<String> exports(String bundle) {
    return manifests.containsKey(bundle) ? packages(manifests.get(bundle), "Export-Package") : Set.of();
  }

  private static Set<String> packages(Attributes manifest, String header) {
    return OSGiHeader.parseHeader(manifest.getValue(header)).keySet();
  }

  private static Map<String, Attributes> read() {
    Map<String, Attributes> manifests = new TreeMap<>();
    try (Stream<Path> jars = Files.list(Distribution.BUNDLES)) {
      for (Path jar : jars.filter(path -> path.getFileName().toString().startsWith(OURS)).toList()) {
        try (JarFile file = new JarFile(jar.toFile())) {
          Attributes manifest = file.getManifest().getMainAttributes();
          manifests.put(manifest.getValue("Bundle-SymbolicName"), manifest);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return manifests;
  }
}
