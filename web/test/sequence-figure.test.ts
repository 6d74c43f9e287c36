import { describe, expect, it } from "vitest";

import { complete } from "../src/sequence/burst";
import { drawSequence } from "../src/sequence/figure";
import { byteLabel, ticks } from "../src/sequence/axis";
import { repairs, spanned, whole } from "../src/sequence/view";
import { toText } from "../src/svg";
import type { Sequence, SequenceBurst } from "../src/types";

const DATA: SequenceBurst = { kind: "data", t_ns: 0, seq: 0, len: 1000, n: 2, gap_ns: 10_000, seq_step: 1000, m: 500_000, group_gap_ns: 20_000, group_seq_step: 2000 };
const ACKS: SequenceBurst = { kind: "ack", t_ns: 1e8, seq: 2000, m: 500_000, group_gap_ns: 20_000, group_seq_step: 2000 };
const lost = (t_ns: number, more: Partial<SequenceBurst> = {}): SequenceBurst => ({ kind: "retransmit", t_ns, seq: 4000, len: 1000, ...more });

function drawn(bursts: readonly SequenceBurst[], span?: readonly [number, number]): string {
  const sequence: Sequence = { origin: "simulated", test: "bulk", stream: 0, bursts };
  const view = span ? spanned(bursts.map(complete), ...span)! : undefined;
  return toText(drawSequence(sequence, { id: "s", title: "t", describe: "d", width: 900, ...(view ? { view } : {}) }));
}

describe("a time–sequence figure", () => {
  it("costs what is seen: a million segments are one stroke", () => {
    const text = drawn([DATA, ACKS]);
    expect(text.length).toBeLessThan(8000);
    expect(text).toContain(`class="seq-line data" d="M`);
  });

  it("shows single segments close by, each a bar with its head", () => {
    const text = drawn([DATA], [0, 400_000]);
    const bars = /class="seq-bar data" d="([^"]*)"/.exec(text)![1]!;
    expect(bars.match(/V/g)!.length).toBeGreaterThan(38);
    expect(bars.match(/V/g)!.length).toBeLessThan(43);
  });

  it("is as high as the stream where repairs go back, with numbers that have room", () => {
    const view = whole([DATA, lost(1e9, { seq: 9e8, n: 137, gap_ns: 1e6, seq_step: 1000, m: 3, group_gap_ns: 2e9, group_seq_step: -198_376 })].map(complete));
    expect(view.s0).toBeLessThan(0);
    expect(view.s1).toBeLessThan(1.06e9);
    for (const top of [1e3, 1e9, 1e12, 9e15]) {
      const labels = ticks(0, top, 6).map((s, _, all) => byteLabel(s, all[1]! - all[0]!));
      expect(Math.max(...labels.map((l) => l.length))).toBeLessThanOrEqual(10);
    }
  });

  it("has its key beside the name of its axis where there is room, and else in rows above it", () => {
    const sequence: Sequence = { origin: "simulated", test: "bulk", stream: 0, bursts: [DATA, ACKS, lost(1e9), { ...lost(1e9), kind: "sack" }, { ...ACKS, kind: "window" }] };
    for (const [width, rows] of [[960, 1], [640, 2], [480, 3], [320, 3]] as const) {
      const text = toText(drawSequence(sequence, { id: "s", title: "t", describe: "d", width }));
      const words = ["data", "ACKs", "SACK blocks", "retransmissions", "window", "byte of the stream"];
      const at = words.map((word) => new RegExp(`<text[^>]* x="([-\\d.]+)" y="([-\\d.]+)"[^>]*>${word}<`).exec(text)!.slice(1).map(Number) as [number, number]);
      expect(new Set(at.map(([, y]) => y)).size).toBe(rows);
      const [, top] = /viewBox="0 (-?\d+) /.exec(text)!.map(Number);
      for (const [i, [x, y]] of at.entries()) {
        expect(y).toBeGreaterThan(top! + 10);
        // Nothing begins where another word of its row has not ended.
        for (const [k, [other, row]] of at.entries()) if (row === y && other < x) expect(other + words[k]!.length * 6).toBeLessThan(x - 20);
        expect(x - (i < 5 ? 26 : 0)).toBeGreaterThan(0);
      }
    }
  });

  it("flags retransmissions at every zoom, once where they stand together", () => {
    const text = drawn([DATA, lost(1e9), lost(1e9 + 1000), lost(8e9)]);
    expect(text.match(/>R</g)).toHaveLength(2);
    expect(text).toContain(">retransmissions<");
    expect(drawn([DATA])).not.toContain("retransmissions");
  });

  it("shows each of twenty planted retransmissions at every zoom that it is in", () => {
    // Ten seconds of a million segments; one in each half second is sent again.
    const planted = Array.from({ length: 20 }, (_, i) => lost(2.5e8 + i * 5e8, { seq: 2_500_000 + i * 50_000_000 }));
    expect(drawn([DATA, ...planted]).match(/>R</g)).toHaveLength(20);
    for (const half of [5e9, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4]) {
      for (const at of planted.map((p) => p.t_ns)) {
        const [from, to] = [Math.max(0, at - half), Math.min(1e10, at + half)];
        const within = planted.filter((p) => p.t_ns >= from && p.t_ns <= to).length;
        expect(drawn([DATA, ...planted], [from, to]).match(/>R</g)).toHaveLength(within);
      }
    }
  });

  it("marks retransmissions all along a transfer however narrow it is drawn, and each of one connection by its letter", () => {
    // Two losses in each of 131 groups, so that both lie nearer to each other than a stroke of a narrow drawing can tell.
    const along = lost(1.2e9, { n: 2, gap_ns: 3e8, seq_step: 100_000, m: 131, group_gap_ns: 6e8, group_seq_step: 200_000 });
    const stroke = lost(1.2e9, { n: 2, gap_ns: 7.83e10, seq_step: 26_100_000, stands_for: 262 });
    const flags = (width: number, bursts: readonly SequenceBurst[]): number[] => {
      const text = toText(drawSequence({ origin: "simulated", test: "bulk", stream: 0, bursts }, { id: "s", title: "t", describe: "d", width }));
      return [...text.matchAll(/<text class="seq-flag" x="([\d.]+)"/g)].map((m) => Number(m[1]));
    };
    for (const width of [320, 390, 720, 960, 1168]) for (const burst of [along, stroke]) {
      const at = flags(width, [burst]);
      const apart = at.slice(1).map((x, i) => x - at[i]!);
      expect(Math.max(...apart)).toBeLessThan(40);
      expect(Math.min(...apart)).toBeGreaterThanOrEqual(5);
      expect(at.at(-1)! - at[0]!).toBeGreaterThan(0.8 * (width - 88));
    }
    const text = drawn([lost(1e9, { label: "fast" }), lost(1e9 + 1000, { label: "timeout" }), lost(9e9)]);
    expect([...text.matchAll(/>([A-Z])<\/text>/g)].map((m) => m[1])).toEqual(["F", "T", "R"]);
  });

  it("says where a trace ends before its connection does", () => {
    const figure = { id: "s", title: "t", describe: "d", width: 900 };
    const sequence: Sequence = { origin: "simulated", test: "bulk", stream: 0, bursts: [DATA] };
    expect(toText(drawSequence({ ...sequence, complete_until_ns: 7.6677e11 }, figure))).toContain("The trace ends at 766.77 s, where its room was used up.");
    expect(toText(drawSequence(sequence, figure))).not.toContain("ends at");
  });

  it("keeps the staircase of ACKs unbroken across strokes and single ones", () => {
    const later: SequenceBurst = { kind: "ack", t_ns: 1.05e10, seq: 1_000_000_000 };
    // The first is the line of the key.
    const stairs = [...drawn([DATA, ACKS, later]).matchAll(/class="seq-line ack" d="([^"]*)"/g)][1]![1]!;
    expect(stairs.match(/M/g)).toHaveLength(1);
    expect(stairs).toContain("H");
  });
});

describe("repairs", () => {
  it("are separated by the quiet between them, however they are coded", () => {
    const bursts = [lost(1e9), lost(5e9, { n: 3, gap_ns: 1e8 }), lost(9e9), lost(9.2e9)].map(complete);
    expect(repairs(bursts)).toEqual([{ from: 1e9, to: 1e9, count: 1 }, { from: 5e9, to: 5.2e9, count: 3 }, { from: 9e9, to: 9.2e9, count: 2 }]);
    expect(repairs([lost(1e9, { n: 2, gap_ns: 5e9 })].map(complete))).toHaveLength(2);
  });

  it("are looked for where one is asked, and are none where nothing was lost", () => {
    expect(repairs([lost(1e9), lost(5e9)].map(complete), [2e9, 6e9])).toEqual([{ from: 5e9, to: 5e9, count: 1 }]);
    expect(repairs([complete(DATA)])).toEqual([]);
  });
});

describe("a span", () => {
  it("is as high as what happened in it", () => {
    const view = spanned([complete(DATA)], 0, 1e9)!;
    expect(view.s0).toBeLessThan(0);
    expect(view.s1).toBeGreaterThan(100_000_000);
    expect(view.s1).toBeLessThan(112_000_000);
    expect(spanned([complete(DATA)], 1e12, 2e12)).toBeNull();
  });
});
