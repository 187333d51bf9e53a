package io.burst.tools;

import io.burst.tools.DemoTransfer.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the demo's steps moved and verified, as a table or as JSON. Belongs to the program's thread. */
final class DemoReport {

  /** One step: so many messages each way, as their receivers saw them. */
  private record Step(long messages, Result fromA, Result fromB) {

    long bytes() {
      return 2 * messages * DemoTransfer.MESSAGE_BYTES;
    }

    long verifiedBytes() {
      return (right(fromA) + right(fromB)) * DemoTransfer.MESSAGE_BYTES;
    }

    double seconds() {
      return Math.max(fromA.elapsedNs(), fromB.elapsedNs()) / 1e9;
    }

    boolean isVerified() {
      return fromA.isVerified(messages) && fromB.isVerified(messages);
    }
  }

  private final List<Step> steps = new ArrayList<>();
  private boolean brokenOff;

  private static long right(Result result) {
    return result.messages() - result.mismatches();
  }

  void add(long messages, Result fromA, Result fromB) {
    steps.add(new Step(messages, fromA, fromB));
  }

  /** A step broke off. */
  DemoReport failed() {
    brokenOff = true;
    return this;
  }

  boolean isVerified() {
    return !brokenOff && steps.stream().allMatch(Step::isVerified);
  }

  String json() {
    List<String> texts = new ArrayList<>();
    for (Step step : steps) {
      texts.add(String.format(Locale.ROOT,
          "{\"name\": \"transfer\", \"ok\": %b, \"bytes\": %d, \"verified\": %d, \"seconds\": %.3f}",
          step.isVerified(), step.bytes(), step.verifiedBytes(), step.seconds()));
    }
    return String.format(Locale.ROOT,
        "{\"ok\": %b, \"bytes\": %d, \"verified\": %d, \"seconds\": %.3f, \"steps\": [%s]}%n",
        isVerified(),
        steps.stream().mapToLong(Step::bytes).sum(),
        steps.stream().mapToLong(Step::verifiedBytes).sum(),
        steps.stream().mapToDouble(Step::seconds).sum(),
        String.join(", ", texts));
  }

  String table(DemoStatus statusA, DemoStatus statusB) {
    return String.format("%-9s %9s %12s %12s %8s %7s %14s%n",
            "direction", "messages", "bytes", "verified", "seconds", "Gb/s", "retransmitted")
        + row("A to B", steps.stream().map(Step::fromA).toList(), statusA)
        + row("B to A", steps.stream().map(Step::fromB).toList(), statusB)
        + String.format(Locale.ROOT, "VmRSS: container A %d MB, container B %d MB%n",
            megabytes(statusA), megabytes(statusB))
        + (isVerified() ? "all bytes verified" : "NOT all bytes verified") + System.lineSeparator();
  }

  private String row(String direction, List<Result> results, DemoStatus sender) {
    long messages = steps.stream().mapToLong(Step::messages).sum();
    long bytes = messages * DemoTransfer.MESSAGE_BYTES;
    long verified = results.stream().mapToLong(DemoReport::right).sum() * DemoTransfer.MESSAGE_BYTES;
    double seconds = results.stream().mapToLong(Result::elapsedNs).sum() / 1e9;
    return String.format(Locale.ROOT, "%-9s %9d %12d %12d %8.2f %7.2f %14d%n",
        direction, messages, bytes, verified, seconds, bytes * 8 / seconds / 1e9, sender.retransmittedPackets());
  }

  private static long megabytes(DemoStatus status) {
    return status.residentKib() * 1024 / 1_000_000;
  }
}
