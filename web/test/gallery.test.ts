import { describe, expect, it } from "vitest";

import { drawSegments, loops, segments } from "../src/diagram/segments";
import { drawTestbed, flows, queues, wrapped } from "../src/diagram/testbed";
import { columns, drawLadder, rungs, type Overhead } from "../src/figure/ladder";
import { drawLowerEffort, law, printed } from "../src/figure/lower-effort";
import { below, tables } from "../src/scenario";
import { toText } from "../src/svg";
import type { Expectation, Hop, LinkRecord, Point, ReportData, TestPath, TestRecord, Topology } from "../src/types";

function record(test: string, metrics: Record<string, number>, point: Point = {}, kind = "tcp"): TestRecord {
  return {
    origin: "simulated", test, kind, from: "a", to: test, point, repeat: 0, started_ns: 0, duration_ns: 1e9, metrics, limited_by: null, streams: [],
    series: {}, valid: true, notes: [],
  };
}

interface Parts {
  readonly text?: string;
  readonly topology?: Topology;
  readonly paths?: readonly TestPath[];
  readonly records?: readonly TestRecord[];
  readonly links?: readonly LinkRecord[];
  readonly expectations?: readonly Expectation[];
}

function report({ text = "", topology = { nodes: [], links: [] }, paths = [], records = [], links = [], expectations = [] }: Parts): ReportData {
  return {
    schema: "farpath.report/1", scenario: { name: "x", text }, topology, paths,
    document: { schema: "farpath.run/1", scenario: "x", version: "0", seed: 1, scenario_sha256: "", records, links, expectations },
  };
}

/** The way over these nodes, each link named after its far end. */
function path(test: string, nodes: readonly string[]): TestPath {
  const forward = nodes.slice(1).map((to, i): Hop => ({ link: to, from: nodes[i]!, to, pass: 1 }));
  return { test, from: nodes[0]!, to: nodes.at(-1)!, forward, reverse: [] };
}

describe("a scenario's text", () => {
  const all = tables([
    "[scenario]", 'name = "x"', "", "# Two", "# lines.", "[[router]]", 'name = "sw" # Switch, here', "", "[[link]]", 'name = "l"', "", "# Lossy.",
    "[link.forward]", "cell_loss = 2e-6", "[[link.forward.class]]", 'name = "be"', "cos = [0]", "", "[[link]]", 'name = "m"', "[link.forward]", 'queue = "4 MB" # much',
  ].join("\n"));

  it("is read table by table, with the words above and beside", () => {
    expect(all.map((t) => t.header)).toEqual(["scenario", "router", "link", "link.forward", "link.forward.class", "link", "link.forward"]);
    expect(all[1]).toEqual({ header: "router", values: { name: "sw" }, above: "Two lines.", beside: "Switch, here" });
    expect(all[4]!.values).toEqual({ name: "be", cos: "[0]" });
  });

  it("gives a link its own tables and not the next one's", () => {
    expect(below(all, "l", "forward").map((t) => [t.values["cell_loss"], t.above])).toEqual([["2e-6", "Lossy."]]);
    expect(below(all, "l", "forward.class")).toHaveLength(1);
    expect(below(all, "m", "forward").map((t) => t.values["queue"])).toEqual(["4 MB"]);
    expect(below(all, "none", "forward")).toEqual([]);
  });
});

describe("the test bed", () => {
  const text = [
    "[[host]]", 'name = "tx1"', "", "[[router]]", 'name = "sw" # Catalyst', "", "# The congested port.", "[[link]]", 'name = "out"', "[link.forward]", 'scheduler = "wrr"',
    "[[link.forward.class]]", 'name = "be"', "cos = 0", "weight = 99", "[[link.forward.class]]", 'name = "lbe"', "cos = [1, 2, 3, 4, 5, 6, 7]", "weight = 1",
    "[[test]]", 'name = "good"', "[[test]]", 'name = "low"', 'class = "cs1"', "[[test]]", 'name = "low-again"', 'class = "cs1"',
  ].join("\n");
  const names = ["tx1", "tx2", "rx"];
  const topology: Topology = {
    nodes: [...names.map((name) => ({ name, kind: "host" as const })), { name: "sw", kind: "router" }, { name: "far", kind: "router" }],
    links: [
      { name: "tx1", ends: ["tx1", "sw"], label: "GbE · 1 Gbit/s · 500 ns" }, { name: "tx2", ends: ["tx2", "sw"], label: "GbE · 1 Gbit/s · 500 ns" },
      { name: "out", ends: ["sw", "far"], label: "GbE · 1 Gbit/s · 500 ns" }, { name: "rx", ends: ["far", "rx"], label: "GbE · 1 Gbit/s · 2 ms" },
    ],
  };
  const paths = [path("good", ["tx1", "sw", "far", "rx"]), path("low", ["tx2", "sw", "far", "rx"]), path("low-again", ["tx2", "sw", "far", "rx"])];
  const links: LinkRecord[] = [{
    origin: "simulated", link: "out", direction: "sw>far", point: {}, bytes: 0, payload_bytes: 0, frames: 0, drops: {}, t_ns: [], rate_bps: [],
    queues: [{ class: "be", offered: 4000, drops: { tail: 0, red: 0 } }, { class: "lbe", offered: 2000, drops: { tail: 300, red: 200 } }],
  }];
  const data = report({ text, topology, paths, links });
  const all = tables(text);

  it("has one flow for tests that take the same way in the same class", () => {
    expect(flows(paths, all, "out").map((f) => `${f.from} ${f.to} ${f.queue}`)).toEqual(["tx1 rx be", "tx2 rx lbe"]);
  });

  it("counts what each queue lost, of whatever cause", () => {
    expect(queues(data, all, "out")).toEqual([{ name: "be", weight: 99, offered: 4000, lost: 0 }, { name: "lbe", weight: 1, offered: 2000, lost: 500 }]);
  });

  it("draws each flow through its queue, and says what was lost", () => {
    const drawn = toText(drawTestbed(data, "t")!);
    for (const words of [">weight 99<", ">weight 1<", "WRR", ">Catalyst<", "The congested port.", "tx1 to rx; none of 4\u202f000 frames lost", "25.0\u202f% of 2\u202f000 frames lost"]) {
      expect(drawn).toContain(words);
    }
    // An end of 500 ns is not a delay that anybody set.
    expect(drawn).not.toContain("500 ns");
    expect(drawn.match(/class="head west"/g)).toHaveLength(1);
    expect(drawn.match(/class="head east"/g)).toHaveLength(1);
    expect(drawn).not.toContain("NaN");
  });

  it("is none without a scheduler", () => {
    expect(drawTestbed(report({ topology, paths, text: text.replace(/scheduler.*/, "") }), "t")).toBeNull();
  });

  it("wraps its notes", () => {
    expect(wrapped("one two three", 7)).toEqual(["one two", "three"]);
  });
});

describe("loss of less than best effort", () => {
  const at = (mbit: number): Point => ({ "test.lbe.rate": `${mbit} Mbit/s` });
  const records = [956, 400.32].flatMap((mbit) => [
    record("lbe", { loss_ratio: 1 - 290 / mbit }, at(mbit), "udp"), record("be", { goodput_bps: 330e6 }, at(mbit)), record("ping", { loss_ratio: 0 }, at(mbit), "ping"),
  ]);
  const stated: Expectation = {
    metric: "lbe.loss_ratio", origin: "simulated", point: {}, min: 0, max: 1, actual: 0.2, stated: "from 26.9% to 69.39%", source: null, note: null, pass: true,
  };
  const data = report({ records, expectations: [{ ...stated, stated: "(between)" }, stated] });

  it("is all beyond what is left, and meets both printed ends", () => {
    const curve = law(400.32e6 * (1 - 0.269), 400.32e6, 956e6);
    expect(curve[0]![1]).toBeCloseTo(0.269, 6);
    expect(curve.at(-1)![1]).toBeCloseTo(0.6939, 4);
    expect(law(2, 1, 4)[0]![1]).toBe(0);
  });

  it("has the printed figures at the least and the greatest load", () => {
    expect(printed(data, "lbe", [956e6, 400.32e6]).map((m) => [m.x, m.y])).toEqual([[400.32e6, 26.9 / 100], [956e6, 69.39 / 100]]);
    expect(printed(report({}), "lbe", [1])).toEqual([]);
  });

  it("is drawn as dots over a dashed formula, above the goodput of best effort", () => {
    const drawn = toText(drawLowerEffort(data, { flood: "lbe", leftBps: 292.6e6 }, "l")!);
    // Two points and the one beside the name, and no line through them.
    expect(drawn.match(/class="mark east"/g)).toHaveLength(3);
    expect(drawn).not.toContain('class="curve east"');
    expect(drawn).toContain('class="curve plain-way dashed"');
    expect(drawn).toContain("26.9\u202f%");
    expect(drawn).toContain("330.0\u202fMbit/s");
    expect(drawn).not.toContain(">ping<");
    // Both axes are as long.
    const axes = [...drawn.matchAll(/class="axis-line" d="M76,[\d.]+H([\d.]+)"/g)].map((m) => m[1]);
    expect(axes).toHaveLength(2);
    expect(new Set(axes).size).toBe(1);
  });

  it("is none without a sweep over the load", () => {
    expect(drawLowerEffort(report({ records: [record("lbe", { loss_ratio: 0 })] }), { flood: "lbe", leftBps: 1 }, "l")).toBeNull();
  });
});

describe("a chain of segments", () => {
  const text = ["[[link]]", 'name = "near"', "[[link]]", 'name = "far"', "# The bad card: chosen.", "[link.forward]", "cell_loss = 2e-6"].join("\n");
  const topology: Topology = {
    nodes: [{ name: "a", kind: "host" }, { name: "near", kind: "router" }, { name: "far", kind: "router" }],
    links: [{ name: "near", ends: ["a", "near"], label: "OC-12c-atm · 599.04 Mbit/s · 50 µs" }, { name: "far", ends: ["near", "far"], label: "OC-12c-atm · 599.04 Mbit/s · 1 ms" }],
  };
  const ping = (to: string, received: number, rtt: number): TestRecord => record(to, { sent: 20000, received, rtt_min_ns: rtt }, {}, "ping");
  const records = [ping("far", 19989, 2e6), ping("near", 20000, 1e5), { ...ping("far", 19992, 2e6), origin: "predicted" as const }];
  const data = report({ text, topology, records, paths: [path("near", ["a", "near"]), path("far", ["a", "near", "far"])] });

  it("is the longest way, with its delays and what a segment loses", () => {
    expect(segments(data).map((s) => [s.from, s.to, s.delay, s.loss])).toEqual([["a", "near", "50 µs", 0], ["near", "far", "1 ms", 2e-6]]);
  });

  it("has a loop for each point that was pinged, the nearest first, as simulated", () => {
    expect(loops(data)).toEqual([{ to: "near", length: 1, rttNs: 1e5, sent: 20000, lost: 0 }, { to: "far", length: 2, rttNs: 2e6, sent: 20000, lost: 11 }]);
  });

  it("is drawn with the loops that lost in the other colour", () => {
    const drawn = toText(drawSegments(data, "s")!);
    expect(drawn).toContain("2 segments, each OC-12c-atm · 599.04 Mbit/s");
    expect(drawn).toContain("1 cell in 500\u202f000");
    expect(drawn).toContain("far: 2.00\u202fms, 11 of 20\u202f000 lost");
    expect(drawn.match(/class="pass west"/g)).toHaveLength(1);
    expect(drawn.match(/class="pass east"/g)).toHaveLength(1);
    expect(drawSegments(report({ text, topology }), "s")).toBeNull();
  });
});

describe("the ladder", () => {
  const overhead = (payload: number): Overhead => ({
    layers: [
      { name: "line", rate_bps: 622.08e6, bytes: null }, { name: "payload", rate_bps: payload, bytes: null }, { name: "atm", rate_bps: payload, bytes: 10176 },
      { name: "aal5", rate_bps: (payload * 48) / 53, bytes: 9216 }, { name: "ip", rate_bps: (payload * 9180) / 10176, bytes: 9180 },
      { name: "tcp", rate_bps: (payload * 9160) / 10176, bytes: 9160 }, { name: "application", rate_bps: (payload * 9140) / 10176, bytes: 9140 },
    ],
  });
  const [right, slip] = [overhead(599.04e6), overhead(600.768e6)];

  it("counts the columns of the frame", () => {
    expect(columns(right)).toEqual([1040, 1080]);
    expect(columns(slip)).toEqual([1043, 1080]);
    expect(columns({ layers: [] })).toBeNull();
  });

  it("has the document's five rungs", () => {
    expect(rungs(slip)!.map((rung) => (rung.bps / 1e6).toFixed(3))).toEqual(["622.080", "600.768", "544.092", "541.966", "539.605"]);
    expect(rungs(right)!.map((rung) => rung.taken)).toEqual(["", "1040 of 1080 columns", "48 of 53 bytes of 192 cells", "9180 of 9216 bytes", "9140 of 9180 bytes"]);
  });

  it("is drawn twice, and says what the slip comes to", () => {
    const drawn = toText(drawLadder([right, slip], ["right", "printed"], "l")!);
    expect(drawn).toContain("3 columns of fixed stuff forgotten: 1.552 too much");
    expect(drawn.match(/class="rung west"/g)).toHaveLength(5);
    expect(drawn.match(/class="rung east"/g)).toHaveLength(5);
    // A rung is as long as its rate.
    const widths = [...drawn.matchAll(/class="rung west" [^>]*width="([\d.]+)"/g)].map((m) => Number(m[1]));
    expect(widths[4]! / widths[0]!).toBeCloseTo(538.053 / 622.08, 4);
    expect(drawLadder([right, { layers: [] }], ["right", "printed"], "l")).toBeNull();
  });
});
