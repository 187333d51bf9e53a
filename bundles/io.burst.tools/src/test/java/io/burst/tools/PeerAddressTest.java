package io.burst.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.verbs.Gid;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerAddressTest {

  /** What ibv_rc_pingpong of rdma-core 44 sent on 10.77.0.2. */
  private static final String ORIGINAL = "0000:000011:102f8e:00000000000000000000ffff0a4d0002";

  @Test
  void readsAndWritesTheTextOfTheOriginal() throws UnknownHostException {
    PeerAddress address = PeerAddress.parse(ORIGINAL);
    assertThat(address)
        .isEqualTo(new PeerAddress(0, 0x11, 0x102f8e, Gid.of(InetAddress.getByName("10.77.0.2"))));
    assertThat(address.text()).isEqualTo(ORIGINAL).hasSize(PeerAddress.TEXT_CHARS);
    assertThat(address.hasGid()).isTrue();
    assertThat(address.describe()).isEqualTo("LID 0x0000, QPN 0x000011, PSN 0x102f8e, GID ::ffff:10.77.0.2");
  }

  @Test
  void carriesIpv6AndTheWholeRangeOfEachField() throws UnknownHostException {
    PeerAddress address =
        new PeerAddress(0xffff, 0xffffff, 0xffffff, Gid.of(InetAddress.getByName("fd77::ffff:ffff:ffff:fffe")));
    assertThat(address.text()).isEqualTo("ffff:ffffff:ffffff:fd77000000000000fffffffffffffffe");
    assertThat(PeerAddress.parse(address.text())).isEqualTo(address);
  }

  @Test
  void noticesThatThePeerHasNoGid() {
    assertThat(PeerAddress.parse("0001:000011:102f8e:00000000000000000000000000000000").hasGid()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "", "GET / HTTP/1.1", "0000:000011:102f8e", "0000:000011:102f8e:00000000000000000000ffff0a4d000",
    "0000:000011:102f8e:00000000000000000000ffff0a4d00020", "0000:00001g:102f8e:00000000000000000000ffff0a4d0002",
    "0000:-00011:102f8e:00000000000000000000ffff0a4d0002", "0000 000011:102f8e:00000000000000000000ffff0a4d0002"
  })
  void refusesAnythingElse(String text) {
    assertThatThrownBy(() -> PeerAddress.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
