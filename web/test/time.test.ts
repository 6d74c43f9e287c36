import { describe, expect, it } from "vitest";

import { placesOf } from "../src/runs";
import { timedPoints, timeFigures, unseen } from "../src/section/time";
import { axes } from "../src/sweep";
import type { Shape } from "../src/svg";
import { drawTime } from "../src/time/drawing";
import { apart, dashOf, roomFor, type TimeSeries } from "../src/time/series";
import type { LinkRecord, Point, ReportData, TestRecord } from "../src/types";

const T = [1e9, 2e9];

function record(test: string, point: Point, metrics: Record<string, number> = {}, origin: TestRecord["origin"] = "simulated"): TestRecord {
  const series = origin === "predicted" ? {} : { cwnd_bytes: { t_ns: T, v: [1e6, 1.09e6] }, in_flight_bytes: { t_ns: T, v: [1e6, 1e6] }, goodput_bps: { t_ns: T, v: [1e6, 2e6] } };
  return { origin, test, kind: "tcp", from: "a", to: "b", point, repeat: 0, started_ns: 0, duration_ns: 2e9, metrics, limited_by: null, streams: [], series, valid: true, notes: [] };
}

function link(direction: string, point: Point, most?: number): LinkRecord {
  return {
    origin: "simulated", link: "l", direction, point, bytes: 1e6, payload_bytes: 1e6, frames: 1e3, drops: {}, t_ns: T, rate_bps: [1e6, 2e6], queue_bytes: [1e3, 2e3],
    ...(most === undefined ? {} : { queue_max_bytes: most }),
  };
}

/** A page of runs, or of one without a name; each has its point. */
function report(points: readonly Point[], tests: readonly string[] = ["bulk"], most?: number, more: readonly TestRecord[] = []): ReportData {
  return {
    schema: "farpath.report/1", scenario: { name: "x" }, topology: { nodes: [], links: [{ name: "l", ends: ["a", "b"], label: "" }] },
    runs: points.flatMap(({ run }) => (run === undefined ? [] : [{ name: run, version: "0", seed: 1, scenario_sha256: "" }])),
    document: {
      schema: "farpath.run/1", scenario: "x", version: "0", seed: 1, scenario_sha256: "", sweep: [["run"], ["test.bulk.cc"]], expectations: [],
      records: [...points.flatMap((point) => tests.map((test) => record(test, point, { cwnd_max_bytes: 1.41e6 }))), ...more],
      links: points.flatMap((point) => ["a>b", "b>a"].map((direction) => link(direction, point, most))),
    },
  };
}

function runs(count: number, extra: (i: number) => Point = () => ({})): Point[] {
  return Array.from({ length: count }, (_, i) => ({ run: `r${i}`, ...extra(i) }));
}

function below(shape: Shape): Shape[] {
  return [shape, ...shape.children.flatMap((child) => (typeof child === "string" ? [] : below(child)))];
}

function textOf(shape: Shape): string {
  return shape.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("");
}

/** What the legend of a figure shows: each name with its sign, as a reader sees it. */
function legend(drawing: Shape): (readonly [name: string, look: string])[] {
  return below(drawing).filter((s) => s.attributes["class"] === "legend-entry").map((entry) => {
    const sign = entry.children[0] as Shape;
    return [textOf(entry), JSON.stringify([sign.attributes["class"], sign.attributes["stroke-dasharray"]])] as const;
  });
}

/** The figures over time of a page's first place. */
function figures(data: ReportData): Map<string, Shape> {
  return new Map(timeFigures(data, timedPoints(data)[0]!).map((f) => [f.file, f.draw(960)]));
}

describe("figures of compared runs", () => {
  const sizes = [["three runs", runs(3), ["bulk"]], ["five runs of three tests", runs(5), ["bulk", "more", "most"]], ["twelve runs", runs(12), ["bulk"]]] as const;
  it.each(sizes)("never draw two series alike: %s", (_, points, tests) => {
    const drawn = figures(report(points, tests));
    expect(drawn.size).toBe(4);
    for (const [file, drawing] of drawn) {
      const all = legend(drawing);
      expect([file, new Set(all.map(([, look]) => look)).size]).toEqual([file, all.length]);
    }
  });

  it("have one colour for a run in all of them, and a dash for a direction", () => {
    const drawn = figures(report(runs(3)));
    const look = (file: string, name: string): [string, string | null] => JSON.parse(legend(drawn.get(file)!).find(([text]) => text === name)![1]);
    for (const run of [0, 1, 2]) {
      const [there, back] = [look("x-rate-on-l", `r${run}: a → b`), look("x-rate-on-l", `r${run}: b → a`)];
      expect(there[0]).toBe(look("x-goodput", `r${run}: bulk`)[0]);
      expect(there).toEqual(look("x-waiting-at-l", `r${run}: a → b`));
      expect(back).toEqual([there[0], "8 4"]);
    }
  });

  it("have what is predicted of tests at one time in the colours of these, and once where it is the same", () => {
    const predicted = (values: readonly number[]): ReportData => report(runs(3), ["bulk"], undefined, values.map((goodput_bps, i) => record("bulk", { run: `r${i}` }, { goodput_bps }, "predicted")));
    const of = (data: ReportData): (readonly [string, string])[] => legend(figures(data).get("x-goodput")!).filter(([text]) => text.includes("predicted"));
    expect(of(predicted([1, 1, 1])).map(([text]) => text)).toEqual(["predicted mean"]);
    expect(of(predicted([1, 2, 3])).map(([, look]) => JSON.parse(look)[0])).toEqual(["curve line-0 fine", "curve line-1 fine", "curve line-2 fine"]);
  });
});

describe("the directions of a link of one run", () => {
  it("are red and solid, blue and dashed, as in the drawing of the path", () => {
    const looks = legend(figures(report([{}])).get("x-rate-on-l")!).map(([, look]) => JSON.parse(look));
    expect(looks).toEqual([["curve line-1", null], ["curve line-0", "8 4"]]);
  });
});

describe("runs of one point each", () => {
  const ccs = ["reno", "cubic", "htcp"];
  const data = report(runs(3, (i) => ({ "test.bulk.cc": ccs[i]! })));

  it("lie over each other, named by run", () => {
    expect(timedPoints(data)).toEqual([{}]);
    const drawn = figures(data);
    expect([...drawn.keys()]).toEqual(["x-goodput", "x-window-and-data-in-flight", "x-rate-on-l", "x-waiting-at-l"]);
    expect(legend(drawn.get("x-goodput")!).map(([text]) => text)).toEqual(["r0: bulk", "r1: bulk", "r2: bulk"]);
  });

  it("have one axis, with what differs between them", () => {
    expect(axes(data, data.document.records)).toEqual([["run", "test.bulk.cc"]]);
  });

  it("are otherwise drawn point by point", () => {
    const swept = report(["r0", "r1"].flatMap((run) => ccs.map((cc) => ({ run, "test.bulk.cc": cc }))));
    expect(timedPoints(swept)).toEqual(ccs.map((cc) => ({ "test.bulk.cc": cc })));
    expect(axes(swept, swept.document.records)).toEqual([["run"], ["test.bulk.cc"]]);
    expect(placesOf(report([{ "test.bulk.cc": "reno" }]))({ "test.bulk.cc": "reno" })).toEqual({ "test.bulk.cc": "reno" });
  });
});

describe("what samples have not met", () => {
  const note = (drawing: Shape): string[] => below(drawing).filter((s) => s.attributes["class"] === "muted").map(textOf).filter((text) => text.startsWith("At the ends"));

  it("is said below the title: of a queue and of a window", () => {
    const drawn = figures(report([{}], ["bulk"], 256e3));
    expect(note(drawn.get("x-waiting-at-l")!)).toEqual(["At the ends of the intervals; the most that waited was 256\u202fkB (a → b), 256\u202fkB (b → a)."]);
    expect(note(drawn.get("x-window-and-data-in-flight")!)).toEqual(["At the ends of the intervals; the largest congestion window was 1.41\u202fMB."]);
    expect(note(drawn.get("x-goodput")!)).toEqual([]);
  });

  it("is nothing where a sample has the most, or a document of earlier versions does not say it", () => {
    expect(note(figures(report([{}], ["bulk"], 2e3)).get("x-waiting-at-l")!)).toEqual([]);
    expect(note(figures(report([{}])).get("x-waiting-at-l")!)).toEqual([]);
  });

  it("makes a figure of a queue that was empty whenever it was sampled", () => {
    const data = report([{}], ["bulk"], 256e3);
    const empty: ReportData = { ...data, document: { ...data.document, links: data.document.links.map((l) => ({ ...l, queue_bytes: [0, 0] })) } };
    const drawing = figures(empty).get("x-waiting-at-l")!;
    // What the caption says is drawn: the axis goes as far as the most that waited.
    expect(legend(drawing).map(([text]) => text)).toEqual(["a → b", "b → a", "a → b, the most", "b → a, the most"]);
    const ticks = below(drawing).filter((s) => s.attributes["class"] === "tick").map(textOf);
    expect(ticks).toContain("250\u202fkB");
    expect(ticks.some((text) => / B$/.test(text))).toBe(false);
  });

  it("has no level where a sample shows that something waited", () => {
    expect(legend(figures(report([{}], ["bulk"], 256e3)).get("x-waiting-at-l")!).map(([text]) => text)).toEqual(["a → b", "b → a"]);
  });

  it("is said of both directions where one of them has it, and of one in which nothing waited", () => {
    const data = report([{}], ["bulk"], 256e3);
    const links = (back: Partial<LinkRecord>): ReportData => ({ ...data, document: { ...data.document, links: data.document.links.map((l, i) => (i === 0 ? l : { ...l, ...back })) } });
    const said = (back: Partial<LinkRecord>): string[] => note(figures(links(back)).get("x-waiting-at-l")!);
    expect(said({ queue_max_bytes: 1e3, queue_bytes: [1e3, 0] })).toEqual(["At the ends of the intervals; the most that waited was 256\u202fkB (a → b), 1.00\u202fkB (b → a)."]);
    expect(said({ queue_max_bytes: 0, queue_bytes: [0, 0] })).toEqual(["At the ends of the intervals; the most that waited was 256\u202fkB. Nothing waited b → a."]);
  });

  it("names the largest of many", () => {
    const all = [1, 2, 3, 4, 5, 6].map((n) => ({ name: `r${n}`, most: n * 1e6, v: [0] }));
    expect(unseen(all, "it")).toBe("At the ends of the intervals; it was 6.00\u202fMB (r6), 5.00\u202fMB (r5), 4.00\u202fMB (r4), 3.00\u202fMB (r3), and less of 2 more.");
  });
});

describe("a test of which a mean alone is kept", () => {
  const udp = (origin: TestRecord["origin"], goodput_bps: number): TestRecord => ({
    ...record("flood", {}, { goodput_bps }, origin), kind: "udp", started_ns: 100e9, duration_ns: 10e9,
    series: origin === "predicted" ? {} : { missing: { t_ns: [100e9, 100.2e9], v: [1, 2] } },
  });
  const data = report([{}], ["bulk"], undefined, [record("bulk", {}, { goodput_bps: 3e6 }, "predicted"), udp("predicted", 48e6), udp("simulated", 47.9e6)]);
  const drawing = figures(data).get("x-goodput")!;

  it("is named below the title, and neither drawn nor on the axis", () => {
    expect(legend(drawing).map(([text]) => text)).toEqual(["bulk", "predicted mean"]);
    const muted = below(drawing).filter((s) => s.attributes["class"] === "muted").map(textOf);
    expect(muted[0]).toBe("Not drawn, as a mean alone is kept: flood, 47.90\u202fMbit/s over 10\u202fs, begun at 100\u202fs.");
    const ticks = below(drawing).filter((s) => s.attributes["class"] === "tick").map(textOf);
    expect(ticks).toContain("3\u202fMbit/s");
    expect(ticks.some((text) => /\d\d\u202fMbit/.test(text))).toBe(false);
  });

  it("is said of four at most", () => {
    const many = report([{}], ["bulk"], undefined, Array.from({ length: 6 }, (_, i) => ({ ...udp("simulated", 1e6), test: `f${i}` })));
    expect(below(figures(many).get("x-goodput")!).map(textOf).some((text) => text.endsWith("; 2 more."))).toBe(true);
  });
});

describe("single packets", () => {
  const drawn = (kind: string, count: number): Shape[] => {
    // Every tenth of a second, and none between 9.9 and 15 s.
    const t_ns = Array.from({ length: count }, (_, i) => (i < 100 ? i : i + 50) * 1e8);
    const v = t_ns.map((t) => 40e6 + t / 1e3);
    const one: TestRecord = { ...record("echo", {}), kind, series: { [kind === "ping" ? "rtt_ns" : "delay_ns"]: { t_ns, v } } };
    const data = report([{}]);
    const [figure] = timeFigures({ ...data, document: { ...data.document, records: [one], links: [] } }, {});
    return below(figure!.draw(960));
  };

  it.each(["ping", "oneway"])("are points, however many, so that nothing joins what an outage parts: %s", (kind) => {
    for (const [count, look] of [[50, "mark hollow line-0"], [250, "mark dense line-0"]] as const) {
      const shapes = drawn(kind, count);
      expect(shapes.filter((s) => String(s.attributes["class"]).startsWith("curve"))).toEqual([]);
      const marks = shapes.filter((s) => s.attributes["class"] === look);
      // One is the legend's.
      expect(marks).toHaveLength(count + 1);
    }
  });

  it("are one point where many of them share a place", () => {
    expect(drawn("ping", 5000).filter((s) => s.tag === "circle").length).toBeLessThan(3000);
  });
});

describe("goodput of a test that sent data again", () => {
  it("says below its title why an interval can have more than the line carries", () => {
    const said = (retransmits: number): string[] => {
      const data = report([{}]);
      const records = data.document.records.map((r) => ({ ...r, metrics: { ...r.metrics, retransmits } }));
      const drawing = figures({ ...data, document: { ...data.document, records } }).get("x-goodput")!;
      return below(drawing).filter((s) => s.attributes["class"] === "muted").map(textOf);
    };
    expect(said(3)).toEqual(["An interval can have more than the line carries: data behind a lost segment arrive at once with its repair."]);
    expect(said(0)).toEqual([]);
  });
});

describe("the y axis", () => {
  it("has no parts of a unit where nothing is above zero", () => {
    expect(roomFor([0, 0], true)).toEqual([0, 10]);
    expect(roomFor([], true)).toEqual([0, 10]);
    expect(roomFor([50, 100], true)).toEqual([0, 108]);
    expect(roomFor([50, 100], false)).toEqual([46, 104]);
  });
});

describe("a plot beside its caption", () => {
  it("has neither title nor note, and its legend", () => {
    const plot = { title: "Waiting", note: "A note.", format: String, fromZero: true, series: [{ name: "one", t_ns: T, v: [1, 2], style: 0, dash: 0 }] };
    const words = (isBare: boolean): string[] => below(drawTime(plot, [0, 2], { id: "p", width: 720, isBare })).filter((s) => s.tag === "text").map(textOf);
    expect(words(false).filter((text) => !words(true).includes(text))).toEqual(["A note.", "Waiting"]);
    expect(words(true)).toContain("one");
    const above = { ...plot, fromZero: false, series: [{ ...plot.series[0]!, v: [100, 110] }] };
    expect(below(drawTime(above, [0, 2], { id: "p", width: 720 })).filter((s) => s.tag === "text").map(textOf)).toContain("Waiting, axis not from 0");
  });
});

describe("looks", () => {
  const series = (style: number, dash: number): TimeSeries => ({ name: "", t_ns: [], v: [], style, dash });

  it("stay as they are where they differ", () => {
    const all = [series(0, 0), series(1, 0), series(0, 1), { ...series(0, 0), reference: true }];
    expect(apart(all)).toEqual(all);
  });

  it("have another dash before another colour", () => {
    const all = apart(Array.from({ length: 10 }, () => series(2, 0)));
    expect(new Set(all.slice(0, 8).map((s) => s.style))).toEqual(new Set([2]));
    expect(new Set(all.slice(0, 8).map((s) => dashOf(s).join())).size).toBe(8);
    expect(all[8]!.style).toBe(3);
  });
});

describe("a plot over time", () => {
  it("is called by what it has", () => {
    const titles = (series: TestRecord["series"]): (string | undefined)[] => {
      const data = report([{}]);
      const records = data.document.records.map((r) => ({ ...r, series }));
      return timeFigures({ ...data, document: { ...data.document, records, links: [] } }, {}).map((f) => f.title);
    };
    const one = { t_ns: T, v: [1e6, 2e6] };
    expect(titles({ delay_ns: one })).toEqual(["One-way delay"]);
    expect(titles({ jitter_ns: one })).toEqual(["Jitter"]);
    expect(titles({ delay_ns: one, jitter_ns: one })).toEqual(["One-way delay and jitter"]);
    expect(titles({ cwnd_bytes: one })).toEqual(["Window"]);
    expect(titles({ cwnd_bytes: one, in_flight_bytes: one })).toEqual(["Window and data in flight"]);
  });
});

describe("figures of repeats", () => {
  it("say in their titles that they show the first", () => {
    const again = { ...record("bulk", {}), repeat: 1 };
    const titles = (data: ReportData): string[] => timeFigures(data, {}).map((f) => f.title ?? "");
    expect(titles(report([{}], ["bulk"], undefined, [again]))[0]).toBe("Goodput, repeat 1 of 2");
    expect(titles(report([{}]))[0]).toBe("Goodput");
  });
});
