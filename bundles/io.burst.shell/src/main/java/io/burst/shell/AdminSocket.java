package io.burst.shell;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.apache.felix.service.command.CommandProcessor;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Converter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Unix-domain socket behind {@code burst shell}. A connection is one command: its line comes in; its output goes
 * out, then a zero byte, the exit status in decimal digits and, when it failed, a space and one line that says why. One
 * thread accepts, and one serves each connection. Who may connect is said by the permissions of the socket's folder.
 */
final class AdminSocket implements AutoCloseable {

  static final int MAX_LINE_BYTES = 16 * 1024;
  static final int MAX_CONNECTIONS = 16;

  private static final int STATUS_FAILED = 1;
  private static final Logger LOG = LoggerFactory.getLogger(AdminSocket.class);

  private final Path path;
  private final CommandProcessor processor;
  private final ServerSocketChannel server;
  private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
  private final Semaphore free = new Semaphore(MAX_CONNECTIONS);

  /** Replaces a socket that a killed container left: the home's lock says that none uses it. */
  AdminSocket(Path path, CommandProcessor processor) throws IOException {
    this.path = path;
    this.processor = processor;
    Files.deleteIfExists(path);
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      server.bind(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      server.close();
      throw e;
    }
    start(this::accept, "burst-admin");
  }

  private static void start(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        SocketChannel connection = server.accept();
        connections.add(connection);
        if (free.tryAcquire()) {
          start(() -> serve(connection), "burst-admin-command");
        } else {
          refuse(connection);
        }
      } catch (IOException e) {
        if (server.isOpen()) {
          LOG.warn("the admin socket failed to accept: {}", e.toString());
        }
      }
    }
  }

  private void refuse(SocketChannel connection) {
    try {
      end(Channels.newOutputStream(connection), "more than " + MAX_CONNECTIONS + " commands at once");
    } catch (IOException e) {
      LOG.debug("a refused client went away", e);
    } finally {
      close(connection);
    }
  }

  private void serve(SocketChannel connection) {
    try {
      OutputStream out = Channels.newOutputStream(connection);
      String line = readLine(connection);
      end(out, line == null ? "a command is one line of at most " + MAX_LINE_BYTES + " bytes" : execute(line, out));
    } catch (IOException e) {
      LOG.debug("an admin client went away", e);
    } finally {
      free.release();
      close(connection);
    }
  }

  /** Null when the line is too long or has no end. */
  private static String readLine(SocketChannel connection) throws IOException {
    ByteBuffer line = ByteBuffer.allocate(MAX_LINE_BYTES + 1);
    while (line.hasRemaining() && connection.read(line) > 0) {
      for (int i = 0; i < line.position(); i++) {
        if (line.get(i) == '\n') {
          return new String(line.array(), 0, i, StandardCharsets.UTF_8);
        }
      }
    }
    return null;
  }

  /** Returns why the command failed, null when it didn't. */
  private String execute(String line, OutputStream out) {
    try (PrintStream text = new PrintStream(new ZeroFree(out), false, StandardCharsets.UTF_8);
        CommandSession session = processor.createSession(InputStream.nullInputStream(), text, text)) {
      session.put("SCOPE", "burst:felix:*");
      Object result = session.execute(line);
      if (result != null) {
        text.println(session.format(result, Converter.INSPECT));
      }
      return null;
    } catch (Throwable e) { // a line can bring Gogo's parser to an assertion or out of stack; it ends its command only
      LOG.debug("command failed: {}", line, e);
      return e.getMessage() == null ? e.toString() : e.getMessage();
    }
  }

  private static void end(OutputStream out, String failure) throws IOException {
    String status = failure == null ? "0" : STATUS_FAILED + " " + failure.replaceAll("\\s+", " ");
    out.write(("\0" + status).getBytes(StandardCharsets.UTF_8));
  }

  private void close(SocketChannel connection) {
    connections.remove(connection);
    try {
      connection.close();
    } catch (IOException e) {
      LOG.debug("closing a connection failed", e);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    connections.forEach(this::close);
    Files.deleteIfExists(path);
  }

  /** Drops zero bytes, which end the output, and leaves the connection open when the command closes its stream. */
  private static final class ZeroFree extends OutputStream {

    private final OutputStream out;

    ZeroFree(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      int start = offset;
      for (int i = offset; i < offset + length; i++) {
        if (bytes[i] == 0) {
          out.write(bytes, start, i - start);
          start = i + 1;
        }
      }
      out.write(bytes, start, offset + length - start);
    }
  }
}
