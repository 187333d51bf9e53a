package io.burst.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.tools.Flags.Flag;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlagsTest {

  private static final Flag SIZE = Flag.value('s', "size", "bytes", "");
  private static final Flag SLOW = Flag.mark('w', "slow", "");
  private static final Flag CHECK = Flag.mark('c', "chk", "");
  private static final List<Flag> KNOWN = List.of(SIZE, SLOW, CHECK);

  private static Flags parse(String line) throws CommandFailure {
    return Flags.parse(line.isEmpty() ? new String[0] : line.split(" "), KNOWN);
  }

  @ParameterizedTest
  @CsvSource({"-s 12", "-s12", "--size 12", "--size=12", "--si=12", "-cs12", "-s 0xc", "-s 014", "-s 1 -s 12"})
  void readsAValueInEveryFormThatGetoptKnows(String line) throws CommandFailure {
    assertThat(parse(line).number(SIZE, 1, 0, 100)).isEqualTo(12);
  }

  @Test
  void readsFlagsBehindAndBetweenOperands() throws CommandFailure {
    Flags flags = parse("one -c two --slow -- -s");
    assertThat(flags.operands()).containsExactly("one", "two", "-s");
    assertThat(flags.isSet(CHECK)).isTrue();
    assertThat(flags.isSet(SLOW)).isTrue();
    assertThat(flags.isSet(SIZE)).isFalse();
    assertThat(flags.number(SIZE, 7, 0, 100)).isEqualTo(7);
  }

  @ParameterizedTest
  @CsvSource({
    "-x, unknown flag -x",
    "-cx, unknown flag -x",
    "--nix, unknown flag --nix",
    "--=3, ambiguous flag --",
    "--s=1, ambiguous flag --s",
    "-s, --size needs a value",
    "--size, --size needs a value",
    "--chk=1, --chk takes no value",
    "-s a, --size a is not a number",
    "-s -1, --size -1 is not within 0 to 100",
    "-s 101, --size 101 is not within 0 to 100",
    "-s 99999999999999999999, --size 99999999999999999999 is not a number"
  })
  void refusesWithOneLineAndStatus2(String line, String what) {
    assertThatThrownBy(() -> parse(line).number(SIZE, 1, 0, 100))
        .isInstanceOfSatisfying(CommandFailure.class, failure -> {
          assertThat(failure).hasMessage(what + "; --help lists the flags");
          assertThat(failure.exitStatus()).isEqualTo(2);
        });
  }
}
