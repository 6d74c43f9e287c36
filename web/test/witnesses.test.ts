import { describe, expect, it } from "vitest";

import { believed, drawWitnesses, panels, seen, thinned, wrapped } from "../src/figure/witnesses";
import { toText } from "../src/svg";
import type { Certificate, LinkRecord, Origin, Series, TestRecord } from "../src/types";

const series = (v: readonly number[]): Series => ({ t_ns: v.map((_, i) => i * 1e9), v });

/** Cut at 2 s from 1000 to 500; the round trip is half a second. */
const WINDOW = series([100, 1000, 1000, 500, 750, 1000, 1200, 1200]);

function record(origin: Origin, cc: string, window = WINDOW, metrics: Record<string, number> = {}): TestRecord {
  return {
    origin, test: "bulk", kind: "tcp", from: "a", to: "b", point: { "test.bulk.cc": cc }, repeat: 0, started_ns: 0, duration_ns: 1e9,
    metrics: { cut_s: 2, cwnd_before_bytes: 1000, rtt_min_ns: 5e8, ...metrics }, limited_by: null, streams: [], series: { cwnd_bytes: window },
    valid: true, notes: [],
  };
}

const certificate: Certificate = {
  valid: true, faults: [], frames: 1000, lateness_p50_ns: 2000, lateness_p99_ns: 45_000, lateness_max_ns: 90_000, tolerance_ns: 1_000_000,
  late_frames: 0, unordered_drops: { "tap a eth0": 0 }, cpu_share: 0.5, starved_ns: 0, longest_gap_ns: 90_000, host_wait_p99_ns: 200_000, host_wait_max_ns: 900_000, machine_share: 0.5, stolen_share: 0,
};

describe("what a record saw of a loss", () => {
  it("runs from the cut to the old window, and no higher", () => {
    expect(seen(record("simulated", "reno"))?.points).toEqual([[0, 1000], [1, 500], [2, 750], [3, 1000]]);
  });

  it("runs to the end of a run that ends earlier", () => {
    expect(seen(record("simulated", "reno", series([100, 1000, 1000, 500, 600])))?.points.at(-1)).toEqual([2, 600]);
  });

  it("is nothing without a cut", () => {
    const whole = record("simulated", "reno");
    expect(seen({ ...whole, metrics: {} })).toBeNull();
  });

  it("is drawn by its corners", () => {
    const line = Array.from({ length: 1001 }, (_, i) => [i, i < 500 ? 0 : i - 500] as const);
    const kept = thinned(line, 100);
    expect(kept.length).toBeLessThan(15);
    expect([kept[0], kept.at(-1)]).toEqual([[0, 0], [1000, 500]]);
    // A step keeps both of its ends.
    expect(thinned([[0, 10], [1, 10], [2, 10], [2, 5], [3, 5]], 1)).toEqual([[0, 10], [2, 10], [2, 5], [3, 5]]);
  });
});

describe("witnesses", () => {
  const three = (cc: string): TestRecord[] => [
    record("predicted", cc), record("simulated", cc, WINDOW, { cwnd_nrmse_predicted_ratio: 0.0123 }),
    { ...record("emulated", cc, WINDOW, { cwnd_nrmse_predicted_ratio: 0.02, cwnd_nrmse_simulated_ratio: 0.004 }), certificate },
  ];

  it("have a panel for each point that two of them saw", () => {
    const found = panels([...three("reno"), ...three("cubic"), record("predicted", "bbr")]);
    expect(found.map((p) => p.name)).toEqual(["reno", "cubic"]);
    expect(found[0]!.seen.map((s) => s.origin)).toEqual(["predicted", "simulated", "emulated"]);
    expect(found[0]!.apart).toEqual(["NRMSE to the formula: model 1.23 %, kernel 2.00 %", "NRMSE to the model: kernel 0.40 %"]);
    expect(found[0]!.belief).toBe("certificate valid: lateness p99 0.045 ms, 0 unordered drops");
  });

  it("say that a certificate is not valid", () => {
    expect(believed({ ...certificate, valid: false, unordered_drops: { tap: 3 } })).toContain("INVALID: lateness p99 0.045 ms, 3 unordered drops");
  });

  const dropped = (drops: Record<string, number>): LinkRecord[] => (["simulated", "emulated"] as const).map((origin) => ({
    origin, link: "l", direction: "a>b", point: { "test.bulk.cc": "reno" }, bytes: 0, payload_bytes: 0, frames: 0, drops, t_ns: [], rate_bps: [],
  }));
  const drawn = (records: readonly TestRecord[], links: readonly LinkRecord[], width = 358): string => toText(drawWitnesses(records, { id: "w", width, links })!);

  it("say in lines that fit what is drawn", () => {
    expect(wrapped("one two three four", 9)).toEqual(["one two", "three", "four"]);
    expect(drawn(three("reno"), dropped({ scripted: 1 }))).toContain(">Congestion window after the same lost segment,</text>");
    const doubtful = three("reno").map((r) => (r.certificate ? { ...r, certificate: { ...certificate, valid: false } } : r));
    const lines = [...drawn(doubtful, dropped({ scripted: 1 })).matchAll(/class="tick" x="2"[^>]*>([^<]*)</g)].map((m) => m[1]!);
    expect(lines.join(" ")).toBe("certificate INVALID: lateness p99 0.045 ms, 0 unordered drops");
    expect(lines).toHaveLength(2);
  });

  it("name the same lost segment where the scenario does, and a cut where more was lost", () => {
    const lost = (retransmits: number): TestRecord[] => three("reno").map((r) => (r.origin === "predicted" ? r : { ...r, metrics: { ...r.metrics, retransmits } }));
    const causes = (records: readonly TestRecord[], links: readonly LinkRecord[]): string[] => panels(records, links).map((p) => `${p.cause}, ${p.again}`);
    expect(causes(lost(2), dropped({ scripted: 1 }))).toEqual(["the same lost segment, "]);
    expect(causes(lost(1), dropped({ tail: 1 }))).toEqual(["one lost segment, "]);
    const many = "sent again in the whole test: model 317, kernel 317 segments";
    expect(causes(lost(317), dropped({ tail: 317 }))).toEqual([`a cut, ${many}`]);
    // Marks cut a window, too.
    expect(causes(lost(0), dropped({}))[0]).toContain("a cut, sent again in the whole test: model 0");
    const text = drawn(lost(317), dropped({ tail: 317 }), 900);
    expect(text).toContain("Windows after a cut");
    expect(text).toContain(many);
    expect(text).not.toContain("lost segment");
  });

  it("are drawn over each other, the kernel below", () => {
    const text = drawn(three("reno"), [], 900);
    const [kernel, model, formula] = ["curve east", "curve west", "curve plain-way dashed"].map((c) => text.indexOf(c));
    expect(kernel).toBeGreaterThan(0);
    expect(kernel!).toBeLessThan(model!);
    expect(model!).toBeLessThan(formula!);
    expect(drawWitnesses([record("predicted", "reno")], { id: "w", width: 900, links: [] })).toBeNull();
  });
});
