package io.burst.tools;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A command line split as getopt_long does it: flags anywhere, bundled letters, {@code --name=value}, {@code --}. */
final class Flags {

  /** In place of the letter of a flag that has only a name. */
  static final char NO_LETTER = 0;

  /**
   * A flag that a program knows.
   *
   * @param valueName what its value is called in the usage text; null when it takes none
   */
  record Flag(char letter, String name, String valueName, String help) {

    static Flag value(char letter, String name, String valueName, String help) {
      return new Flag(letter, name, valueName, help);
    }

    static Flag mark(char letter, String name, String help) {
      return new Flag(letter, name, null, help);
    }

    boolean takesValue() {
      return valueName != null;
    }

    private String usage() {
      String left = (letter == NO_LETTER ? "    " : "-" + letter + ", ")
          + "--" + name + (takesValue() ? "=<" + valueName + ">" : "");
      return String.format("  %-28s %s", left, help);
    }
  }

  static final Flag HELP = Flag.mark('h', "help", "print this text");

  private final Map<Flag, List<String>> values = new HashMap<>();
  private final List<String> operands = new ArrayList<>();

  private Flags() {}

  static Flags parse(String[] arguments, List<Flag> known) throws CommandFailure {
    Flags flags = new Flags();
    boolean onlyOperands = false;
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      String next = i + 1 < arguments.length ? arguments[i + 1] : null;
      if (onlyOperands || !argument.startsWith("-") || argument.equals("-")) {
        flags.operands.add(argument);
      } else if (argument.equals("--")) {
        onlyOperands = true;
      } else if (argument.startsWith("--")) {
        i += flags.addNamed(argument.substring(2), next, known);
      } else {
        i += flags.addLetters(argument, next, known);
      }
    }
    return flags;
  }

  /** @return how many arguments beyond this one were used */
  private int addNamed(String argument, String next, List<Flag> known) throws CommandFailure {
    int equals = argument.indexOf('=');
    String name = equals < 0 ? argument : argument.substring(0, equals);
    Flag flag = named(name, known);
    if (!flag.takesValue()) {
      if (equals >= 0) {
        throw misuse("--" + flag.name + " takes no value");
      }
      add(flag, "");
      return 0;
    }
    if (equals >= 0) {
      add(flag, argument.substring(equals + 1));
      return 0;
    }
    add(flag, required(flag, next));
    return 1;
  }

  private int addLetters(String argument, String next, List<Flag> known) throws CommandFailure {
    for (int i = 1; i < argument.length(); i++) {
      Flag flag = lettered(argument.charAt(i), known);
      if (flag.takesValue()) {
        boolean attached = i + 1 < argument.length();
        add(flag, attached ? argument.substring(i + 1) : required(flag, next));
        return attached ? 0 : 1;
      }
      add(flag, "");
    }
    return 0;
  }

  private static Flag named(String name, List<Flag> known) throws CommandFailure {
    List<Flag> starting = known.stream().filter(flag -> flag.name.startsWith(name)).toList();
    for (Flag flag : starting) {
      if (flag.name.equals(name)) {
        return flag;
      }
    }
    if (starting.size() != 1 || name.isEmpty()) {
      throw misuse((starting.isEmpty() ? "unknown flag --" : "ambiguous flag --") + name);
    }
    return starting.get(0);
  }

  private static Flag lettered(char letter, List<Flag> known) throws CommandFailure {
    for (Flag flag : known) {
      if (flag.letter == letter) {
        return flag;
      }
    }
    throw misuse("unknown flag -" + letter);
  }

  private static String required(Flag flag, String value) throws CommandFailure {
    if (value == null) {
      throw misuse("--" + flag.name + " needs a value");
    }
    return value;
  }

  static CommandFailure misuse(String what) {
    return CommandFailure.notStarted(what + "; --help lists the flags");
  }

  private void add(Flag flag, String value) {
    values.computeIfAbsent(flag, key -> new ArrayList<>()).add(value);
  }

  List<String> operands() {
    return operands;
  }

  boolean isSet(Flag flag) {
    return values.containsKey(flag);
  }

  /** Every value given, in order. */
  List<String> all(Flag flag) {
    return values.getOrDefault(flag, List.of());
  }

  /** The value given last, or null. */
  String text(Flag flag) {
    List<String> given = all(flag);
    return given.isEmpty() ? null : given.get(given.size() - 1);
  }

  long number(Flag flag, long otherwise, long least, long most) throws CommandFailure {
    String text = text(flag);
    return text == null ? otherwise : number("--" + flag.name, text, least, most);
  }

  /** Decimal, 0x hexadecimal or 0 octal, as strtoul reads it. */
  static long number(String name, String text, long least, long most) throws CommandFailure {
    long value;
    try {
      value = Long.decode(text);
    } catch (NumberFormatException e) {
      throw misuse(name + " " + text + " is not a number");
    }
    if (value < least || value > most) {
      throw misuse(name + " " + text + " is not within " + least + " to " + most);
    }
    return value;
  }

  static String usage(String synopsis, List<Flag> known) {
    StringBuilder text = new StringBuilder("usage: burst ").append(synopsis).append('\n');
    known.forEach(flag -> text.append(flag.usage()).append('\n'));
    return text.toString();
  }
}
