import { describe, expect, it } from "vitest";

import { drawStack } from "../src/figure/stack";
import { drawChart } from "../src/figure/chart";
import { climb, drawRecovery, recoveryKey, windowsInWords, windowsOf } from "../src/figure/recovery";
import { drawSawtooth } from "../src/figure/sawtooth";
import { delivered, drawSlowStart } from "../src/figure/slow-start";
import { textWidth } from "../src/figure/width";
import { drawWindow } from "../src/figure/window";
import { coloured } from "../src/section/time";
import { toText } from "../src/svg";
import type { Origin, Point, ReportData, Series, TestRecord } from "../src/types";

function record(origin: Origin, point: Point, metrics: Record<string, number>, series: Record<string, Series> = {}): TestRecord {
  return {
    origin, test: "bulk", kind: "tcp", from: "a", to: "b", point, repeat: 0, started_ns: 0, duration_ns: 1e9, metrics, limited_by: null, streams: [],
    series, valid: true, notes: [],
  };
}

describe("records", () => {
  it("have a colour for each test and origin, and the simulation keeps its own when others come", () => {
    const ping = { ...record("simulated", {}, {}), test: "ping" };
    const alone = [ping, record("simulated", {}, {})];
    expect(alone.map(coloured(alone))).toEqual([0, 1]);
    const all = (["predicted", "simulated", "emulated"] as const).map((origin) => record(origin, {}, {}));
    expect(all.map(coloured(all))).toEqual([2, 0, 1]);
  });
});

function report(records: readonly TestRecord[]): ReportData {
  return {
    schema: "farpath.report/1", scenario: { name: "x" },
    document: { schema: "farpath.run/1", scenario: "x", version: "0", seed: 1, scenario_sha256: "", records, links: [], expectations: [] },
  };
}

const every = (step: number, v: readonly number[]): Series => ({ t_ns: v.map((_, i) => (i + 1) * step), v });

/** Slow start past the window, a cut to half, a climb back to it and beyond. */
const WINDOW = every(1e9, [10, 400, 2000, 2000, 500, 600, 800, 1000, 1100]);

describe("a chart", () => {
  const chart = {
    id: "c", title: "t", describe: "d", width: 400, height: 200, xName: "x", yName: "y", xFormat: String, yFormat: String,
    curves: [
      { name: "named", points: [[0, 0], [10, 10]] as const, tone: "east" as const },
      { name: "twin", points: [[0, 0], [10, 10]] as const, tone: "line-3" as const, dashed: true, nameless: true },
    ],
  };

  it("names a curve but not its twin", () => {
    const text = toText(drawChart(chart));
    expect(text).toContain(">named<");
    expect(text).not.toContain(">twin<");
    expect(text.match(/class="curve line-3 dashed"/g)).toHaveLength(1);
  });

  it("keeps the name of its axis within a narrow figure", () => {
    const xName = "seconds since the window was cut, logarithmic axis";
    const at = (width: number): number => Number(/class="axis-name" x="([0-9.]+)"[^>]*>seconds/.exec(toText(drawChart({ ...chart, width, xName })))![1]);
    expect(at(400) + textWidth(xName, 13) / 2).toBeCloseTo(400, 0);
    expect(at(1040)).toBeLessThan(1040 - textWidth(xName, 13) / 2);
  });

  it("has room for a rule above its curves, and draws a span as wide as it is", () => {
    const text = toText(drawChart({ ...chart, rules: [{ y: 40, name: "line" }], spans: [{ from: 2, to: 7, y: 5, name: "5 s" }] }));
    expect(text).toContain(">40<");
    const [, from, to] = /M([\d.]+),[\d.]+v10m0,-5H([\d.]+)/.exec(text)!.map(Number);
    const [, left, right] = /class="axis-line" d="M([\d.]+),[\d.]+H([\d.]+)"/.exec(text)!.map(Number);
    expect((to! - from!) / (right! - left!)).toBeCloseTo(0.5, 2);
  });
});

describe("windows after a loss", () => {
  it("are counted from the cut, and end where the old window is reached", () => {
    expect(climb(record("simulated", {}, {}, { cwnd_bytes: WINDOW }), 1000)).toEqual([[0, 500], [1, 600], [2, 800], [3, 1000]]);
  });

  it("are none without a cut", () => {
    expect(climb(record("simulated", {}, {}, { cwnd_bytes: every(1e9, [10, 400, 1000, 1000]) }), 1000)).toEqual([]);
    expect(climb(record("simulated", {}, {}), 1000)).toEqual([]);
  });

  it("are drawn by algorithm, the fastest first, formula and simulation in one colour", () => {
    const at = (cc: string): Point => ({ "test.bulk.cc": cc });
    const records = [["reno", 4], ["cubic", 3]].flatMap(([cc, s]) => [
      record("predicted", at(String(cc)), { recovery_s: Number(s) }, { cwnd_bytes: every(1e9, [10, 1000, 1000, 500, 800, 1000]) }),
      record("simulated", at(String(cc)), cc === "cubic" ? { recovery_s: 3 } : {}, { cwnd_bytes: WINDOW }),
    ]);
    expect(recoveryKey(records.map((r) => r.point))).toBe("test.bulk.cc");
    const drawing = drawRecovery(report(records), { id: "r", test: "bulk", key: "test.bulk.cc", width: 900, height: 400 });
    const text = toText(drawing!);
    expect(text.indexOf(">cubic<")).toBeLessThan(text.indexOf(">reno<"));
    expect(text).toContain("back after 3.00\u202fs, formula 3.00\u202fs");
    expect(text).toContain("not back when the run ends, formula 4.00\u202fs");
    // Two dashed curves, and no dashes beside the names.
    expect(text.match(/class="curve line-0 dashed"/g)).toHaveLength(1);
    expect(text.match(/class="curve line-1 dashed"/g)).toHaveLength(1);
    // So few values are dots.
    expect(text).toContain(">cwnd: formula dashed, simulation dots<");
    expect(windowsInWords(windowsOf(report(records), "bulk", "test.bulk.cc").curves).caption).toBe("Dashed: the formula, round by round; dots: the simulation, at the end of each interval.");
  });

  it("stand behind the others where they are a few dots without a formula", () => {
    const slow = record("predicted", { "test.bulk.cc": "reno" }, { recovery_s: 4 }, { cwnd_bytes: every(1e9, [10, 1000, 1000, 500, 800, 1000]) });
    const quick = record("simulated", { "test.bulk.cc": "bic" }, { recovery_s: 3 }, { cwnd_bytes: WINDOW });
    const { curves } = windowsOf(report([quick, slow]), "bulk", "test.bulk.cc");
    expect(curves.map((c) => [c.name, c.bare === true])).toEqual([["reno", false], ["bic", true]]);
  });

  it("name their axes in ink, larger than what stands at ticks", () => {
    const run = record("simulated", { "test.bulk.cc": "bic" }, { recovery_s: 3 }, { cwnd_bytes: WINDOW, in_flight_bytes: WINDOW });
    const text = toText(drawRecovery(report([run]), { id: "r", test: "bulk", key: "test.bulk.cc", width: 900, height: 400 })!);
    expect(text.match(/class="axis-name"[^>]*>[^<]*/g)!.map((t) => t.replace(/.*>/, ""))).toEqual(["seconds since the window was cut", "cwnd"]);
  });

  it("stand over straight time, or over a logarithmic axis that says so where the longest hides the shortest", () => {
    const drawn = (slow: number): string => {
      const rise = (s: number): Series => ({ t_ns: [0, 1, 2, 3].map((i) => (i < 2 ? i : 1 + (i - 1) * s / 2) * 1e9), v: [1000, 500, 750, 1000] });
      const runs = [["scalable", 1.8], ["reno", slow]].map(([cc, s]) => record("simulated", { "test.bulk.cc": String(cc) }, { recovery_s: Number(s) }, { cwnd_bytes: rise(Number(s)), in_flight_bytes: rise(Number(s)) }));
      return toText(drawRecovery(report(runs), { id: "r", test: "bulk", key: "test.bulk.cc", width: 900, height: 400 })!);
    };
    // Four algorithms on 100 Mbit/s x 120 ms, and two of them on 1 Gbit/s.
    expect(drawn(58.6)).toContain(">seconds since the window was cut<");
    expect(drawn(585)).toContain(">seconds since the window was cut, logarithmic axis<");
    // Half the way is climbed in half the time, on the axis as in fact.
    const [, from, half, to] = /class="mark line-1"[^>]*cx="([\d.]+)".*?class="mark line-1"[^>]*cx="([\d.]+)".*?class="mark line-1"[^>]*cx="([\d.]+)"/s.exec(drawn(58.6))!.map(Number);
    expect((half! - from!) / (to! - from!)).toBeCloseTo(0.5, 2);
  });

  it("are said to be as they are drawn", () => {
    const curve = { name: "reno", points: [], tone: "line-0" as const };
    const words = (...kinds: object[]): string[] => { const { caption, axis } = windowsInWords(kinds.map((kind) => ({ ...curve, ...kind }))); return [caption, axis]; };
    expect(words({})).toEqual(["The simulation, at the end of each interval.", "cwnd"]);
    expect(words({ dashed: true })).toEqual(["Dashed: the formula, round by round.", "cwnd: formula dashed"]);
    expect(words({ dashed: true }, {}, { bare: true })[1]).toBe("cwnd: formula dashed, simulation solid and dots");
  });

  it("are not drawn where more than one loss, an outage or a probe of BBR's cut them, nor a formula named that there is none of", () => {
    const drawn = (metrics: Record<string, number>): string | null => {
      const simulated = record("simulated", { "test.bulk.cc": "reno" }, { recovery_s: 3, ...metrics }, { cwnd_bytes: WINDOW, in_flight_bytes: WINDOW });
      const drawing = drawRecovery(report([simulated]), { id: "r", test: "bulk", key: "test.bulk.cc", width: 900, height: 400 });
      return drawing && toText(drawing);
    };
    expect(drawn({ rtos: 6, loss_events: 6 })).toBeNull();
    expect(drawn({ rtos: 0, loss_events: 2 })).toBeNull();
    expect(drawn({ rtos: 0, loss_events: 0 })).toBeNull();
    const one = drawn({ rtos: 0, loss_events: 1 });
    expect(one).toContain(">cwnd<");
    expect(one).not.toContain("dashed");
  });

  it("are not drawn where nothing was lost", () => {
    const whole = record("simulated", { "test.bulk.cc": "reno" }, {}, { cwnd_bytes: every(1e9, [10, 400, 1000]) });
    expect(drawRecovery(report([whole]), { id: "r", test: "bulk", key: "test.bulk.cc", width: 900, height: 400 })).toBeNull();
  });
});

describe("slow start", () => {
  // 8 bit/s for a second are a byte.
  const slow = record("simulated", {}, { bytes: 100, rtt_min_ns: 1e9 }, { goodput_bps: every(1e9, [0, 0, 8, 16, 80, 80, 80, 80, 80, 80, 80, 80]) });

  it("adds up what was delivered", () => {
    expect(delivered(slow).slice(0, 5)).toEqual([[1, 0], [2, 0], [3, 1], [4, 3], [5, 13]]);
    expect(delivered(record("simulated", {}, {}))).toEqual([]);
  });

  it("is as late as the distance to a start at the full rate", () => {
    // 83 bytes by 12 s; at 10 bytes a second from 1.5 s on they are there at 9.8 s.
    const text = toText(drawSlowStart(report([slow]), 12, "s")!);
    const late = Number(/([\d.]+) s wasted/.exec(text)![1]);
    expect(late).toBeGreaterThan(2.1);
    expect(late).toBeLessThan(2.8);
    expect(drawSlowStart(report([]), 12, "s")).toBeNull();
  });
});

describe("goodput against window", () => {
  it("has a curve for each packet size, and a line at the path's rate × delay", () => {
    const at = (mtu: string, window: string): Point => ({ "link.l.mtu": mtu, "test.bulk.window": window });
    const records = (["predicted", "simulated"] as const).flatMap((origin) => ["1500", "9000"].flatMap((mtu) =>
      ["1 MiB", "2 MiB", "4 MiB"].map((w, i) => record(origin, at(mtu, w), { goodput_bps: 1e9 * (i + 1) }))));
    const text = toText(drawWindow(report(records), 1e9, 0.02, "w")!);
    expect(text).toContain(">MTU 1500<");
    expect(text.match(/<circle/g)).toHaveLength(6);
    expect(text.match(/class="mark open/g)).toHaveLength(6);
    expect(text).toContain("= 2.500\u202fMB");
    expect(drawWindow(report([]), 1e9, 0.02, "w")).toBeNull();
  });
});

describe("a sawtooth", () => {
  it("says its mean as a share of the line", () => {
    const saw = every(1e9, [500, 750, 1000, 500, 750, 1000]);
    const data = report([record("predicted", {}, { goodput_bps: 1000 }), record("simulated", {}, { goodput_bps: 750 }, { goodput_bps: saw })]);
    expect(toText(drawSawtooth([{ name: "small", data }], "s")!)).toContain("75.0\u202f% of the line");
    expect(drawSawtooth([{ name: "small", data: report([]) }], "s")).toBeNull();
  });
});

describe("the shares of a stream's time", () => {
  const shares = [{ key: "cc", name: "congestion avoidance", ratio: 0.3 }, { key: "link", name: "a link", ratio: 0.7 }];
  const named = (width: number): string[] => [...toText(drawStack(shares, "t", new Map(), width)).matchAll(/<text[^>]*>([^<]*)</g)].map((m) => m[1]!);

  it("are named where their names have room, in letters of one size", () => {
    expect(named(900)).toEqual(["congestion avoidance 30 %", "a link 70 %"]);
    expect(named(640)).toEqual(["a link 70 %"]);
    expect(named(120)).toEqual([]);
    expect(toText(drawStack(shares, "t", new Map(), 358))).toContain('viewBox="0 0 358 34"');
  });
});
