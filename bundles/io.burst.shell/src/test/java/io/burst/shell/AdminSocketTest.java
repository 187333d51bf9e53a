package io.burst.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.felix.gogo.runtime.CommandProcessorImpl;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The admin socket's side of its protocol, with Gogo's own command processor behind it. */
@Timeout(30)
class AdminSocketTest {

  private final ThreadIOImpl threadIo = new ThreadIOImpl();

  @TempDir
  Path folder;

  private Path path;
  private AdminSocket socket;

  /** The commands of the test. */
  public static final class Commands {

    public void hello(String name) {
      System.out.println("hello " + name);
    }

    public String answer() {
      return "42";
    }

    public void zero() {
      System.out.print("a\0b\0");
    }

    public void fail() {
      throw new IllegalStateException("two\nlines");
    }
  }

  @BeforeEach
  void open() throws IOException {
    threadIo.start();
    CommandProcessorImpl processor = new CommandProcessorImpl(threadIo);
    Commands commands = new Commands();
    for (String name : List.of("hello", "answer", "zero", "fail")) {
      processor.addCommand("burst", commands, name);
    }
    path = folder.resolve("admin.sock");
    socket = new AdminSocket(path, processor);
  }

  @AfterEach
  void close() throws IOException {
    socket.close();
    threadIo.stop();
  }

  @Test
  void outputComesBackAndThenTheStatus() throws IOException {
    assertThat(execute("hello world\n")).isEqualTo("hello world\n\0" + "0");
    assertThat(execute("answer\n")).isEqualTo("42\n\0" + "0");
    assertThat(execute("\n")).isEqualTo("\0" + "0");
  }

  @Test
  void aFailureIsOneLineAfterTheStatus() throws IOException {
    assertThat(execute("fail\n")).isEqualTo("\0" + "1 two lines");
    assertThat(execute("nix\n")).startsWith("\0" + "1 ").contains("nix").doesNotContain("\n");
  }

  @Test
  void aZeroByteInTheOutputDoesNotEndIt() throws IOException {
    assertThat(execute("zero\n")).isEqualTo("ab\0" + "0");
  }

  @Test
  void aLineThatIsTooLongOrHasNoEndIsRefused() throws IOException {
    String refusal = "\0" + "1 a command is one line of at most " + AdminSocket.MAX_LINE_BYTES + " bytes";
    assertThat(execute("x".repeat(AdminSocket.MAX_LINE_BYTES + 1))).isEqualTo(refusal);
    assertThat(execute("answer")).isEqualTo(refusal);
    assertThat(execute("")).isEqualTo(refusal);
    assertThat(execute("answer" + " ".repeat(AdminSocket.MAX_LINE_BYTES - "answer".length()) + "\n"))
        .isEqualTo("42\n\0" + "0");
  }

  @Test
  void garbageEndsItsOwnConnectionOnly() throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < 50; i++) {
      byte[] garbage = new byte[random.nextInt(200)];
      random.nextBytes(garbage);
      garbage = (new String(garbage, StandardCharsets.ISO_8859_1).replace('\n', ' ') + "\n")
          .getBytes(StandardCharsets.ISO_8859_1);
      assertThat(execute(garbage)).matches("(?s).*\0[01].*");
    }
    assertThat(execute("(".repeat(AdminSocket.MAX_LINE_BYTES - 1) + "\n")).startsWith("\0" + "1 ");
    assertThat(execute("answer\n")).isEqualTo("42\n\0" + "0");
  }

  @Test
  void idleConnectionsAreLimited() throws IOException {
    List<SocketChannel> idle = new ArrayList<>();
    try {
      for (int i = 0; i < AdminSocket.MAX_CONNECTIONS; i++) {
        idle.add(SocketChannel.open(UnixDomainSocketAddress.of(path)));
      }
      try (SocketChannel refused = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
        assertThat(read(refused)).isEqualTo("\0" + "1 more than " + AdminSocket.MAX_CONNECTIONS + " commands at once");
      }
    } finally {
      for (SocketChannel channel : idle) {
        channel.close();
      }
    }
  }

  @Test
  void closingEndsConnectionsAndRemovesTheSocket() throws IOException {
    try (SocketChannel idle = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      assertThat(execute("answer\n")).startsWith("42");
      socket.close();
      assertThat(read(idle)).isEmpty();
    }
    assertThat(Files.exists(path)).isFalse();
  }

  @Test
  void aStaleSocketIsReplaced() throws IOException {
    AdminSocket second = new AdminSocket(path, new CommandProcessorImpl(threadIo));
    assertThat(execute("answer\n")).startsWith("\0" + "1 ").contains("answer");
    second.close();
  }

  private String execute(String line) throws IOException {
    return execute(line.getBytes(StandardCharsets.UTF_8));
  }

  private String execute(byte[] bytes) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      channel.write(ByteBuffer.wrap(bytes));
      channel.shutdownOutput();
      return read(channel);
    }
  }

  private static String read(SocketChannel channel) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    ByteBuffer part = ByteBuffer.allocate(4096);
    while (channel.read(part) >= 0) {
      all.write(part.array(), 0, part.position());
      part.clear();
    }
    return all.toString(StandardCharsets.UTF_8);
  }
}
