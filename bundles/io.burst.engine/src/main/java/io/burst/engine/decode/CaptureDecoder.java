package io.burst.engine.decode;

import io.burst.admin.CaptureException;
import io.burst.admin.DecodeSummary;
import io.burst.admin.PacketDecoder;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.osgi.service.component.annotations.Component;

/** Shows the RoCEv2 packets of capture files. Keeps nothing between calls, so any thread may use it. */
@Component
public final class CaptureDecoder implements PacketDecoder {
  private static final int BUFFER_BYTES = 1 << 16;

  @Override
  public DecodeSummary decode(Path file, Consumer<String> lines) throws IOException {
    if (Files.isDirectory(file)) {
      throw new CaptureException(file + " is a directory");
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
      return new Decoding(lines).decode(in);
    } catch (CaptureException e) {
      throw new CaptureException(file + " " + e.getMessage());
    } catch (NoSuchFileException e) {
      throw new IOException(file + " does not exist", e);
    } catch (AccessDeniedException e) {
      throw new IOException(file + " may not be read by this user", e);
    }
  }
}
