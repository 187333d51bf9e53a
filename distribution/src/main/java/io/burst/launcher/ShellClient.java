package io.burst.launcher;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code burst shell}: sends command lines to a container's admin socket and prints what comes back. One connection is
 * one command: a line goes there; output comes back, then a zero byte, the exit status in decimal digits and, when the
 * command failed, a space and one line that says why. Used by the main thread; needs no framework, so it starts at
 * once.
 */
final class ShellClient {

  private static final int STATUS_FAILED = 1;

  private final Path socket;

  private ShellClient(Path socket) {
    this.socket = socket;
  }

  public static void main(String[] arguments) {
    System.exit(launch(List.of(arguments)));
  }

  private static int launch(List<String> arguments) {
    try {
      Options options = Options.parse(arguments);
      ShellClient client = new ShellClient(options.home().resolve("run/admin.sock"));
      return options.rest().isEmpty() ? client.interact() : client.execute(String.join(" ", options.rest()));
    } catch (LaunchException e) {
      System.err.println("burst: " + e.getMessage());
      return Launcher.STATUS_NOT_STARTED;
    } catch (IOException e) {
      System.err.println("burst: the container closed the connection: " + e.getMessage());
      return STATUS_FAILED;
    }
  }

  private int interact() throws LaunchException, IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    boolean terminal = System.console() != null;
    int status = 0;
    prompt(terminal);
    for (String line = lines.readLine(); line != null && !line.equals("exit"); line = lines.readLine()) {
      if (!line.isBlank()) {
        status = execute(line);
      }
      prompt(terminal);
    }
    return status;
  }

  private static void prompt(boolean terminal) {
    if (terminal) {
      System.out.print("burst> ");
      System.out.flush();
    }
  }

  private int execute(String line) throws LaunchException, IOException {
    if (line.indexOf('\n') >= 0 || line.indexOf('\0') >= 0) {
      throw new LaunchException("a command is one line");
    }
    try (SocketChannel channel = connect()) {
      channel.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
      return print(channel);
    }
  }

  private SocketChannel connect() throws LaunchException, IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      return channel;
    } catch (IOException e) {
      channel.close();
      if (Files.exists(socket.getParent()) && !Files.isExecutable(socket.getParent())) {
        throw new LaunchException(
            socket.getParent() + " is closed to this user; be the user who started the container, or root");
      }
      throw new LaunchException(
          "no container answers at " + socket + "; start one with burst run, or name its home with --home DIR");
    }
  }

  /** Copies output up to the zero byte to stdout, and returns the status that follows it. */
  private static int print(SocketChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(8192);
    ByteArrayOutputStream end = new ByteArrayOutputStream();
    boolean output = true;
    while (channel.read(bytes) >= 0) {
      bytes.flip();
      while (bytes.hasRemaining()) {
        byte next = bytes.get();
        if (!output) {
          end.write(next);
        } else if (next == 0) {
          output = false;
        } else {
          System.out.write(next);
        }
      }
      System.out.flush();
      bytes.clear();
    }
    if (end.size() == 0) {
      throw new IOException("no exit status came");
    }
    String[] statusAndReason = end.toString(StandardCharsets.UTF_8).split(" ", 2);
    if (statusAndReason.length == 2) {
      System.err.println("burst: " + statusAndReason[1]);
    }
    return Integer.parseInt(statusAndReason[0]);
  }
}
