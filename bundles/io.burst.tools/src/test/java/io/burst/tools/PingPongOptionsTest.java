package io.burst.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.verbs.PathMtu;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PingPongOptionsTest {

  private static PingPongOptions parse(String line) throws CommandFailure {
    return PingPongOptions.parse(line.split(" "));
  }

  @Test
  void hasTheDefaultsOfTheOriginal() throws CommandFailure {
    PingPongOptions options = parse("-d eth0");
    assertThat(options.isServer()).isTrue();
    assertThat(options.tcpPort()).isEqualTo(18515);
    assertThat(options.sizeBytes()).isEqualTo(4096);
    assertThat(options.pathMtu()).isEqualTo(PathMtu.MTU_1024);
    assertThat(options.receiveDepth()).isEqualTo(500);
    assertThat(options.iterations()).isEqualTo(1000);
    assertThat(options.gidIndex()).isEqualTo(-1);
    assertThat(options.check()).isFalse();
    assertThat(options.device()).isEqualTo(new DeviceSettings("eth0", "packet", null, Map.of()));
  }

  @Test
  void readsTheFlagsOfTheOriginal() throws CommandFailure {
    PingPongOptions options =
        parse("-p 1234 -d eth0 -i 1 -s 65537 -m 4096 -r 17 -n 200 -l 3 -g 2 -c --seed 9 10.77.0.2");
    assertThat(options).isEqualTo(new PingPongOptions("10.77.0.2", 1234,
        new DeviceSettings("eth0", "packet", null, Map.of()), 65537, PathMtu.MTU_4096, 17, 200, 2, true, 9));
    assertThat(parse("--port=1234 --ib-dev=eth0 --ib-port=1 --size=65537 --mtu=4096 --rx-depth=17 --iters=200 --sl=3"
        + " --gid-idx=2 --chk --seed=9 10.77.0.2")).isEqualTo(options);
  }

  @Test
  void takesPortForBothTheTcpPortAndTheWayOfPackets() throws CommandFailure {
    PingPongOptions options = parse("--port udp --address 127.0.0.2 --port 99");
    assertThat(options.tcpPort()).isEqualTo(99);
    assertThat(options.device().port()).isEqualTo("udp");
  }

  @Test
  void derivesTheFirstPsnFromTheSeed() throws CommandFailure {
    int psn = parse("-d eth0 --seed 9").firstPsn();
    assertThat(psn).isBetween(0, 0xffffff).isEqualTo(parse("-d eth0 --seed 9").firstPsn());
    assertThat(parse("-d eth0 --seed 10").firstPsn()).isNotEqualTo(psn);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "-d e0 -e|-e (--events) is not supported: leave it out",
    "-d e0 --ts|-t (--ts) is not supported: leave it out",
    "-d e0 -m 1500|path MTU 1500 is none of 256, 512, 1024, 2048, 4096; --help lists the flags",
    "-d e0 -s 1073741825|--size 1073741825 is not within 0 to 1073741824; --help lists the flags",
    "-d e0 -n 0|--iters 0 is not within 1 to 2147483647; --help lists the flags",
    "-d e0 -r 0|--rx-depth 0 is not within 1 to 65536; --help lists the flags",
    "-d e0 -p 65536|--port 65536 is not within 1 to 65535; --help lists the flags",
    "-d e0 --port shm|--port shm is not a number; --help lists the flags",
    "-d e0 -i 2|--ib-port 2 is not within 1 to 1; --help lists the flags",
    "-d e0 a b|more than one HOST; --help lists the flags"
  })
  void refuses(String line, String complaint) {
    assertThatThrownBy(() -> parse(line)).isInstanceOf(CommandFailure.class).hasMessage(complaint);
  }
}
