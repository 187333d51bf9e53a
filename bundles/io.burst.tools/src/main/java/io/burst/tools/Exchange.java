package io.burst.tools;

import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The TCP connection over which ibv_rc_pingpong's ends tell each other where they are: the client sends its address,
 * the server answers with its own once it is ready, the client says "done". Each text ends with a NUL. Belongs to the
 * program's thread.
 */
final class Exchange implements AutoCloseable {

  private static final int CONNECT_TIMEOUT_MS = 10_000;
  private static final int READ_TIMEOUT_MS = 30_000;
  private static final String DONE = "done";

  private final Socket socket;

  private Exchange(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(READ_TIMEOUT_MS);
    socket.setTcpNoDelay(true);
  }

  static Exchange connect(String host, int port) throws CommandFailure {
    IOException last = null;
    for (InetAddress address : addressesOf(host)) {
      Socket socket = new Socket();
      try {
        socket.connect(new InetSocketAddress(address, port), CONNECT_TIMEOUT_MS);
        return new Exchange(socket);
      } catch (IOException e) {
        last = e;
        closeQuietly(socket);
      }
    }
    throw CommandFailure.notStarted("no connection to TCP port " + port + " of " + host + " (" + last.getMessage()
        + "): start the server there first");
  }

  private static InetAddress[] addressesOf(String host) throws CommandFailure {
    try {
      return InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw CommandFailure.notStarted("unknown host " + host + ": give a name that resolves, or an address");
    }
  }

  /** Waits for a client, for as long as it takes. */
  static Exchange accept(int port) throws CommandFailure {
    try (ServerSocket server = new ServerSocket()) {
      server.setReuseAddress(true);
      server.bind(new InetSocketAddress(port), 1);
      return new Exchange(server.accept());
    } catch (BindException e) {
      throw CommandFailure.notStarted(
          "TCP port " + port + " can't be listened on (" + e.getMessage() + "): give another with -p on both ends");
    } catch (IOException e) {
      throw CommandFailure.notStarted("no connection on TCP port " + port + ": " + e.getMessage());
    }
  }

  boolean isIpv4() {
    return socket.getInetAddress().getAddress().length == 4;
  }

  void send(PeerAddress address) throws CommandFailure {
    sendText(address.text());
  }

  PeerAddress receive() throws CommandFailure {
    String text = receiveText(PeerAddress.TEXT_CHARS);
    try {
      return PeerAddress.parse(text);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.notStarted("the peer sent " + e.getMessage() + ": is it ibv_rc_pingpong or burst pingpong?");
    }
  }

  void sendDone() throws CommandFailure {
    sendText(DONE);
  }

  void receiveDone() throws CommandFailure {
    if (!receiveText(DONE.length()).equals(DONE)) {
      throw CommandFailure.notStarted("the client did not end the exchange of addresses as ibv_rc_pingpong does");
    }
  }

  private void sendText(String text) throws CommandFailure {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    try {
      socket.getOutputStream().write(Arrays.copyOf(bytes, bytes.length + 1));
    } catch (IOException e) {
      throw broken(e.getMessage());
    }
  }

  private String receiveText(int chars) throws CommandFailure {
    try {
      InputStream in = socket.getInputStream();
      byte[] bytes = in.readNBytes(chars + 1);
      if (bytes.length <= chars) {
        throw broken("the peer closed it");
      }
      return new String(bytes, 0, chars, StandardCharsets.US_ASCII);
    } catch (SocketTimeoutException e) {
      throw broken("the peer was silent for " + READ_TIMEOUT_MS / 1000 + " s");
    } catch (IOException e) {
      throw broken(e.getMessage());
    }
  }

  private static CommandFailure broken(String why) {
    return CommandFailure.notStarted("the exchange of addresses broke off (" + why + "): look at what the peer prints");
  }

  @Override
  public void close() {
    closeQuietly(socket);
  }

  /** The addresses have been exchanged, or something worse has been said: a failed close changes neither. */
  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException ignored) {
      // See above.
    }
  }
}
