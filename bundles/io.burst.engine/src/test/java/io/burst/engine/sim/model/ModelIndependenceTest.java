package io.burst.engine.sim.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The model can't share a mistake with what it judges: its sources name nothing of BURST but the verbs. */
class ModelIndependenceTest {
  private static final Path SOURCES = Path.of("src/test/java/io/burst/engine/sim/model");
  private static final Pattern NAME_OF_OURS = Pattern.compile("\\bio\\s*\\.\\s*burst\\s*\\.[\\w\\s.]*");
  private static final Pattern IMPORT = Pattern.compile("(?m)^import\\s+(?:static\\s+)?([\\w.]+)");

  @Test
  void namesNothingOfTheEngine() throws IOException {
    for (Path source : sources()) {
      String text = Files.readString(source).replaceFirst("package io.burst.engine.sim.model;", "");
      Matcher names = NAME_OF_OURS.matcher(text);
      while (names.find()) {
        assertThat(names.group()).as(source.toString()).startsWith("io.burst.verbs.");
      }
    }
  }

  @Test
  void importsTheVerbsAndTheJdkOnly() throws IOException {
    for (Path source : sources()) {
      Matcher imports = IMPORT.matcher(Files.readString(source));
      while (imports.find()) {
        assertThat(imports.group(1)).as(source.toString()).matches("(io\\.burst\\.verbs|java)\\..*");
      }
    }
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.list(SOURCES)) {
      List<Path> model = files.filter(file -> !file.endsWith("ModelIndependenceTest.java")).toList();
      assertThat(model).hasSizeGreaterThan(5);
      return model;
    }
  }
}
