package io.burst.tools;

import io.burst.admin.DecodeSummary;
import io.burst.admin.PacketDecoder;
import io.burst.tools.Flags.Flag;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToIntFunction;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** {@code decode}: prints the RoCEv2 packets of capture files, a line each, and what was wrong with them. */
@Component(service = ToIntFunction.class, property = "burst.program=decode")
public final class Decode extends Program {

  private static final int BUFFER_CHARS = 1 << 16;
  private static final List<Flag> FLAGS = List.of(Flags.HELP);

  private final PacketDecoder decoder;

  @Activate
  public Decode(@Reference PacketDecoder decoder) {
    super("decode");
    this.decoder = decoder;
  }

  @Override
  int run(String[] arguments, PrintStream out, PrintStream err) throws CommandFailure {
    Flags flags = Flags.parse(arguments, FLAGS);
    if (flags.isSet(Flags.HELP)) {
      out.print(Flags.usage("decode FILE...", FLAGS));
      return 0;
    }
    if (flags.operands().isEmpty()) {
      throw Flags.misuse("no FILE");
    }
    boolean good = true;
    for (String file : flags.operands()) {
      DecodeSummary summary = decode(file, out, flags.operands().size() > 1);
      good &= summary.badIcrcs() == 0 && summary.malformed() == 0;
    }
    if (out.checkError()) {
      throw CommandFailure.notDone("the output was closed before all was printed");
    }
    return good ? 0 : 1;
  }

  private DecodeSummary decode(String file, PrintStream out, boolean named) throws CommandFailure {
    BufferedWriter lines = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), BUFFER_CHARS);
    try {
      DecodeSummary summary = decoder.decode(Path.of(file), line -> print(lines, line));
      print(lines, (named ? file + ": " : "") + text(summary));
      return summary;
    } catch (IOException | InvalidPathException e) {
      throw CommandFailure.notStarted(e.getMessage().contains(file) ? e.getMessage() : file + ": " + e.getMessage());
    } finally {
      flush(lines);
    }
  }

  private static String text(DecodeSummary summary) {
    return summary.packets() + " packets, " + summary.badIcrcs() + " bad ICRCs, " + summary.malformed()
        + " malformed, " + summary.cut() + " cut";
  }

  private static void print(BufferedWriter lines, String line) {
    try {
      lines.write(line);
      lines.write('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void flush(BufferedWriter lines) {
    try {
      lines.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
