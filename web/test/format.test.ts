import { describe, expect, it } from "vitest";

import * as format from "../src/format";
import { subject } from "../src/results";
import { rowsOf, spread } from "../src/figure/chart";
import { keyOf, spansDecades, sweptKeys, type Key } from "../src/sweep";
import { seriesKey } from "../src/section/time";

/** The narrow space between number and unit, as an ordinary one. */
const plain = (text: string): string => text.replace(/\u202f/g, " ");

describe("quantities", () => {
  it.each([
    ["rtt_avg_ns", 580_061_300, "580.06 ms"], ["rtt_avg_ns", 1_075_100_000, "1.0751 s"], ["completion_ns", 8_256_815_856, "8.2568 s"], ["rtt_min_ns", 72_304, "72.304 µs"],
    ["goodput_bps", 990.04e6, "990.0 Mbit/s"], ["goodput_bps", 9.58464e9, "9.585 Gbit/s"], ["goodput_bps", 0, "0 bit/s"],
    ["cwnd_max_bytes", 96 * 2 ** 20, "96 MiB"], ["bytes", 36.2e9, "36.20 GB"], ["recovery_s", 8.12, "8.120 s"],
    ["recovery_s", 0.25, "250.0 ms"], ["loss_ratio", 1e-6, "1.00e-6"], ["loss_ratio", 0, "0 %"],
    ["loss_ratio", 0.000_12, "0.012 %"], ["loss_ratio", 0.2, "20 %"], ["conforming_ratio", 1, "100 %"], ["jain_index", 0.98765, "0.9877"], ["retransmits", 123456, "123 456"], ["request_rate", 1.427, "1.427 1/s"],
    ["link.stm64.a>b.bytes over link.stm64.b>a.bytes", 1.494, "1.494"], ["a.rtt_avg_ns minus b.rtt_avg_ns", 464_048_000, "464.05 ms"],
  ])("%s %d is %s", (key, value, text) => {
    expect(plain(format.metric(key, value))).toBe(text);
  });

  it("of microseconds have their sign where a file has a letter", () => {
    expect(["10 us", "2.5us", "10 ms", "bus", "us"].map(format.micro)).toEqual(["10 µs", "2.5µs", "10 ms", "bus", "us"]);
  });

  it("show a missing value as a dash", () => {
    expect(format.metric("goodput_bps", null)).toBe("–");
    expect(format.metric("goodput_bps", undefined)).toBe("–");
  });

  it("of shares have per cent along an axis, however small they are", () => {
    expect(format.ticks([0, 5e-5, 1e-4], format.percentLike).map(plain)).toEqual(["0", "0.005 %", "0.01 %"]);
    expect(format.ticks([1e-7, 1e-6], format.percentLike).map(plain)).toEqual(["0.00001 %", "0.0001 %"]);
  });

  it("lose idle zeros on an axis only", () => {
    expect(plain(format.compact(format.rate(800e6, 4)))).toBe("800 Mbit/s");
    expect(plain(format.compact(format.rate(1.5e9, 4)))).toBe("1.5 Gbit/s");
    expect(format.compact(format.delay(0))).toBe("0");
    expect(plain(format.compact("1\u202f000\u202fB"))).toBe("1 000 B");
  });

  it("read what a scenario or a source writes", () => {
    expect(format.quantity("64 MiB")).toEqual({ value: 2 ** 26, kind: "size" });
    expect(format.quantity("10Gbit/s")).toEqual({ value: 1e10, kind: "rate" });
    expect(format.quantity("35 ms")).toEqual({ value: 35e6, kind: "time" });
    expect(format.quantity("1e-6")).toEqual({ value: 1e-6, kind: "number" });
    expect(format.quantity("580/581/584 ms")).toBeNull();
    expect(format.quantity("about 3 apples")).toBeNull();
  });

  it("take a stated figure only where it is one, and of the metric's kind", () => {
    expect(format.stated("goodput_bps", "990 Mbps")).toBe(990e6);
    expect(format.stated("rtt_avg_ns", "580/581/584 ms")).toBeNull();
    expect(format.stated("rtt_avg_ns", "990 Mbps")).toBeNull();
    expect(format.stated("recovery_s", "30 min")).toBe(1800);
    expect(format.stated("goodput_bps", "TCP was stable at 990Mbps using a window size of 64MBytes")).toBe(990e6);
    expect(format.stated("goodput_bps", "window x 8 / RTT = 115.5 Mbit/s")).toBe(115.5e6);
    expect(format.stated("goodput_bps", "0.0-300.7 sec 34624 MBytes 966 Mbits/sec")).toBe(966e6);
    expect(format.stated("goodput_bps", "10Gbps / 3 = 3.3Gbps")).toBe(3.3e9);
    expect(format.stated("recovery_s", "cbrt(8046 x 0.3 / 0.4) = 18.2 s")).toBe(18.2);
    expect(format.stated("goodput_bps", "between 10 Mbit/s and 20 Mbit/s")).toBeNull();
  });

  it("say a band and a share", () => {
    expect(plain(format.band("rtt_avg_ns", 580e6, 580.3e6))).toBe("580.00 ms to 580.30 ms");
    expect(plain(format.band("goodput_bps", 985e6, null))).toBe("at least 985.0 Mbit/s");
    expect(plain(format.share(0.9724))).toBe("97.2 %");
    expect(plain(format.share(0.0004))).toBe("< 0.1 %");
  });
});

describe("axes", () => {
  it("place a sweep by size, or in order where it has none", () => {
    const of = (values: readonly string[]): Key => keyOf(["k"], values.map((k) => ({ point: { k } })));
    const sizes = of(["128 MiB", "8 MiB", "64 MiB"]);
    expect(sizes.numbers).toEqual([8, 64, 128].map((v) => v * 2 ** 20));
    expect([spansDecades(sizes.numbers!), sizes.values]).toEqual([true, ["8 MiB", "64 MiB", "128 MiB"]]);
    expect(of(["reno", "cubic"])).toMatchObject({ values: ["reno", "cubic"], numbers: null });
    expect(of(["3bdp", "0.1bdp"]).numbers).toEqual([0.1, 3]);
    expect(of(["1bdp", "10 ms"]).numbers).toBeNull();
    expect(sweptKeys([{ point: { a: "1", b: "x" } }, { point: { a: "2", b: "x" } }])).toEqual(["a"]);
  });

  it("push labels apart and give crowded ones a second row", () => {
    expect(spread([10, 12, 100], 17)).toEqual([10, 27, 100]);
    expect(rowsOf([[0, 40], [30, 40], [60, 40]])).toEqual([0, 1, 0]);
  });

  it("say what a metric is of", () => {
    expect(subject("bulk.goodput_bps")).toEqual({ of: "bulk", metric: "goodput_bps" });
    expect(subject("search.one-way.highest_bps")).toEqual({ of: "search one-way", metric: "highest_bps" });
    expect(subject("link.l.a>b.drops.tail")).toEqual({ of: "link l, a → b", metric: "drops.tail" });
    expect(subject("link.l.a>b.bytes over link.l.b>a.bytes")).toEqual({ of: "link l, a → b over b → a", metric: "bytes" });
    expect(subject("x.rtt_avg_ns minus y.rtt_avg_ns")).toEqual({ of: "x", metric: "rtt_avg_ns minus y rtt_avg_ns" });
  });

  it("read the stream out of a series' name", () => {
    expect(seriesKey("stream.3.goodput_bps")).toEqual({ stream: 3, metric: "goodput_bps" });
    expect(seriesKey("rtt_ns")).toEqual({ stream: null, metric: "rtt_ns" });
  });
});

describe("a figure that misses its bound", () => {
  it("has as many digits as tell it from the bound", () => {
    expect(plain(format.missed("bulk.goodput_bps", 899_999_000, [9e8, null]))).toBe("899.999 Mbit/s");
    expect(format.missed("u.loss_ratio", 0.0050001, [null, 0.005])).toBe("0.50001\u202f%");
    expect(plain(format.missed("bulk.goodput_bps", 8e8, [9e8, null]))).toBe("800.0 Mbit/s");
  });
});

describe("a sentence in pieces", () => {
  it("has whole what a browser would break behind a hyphen", () => {
    expect(format.pieces("at loss 1e-5: 2.5e-4 with --segments-per-ack 1, round-trip")).toEqual(["at loss ", "1e-5", ": ", "2.5e-4", " with ", "--segments-per-ack", " 1, round-trip"]);
    expect(format.pieces("plain")).toEqual(["plain"]);
  });
});
