import { describe, expect, it } from "vitest";

import { distributions, median, steps, timed } from "../src/distribution";
import { drawDistribution } from "../src/figure/distribution";
import { textWidth } from "../src/figure/width";
import { verdict } from "../src/section/compare";
import { mixtures } from "../src/section/repeats";
import { toText } from "../src/svg";
import type { Origin, Point, ReportData, TestRecord } from "../src/types";

function record(origin: Origin, repeat: number, goodput: number, at: Point = {}): TestRecord {
  return {
    origin, test: "bulk", kind: "tcp", from: "a", to: "b", point: at, repeat, started_ns: 0, duration_ns: 1e9, metrics: { goodput_bps: goodput, rtos: 0 },
    limited_by: null, streams: [], series: {}, valid: true, notes: [],
  };
}

function report(records: readonly TestRecord[]): ReportData {
  return {
    schema: "farpath.report/1", scenario: { name: "x" },
    document: { schema: "farpath.run/1", scenario: "x", version: "0", seed: 1, scenario_sha256: "", records, links: [], expectations: [] },
  };
}

const VALUES = [30e6, 10e6, 50e6, 20e6, 40e6];
const five = (at: Point = {}): TestRecord[] => VALUES.map((v, i) => record("simulated", i, v, at));

describe("runs of two kinds", () => {
  it("are said to be, of metrics that the page shows", () => {
    const plain = report(five());
    const of = (metric: string) => ({
      origin: "simulated" as const, test: "bulk", point: { "link.l.loss": "1e-4" }, metric, n: 10, mean: 69e6, two_kinds: [{ n: 3, mean: 20e6 }, { n: 7, mean: 90e6 }] as const,
    });
    const said = mixtures({ ...plain, document: { ...plain.document, repeats: { count: 10, metrics: [of("goodput_bps"), of("cwnd_max_bytes")] } } });
    expect(said).toHaveLength(1);
    expect(said[0]!.replace(/\u202f/g, " ")).toMatch(/^bulk goodput, simulated, .*1e-4: 3 near 20\S* Mbit\/s, 7 near 90\S* Mbit\/s\.$/);
    expect(mixtures(plain)).toEqual([]);
  });

  it("are compared by ranks, and what chance may have made is not called the same", () => {
    const row = { test: "bulk", point: {}, metric: "goodput_bps", origin_a: "simulated", origin_b: "simulated", a: { mean: 1, n: 9 }, b: { mean: 2, n: 9 }, difference: 1, difference_ci95: 2, relative: 1 } as const;
    expect(verdict({ ...row, verdict: "differs", rank_p: 0.01 })).toBe("differs, by ranks");
    expect(verdict({ ...row, verdict: "inconclusive", rank_p: null })).toBe("inconclusive");
    expect(verdict({ ...row, verdict: "same", difference: 0 })).toBe("same");
    // In the words of the terminal.
    expect(verdict({ ...row, verdict: "same", step: 2 })).toBe("below a step");
    expect(verdict({ ...row, verdict: "inconclusive", more_runs: 12 })).toBe("inconclusive; 12 more");
    expect(verdict({ ...row, verdict: "inconclusive", more_runs: 101 })).toBe("inconclusive");
    expect(verdict({ ...row, verdict: "same", difference: 1e-13 })).toBe("same");
    expect(verdict({ ...row, verdict: "unknown" })).toBe("one run");
  });
});

describe("the distribution over repeats", () => {
  it("has a curve of the origin that repeats and one value of the one that does not", () => {
    const [found, ...others] = distributions(report([record("predicted", 0, 45e6), ...five()]));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ metric: "goodput_bps", samples: [{ origin: "simulated", values: [10e6, 20e6, 30e6, 40e6, 50e6] }], single: [{ origin: "predicted", value: 45e6 }] });
  });

  it("is not shown of fewer than five repeats, nor of equal ones", () => {
    expect(distributions(report(five().slice(0, 4)))).toEqual([]);
    expect(distributions(report(VALUES.map((_, i) => record("simulated", i, 1e6))))).toEqual([]);
  });

  it("has a curve for each of a few values in one figure, and none of a large sweep", () => {
    const at = (n: number): TestRecord[] => Array.from({ length: n }, (_, i) => five({ "link.l.loss": `${i}e-4` })).flat();
    const [found, ...others] = distributions(report([...at(3), record("predicted", 0, 45e6, { "link.l.loss": "1e-4" })]));
    expect(others).toEqual([]);
    expect([found!.point, found!.samples.map((s) => found!.steps[s.step])]).toEqual([{}, ["0e-4", "1e-4", "2e-4"]]);
    const text = toText(drawDistribution(found!, "d", 900));
    expect([0, 1, 2].map((n) => text.split(`class="curve line-${n}"`).length)).toEqual([3, 3, 3]);
    expect(text).not.toContain("rule-line");
    expect(text).toContain("1e-4, predicted: 45.00");
    expect(new Set([...text.matchAll(/class="curve line-\d"[^>]*?(?: stroke-dasharray="([\d ]+)")? d=/g)].map((m) => m[1])).size).toBe(3);
    expect(distributions(report(at(8)))).toHaveLength(1);
    expect(distributions(report(at(9)))).toEqual([]);
  });

  it("has a figure for each value of a second key", () => {
    const both = ["a", "b", "c"].flatMap((queue) => ["1 ms", "2 ms"].flatMap((delay) => five({ "link.l.aqm": queue, "link.l.delay": delay })));
    const found = distributions(report(both));
    expect(found.map((d) => [d.point, d.steps, d.samples.length])).toEqual([[{ "link.l.delay": "1 ms" }, ["a", "b", "c"], 3], [{ "link.l.delay": "2 ms" }, ["a", "b", "c"], 3]]);
  });

  it("rises by one share at each value", () => {
    expect(steps([1, 3], [0, 4])).toEqual([[0, 0], [1, 0], [1, 0.5], [3, 0.5], [3, 1], [4, 1]]);
    expect([median([4, 1, 9, 2]), median([3, 1, 2]), median([7])]).toEqual([3, 2, 7]);
  });

  it("differs from that of another origin in its dashes", () => {
    const both = [...five(), ...VALUES.map((v, i) => record("emulated", i, v))];
    const [found] = distributions(report(both));
    const text = toText(drawDistribution(found!, "d", 900));
    expect(text).toMatch(/class="curve west" style="[^"]*" d=/);
    expect(text).toMatch(/class="curve east" style="[^"]*" stroke-dasharray="[\d ]+" d=/);
  });

  it("has labels along a logarithmic axis that touch none of each other", () => {
    const v = [60e6, 70e6, 90e6, 120e6, 250e6, 500e6, 650e6, 900e6];
    const one: TestRecord = { ...record("simulated", 0, 1e6), kind: "flows", times: { flow_time_ns: { count: v.length, v } } };
    const [found] = timed(report([one]));
    for (const width of [358, 480, 640, 960]) {
      const text = toText(drawDistribution(found!, "d", width));
      const labels = [...text.matchAll(/class="tick" x="([\d.]+)" y="([\d.]+)" text-anchor="middle">([^<]*)</g)].map((m) => ({ x: Number(m[1]), y: m[2], text: m[3]! }));
      expect(text).toContain("logarithmic axis");
      expect(labels.map((l) => l.text)).toContain("100\u202fms");
      expect(labels.length).toBeGreaterThan(1);
      expect(new Set(labels.map((l) => l.y)).size).toBe(1);
      const gaps = labels.slice(1).map((l, i) => l.x - labels[i]!.x - (textWidth(l.text, 11) + textWidth(labels[i]!.text, 11)) / 2);
      expect(Math.min(...gaps)).toBeGreaterThan(0);
    }
  });

  it("is drawn with its median and a rule", () => {
    const [found] = distributions(report([record("predicted", 0, 45e6), ...five()]));
    const text = toText(drawDistribution(found!, "d", 900));
    expect(text).toContain("p50 30.00\u202fMbit/s");
    expect(text).toMatch(/class="rule-line"[^]*>predicted</);
    // Five steps up, each of a fifth.
    const d = /class="curve west"[^>]* d="([^"]*)"/.exec(text)![1]!;
    const ys = [...d.matchAll(/,([\d.]+)/g)].map((m) => Number(m[1]));
    const rises = ys.slice(1).map((y, i) => ys[i]! - y).filter((v) => v > 0);
    expect(rises).toHaveLength(5);
    expect(Math.max(...rises) - Math.min(...rises)).toBeLessThan(0.05);
  });
});

describe("flow times by size", () => {
  const times = (by: Record<string, readonly number[]>): TestRecord["times"] => Object.fromEntries(Object.entries(by).map(([name, v]) => [name, { count: v.length, v }]));
  const sized = times({ flow_time_ns: [1e6, 2e6, 3e6, 4e6, 5e6], "flow_time_ns.1000": [1e6, 1e6, 2e6, 2e6, 3e6], "flow_time_ns.100000": [3e6, 4e6, 5e6, 6e6, 7e6], "flow_time_ns.1000000": [9e6] });

  it("have a curve for each decade of which there are enough", () => {
    const one = { ...record("simulated", 0, 1e6), kind: "flows", ...(sized === undefined ? {} : { times: sized }) };
    const found = timed(report([one]));
    expect(found.map((d) => [d.metric, d.key])).toEqual([["flow_time_ns", null], ["flow_time_ns", "size of a flow"]]);
    const [, by] = found;
    expect(by!.samples.map((s) => by!.steps[s.step]!.replace(/\u202f/g, " "))).toEqual([expect.stringMatching(/^1\S* kB to 10\S* kB$/), expect.stringMatching(/^100\S* kB to 1\S* MB$/)]);
    expect(toText(drawDistribution(by!, "d", 900))).toMatch(/class="curve line-1"/);
  });

  it("have no figure of one decade", () => {
    const few = times({ flow_time_ns: [1e6, 2e6, 3e6, 4e6, 5e6] });
    expect(timed(report([{ ...record("simulated", 0, 1e6), ...(few === undefined ? {} : { times: few }) }]))).toHaveLength(1);
  });
});

describe("the distribution of single times", () => {
  const ramp = (n: number, ms: number): number[] => Array.from({ length: n }, (_, i) => (i + 1) * ms * 1e6);
  const asked = (origin: Origin, v: readonly number[], at: Point = {}, repeat = 0, count = v.length): TestRecord => ({ ...record(origin, repeat, 1e6, at), kind: "request", metrics: { response_p50_ns: v[Math.ceil(v.length / 2) - 1]! }, times: { response_ns: { count, v } } });

  it("has a curve for each origin, of its first repeat that counts", () => {
    const invalid = { ...asked("simulated", ramp(5, 9)), valid: false };
    const [found, ...others] = timed(report([invalid, asked("simulated", ramp(6, 1), {}, 1, 6000), asked("simulated", ramp(6, 2), {}, 2), asked("emulated", ramp(5, 3))]));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ metric: "response_ns", over: "answers", samples: [{ origin: "simulated", values: ramp(6, 1), count: 6000 }, { origin: "emulated", values: ramp(5, 3) }] });
    const text = toText(drawDistribution(found!, "d", 900));
    expect(text).toContain("response time over the answers");
    expect(text).toContain("share of the answers at or below");
    expect(text).toMatch(/simulated: 6.?000 answers, 1\S+\sms to 6\S+\sms, p50 3\S+\sms/);
  });

  it("has a curve for each value of a key, and none of few or equal times", () => {
    const [found] = timed(report([asked("simulated", ramp(5, 1), { "link.l.queue": "64 KiB" }), asked("simulated", ramp(5, 40), { "link.l.queue": "1 MiB" })]));
    expect(found!.samples.map((s) => found!.steps[s.step])).toEqual(["64 KiB", "1 MiB"]);
    expect(timed(report([asked("simulated", ramp(4, 1))]))).toEqual([]);
    expect(timed(report([asked("simulated", [1e6, 1e6, 1e6, 1e6, 1e6])]))).toEqual([]);
    expect(timed(report(five()))).toEqual([]);
  });
});
