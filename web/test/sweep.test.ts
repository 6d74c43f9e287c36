import { describe, expect, it } from "vitest";

import { fileName, filesWith, partOf, switched } from "../src/drawn";
import { entitled, mixed, readSheet, toStandalone } from "../src/export";
import { metricName, nameKeys, notMet, point, rangeOf, renameTexts, ticks, delay } from "../src/format";
import { hatch } from "../src/figure/hatch";
import { cut, lawsInWords } from "../src/figure/law";
import { covered, drawSweep, labelRows } from "../src/figure/sweep";
import { boldWidth } from "../src/figure/width";
import { rows } from "../src/results";
import { captionOf, ofBdp, sweepFigures } from "../src/section/sweep";
import { shape, toText } from "../src/svg";
import { groupRecords, linkRecords, MEMBER, outside, ratioRecords, sweepOf, sweepOfRecords, sweptKeys, type Look, type Sweep } from "../src/sweep";
import { drawTime, pathOf } from "../src/time/drawing";
import type { LinkRecord, Origin, Point, PublishedLaw, ReportData, TestRecord } from "../src/types";

function record(origin: Origin, at: Point, metrics: Record<string, number>, repeat = 0): TestRecord {
  return {
    origin, test: "bulk", kind: "tcp", from: "a", to: "b", point: at, repeat, started_ns: 0, duration_ns: 1e9, metrics, limited_by: null, streams: [],
    series: {}, valid: true, notes: [],
  };
}

function report(records: readonly TestRecord[], more: Partial<ReportData> = {}): ReportData {
  return {
    schema: "farpath.report/1", scenario: { name: "x" },
    document: { schema: "farpath.run/1", scenario: "x", version: "0", seed: 1, scenario_sha256: "", records, links: [], expectations: [] }, ...more,
  };
}

/** A record at each combination, with the metric that `value` gives, or none. */
function swept(values: Readonly<Record<string, readonly string[]>>, value: (p: Point) => number | null, origins: readonly Origin[] = ["simulated"]): ReportData {
  const points = Object.entries(values).reduce<Point[]>((all, [key, list]) => all.flatMap((p) => list.map((v) => ({ ...p, [key]: v }))), [{}]);
  return report(points.flatMap((p) => origins.map((origin) => {
    const found = value(p);
    return record(origin, p, found === null ? {} : { goodput_bps: found });
  })));
}

function drawnText(data: ReportData, width = 900): string {
  return toText(drawSweep(sweepOf(data, "bulk", "goodput_bps")!, { id: "s", width }));
}

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

describe("the figures on bars", () => {
  it("have the unit where it is not the axis's", () => {
    const queues: Readonly<Record<string, number>> = { red: 1.1e6, codel: 330e3, fifo: 2.4e6 };
    const all = Object.entries(queues).map(([aqm, most]) => record("simulated", { "link.l.aqm": aqm }, { queue_max_bytes: most }));
    const text = toText(drawSweep(sweepOf(report(all), "bulk", "queue_max_bytes")!, { id: "s", width: 900 }));
    const labels = [...text.matchAll(/class="tick halo"[^>]*>([^<]*)</g)].map((m) => m[1]!.replace("\u202f", " "));
    expect(labels).toEqual(["1.1", "330 kB", "2.4"]);
  });

  it("leave room for the widest label of their axis", () => {
    const all = [1.2e8, 2.4e8, 3e8].map((most, i) => record("simulated", { "link.l.aqm": ["red", "codel", "fifo"][i]! }, { queue_max_bytes: most }));
    const text = toText(drawSweep(sweepOf(report(all), "bulk", "queue_max_bytes")!, { id: "s", width: 358 }));
    const starts = [...text.matchAll(/class="tick" x="([\d.]+)" y="[\d.]+" text-anchor="end">([^<]*)</g)].map((m) => Number(m[1]) - boldWidth(m[2]!, 11));
    expect(starts.length).toBeGreaterThan(2);
    expect(Math.min(...starts)).toBeGreaterThanOrEqual(0);
  });

  it("tell what is just below all of it from all of it", () => {
    const labels = (metric: string, values: readonly number[]): string[] => {
      const records = values.map((v, i) => record("simulated", { "test.bulk.cc": ["reno", "cubic", "bbr"][i]! }, { [metric]: v }));
      const text = toText(drawSweep(sweepOf(report(records), "bulk", metric)!, { id: "s", width: 900 }));
      return [...text.matchAll(/class="tick halo"[^>]*>([^<]*)</g)].map((m) => m[1]!);
    };
    expect(labels("jain_index", [0.9999, 0.8, 1])).toEqual(["0.9999", "0.8", "1"]);
    expect(labels("conforming_ratio", [0.99996, 0.25, 1])).toEqual(["99.996", "25", "100"]);
  });
});

describe("an axis of small ratios", () => {
  it("names each tick by as many digits as tell it from the others", () => {
    const all = [0, 1, 2].map((i) => record("simulated", { "link.l.delay": `${i + 1} ms` }, { loss_ratio: i * 1e-4 }));
    const text = toText(drawSweep(sweepOf(report(all), "bulk", "loss_ratio")!, { id: "s", width: 900 }));
    const labels = [...text.matchAll(/class="tick"[^>]*text-anchor="end">([^<]*)</g)].map((m) => m[1]!);
    expect(labels).toEqual(["0", "0.005\u202f%", "0.01\u202f%", "0.015\u202f%", "0.02\u202f%"]);
  });
});

describe("a part of a name", () => {
  it("is one metric where it is that but for its unit", () => {
    const files = ["x-bulk-goodput_bps", "x-bulk-goodput_bps-repeats", "x-1-MiB-goodput", "x-2-MiB-goodput"];
    expect([...filesWith("goodput", files)]).toEqual(files.slice(0, 2));
    expect([...filesWith("good", files)]).toEqual(files);
    expect([...filesWith("1-MiB", files)]).toEqual([files[2]]);
    // Without such a figure it is a part of the name.
    expect([...filesWith("goodput", files.slice(2))]).toEqual(files.slice(2));
    expect([...filesWith(undefined, files)]).toEqual(files);
  });
});

describe("published laws over a sweep", () => {
  const curve = (at: Point, scale: number): PublishedLaw["curves"][number] => ({ at, parts: [{ holds: true, x: [1e-4, 1e-3, 0.01], y: [9e6, 3e6, 1e6].map((v) => v * scale) }, { holds: false, x: [0.01, 0.1], y: [1e6 * scale, 3e5 * scale] }] });
  const law = (name: string, more: Partial<PublishedLaw> = {}): PublishedLaw => ({
    name, title: `Law of ${name}`, formula: "8 × MSS", source: "a paper", range: "p up to 0.02", test: "bulk", metric: "goodput_bps", key: "link.l.loss", curves: [curve({}, 1)], ...more,
  });
  const losses = ["1e-4", "1e-3", "0.01", "0.1"];
  const report = (laws: readonly PublishedLaw[], more: Record<string, readonly string[]> = {}): ReportData => ({ ...swept({ "link.l.loss": losses, ...more }, (p) => 9e4 / Math.sqrt(Number(p["link.l.loss"]))), laws });
  const text = (data: ReportData, laws: readonly string[]): string => toText(drawSweep(sweepOf(data, "bulk", "goodput_bps")!, { id: "s", width: 900, laws }));

  it("are drawn where they are switched on, dotted outside their range", () => {
    const data = report([law("mathis"), law("pftk")]);
    expect(text(data, [])).not.toContain("law");
    const one = text(data, ["pftk"]);
    expect([count(one, /data-law="pftk"/g), count(one, /data-law="mathis"/g)]).toEqual([1, 0]);
    expect(one).toContain("a: Law of pftk");
    expect([count(one, /class="law ink"/g), count(one, /class="law ink beyond"/g)]).toEqual([2, 2]);
    expect(one).toContain("outside a law's range");
    // In grey no two are alike.
    const both = text(data, ["mathis", "pftk"]);
    const dashes = [...both.matchAll(/class="law ink" stroke-dasharray="([^"]*)" d="M[\d.]+,[\d.]+h/g)].map((m) => m[1]);
    expect([dashes.length, new Set(dashes).size]).toEqual([2, 2]);
    expect(lawsInWords(sweepOf(data, "bulk", "goodput_bps")!, ["mathis"])).toEqual(["a: Law of mathis: 8 × MSS. a paper. Holds for: p up to 0.02."]);
  });

  it("have letters that do not lie over each other", () => {
    const to = (end: number): PublishedLaw["curves"][number] => ({ at: {}, parts: [{ holds: true, x: [1e-4, 1e-3, 0.01], y: [9e6, 3e6, end] }] });
    const all = text(report([law("mathis", { curves: [to(1e6)] }), law("pftk", { curves: [to(0.95e6)] }), law("tfrc", { curves: [to(0.9e6)] })]), ["mathis", "pftk", "tfrc"]);
    const at = [...all.matchAll(/class="law-letter" x="([\d.]+)" y="([\d.]+)"/g)].map((m) => [Number(m[1]), Number(m[2])] as const);
    const gaps = at.flatMap((p, i) => at.slice(i + 1).map((q) => Math.hypot(p[0] - q[0], p[1] - q[1])));
    expect([at.length, Math.min(...gaps) >= 16]).toEqual([3, true]);
  });

  it("have letters above the points and their lines, on a ground", () => {
    // The law is what was found, as the window's limit is: its letter stood under the line.
    const drawn = text(report([law("window", { curves: [curve({}, 1)] })]), ["window"]);
    const letter = /<rect class="ground" x="([\d.]+)" y="([\d.]+)"[^>]*>\s*<text class="law-letter"/.exec(drawn)!;
    expect(letter.index).toBeGreaterThan(drawn.lastIndexOf('class="curve'));
    const [x, y] = [Number(letter[1]) + 7, Number(letter[2]) + 8];
    const line = [.../class="curve [^>]*d="([^"]*)"/.exec(drawn)![1]!.matchAll(/([\d.]+),([\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])] as const);
    const away = line.slice(1).map((to, i) => {
      const from = line[i]!;
      const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
      const share = Math.max(0, Math.min(1, ((x - from[0]) * dx + (y - from[1]) * dy) / (dx * dx + dy * dy)));
      return Math.hypot(x - from[0] - share * dx, y - from[1] - share * dy);
    });
    expect(Math.min(...away)).toBeGreaterThan(10);
  });

  it("pass through their values", () => {
    const data = report([law("mathis", { curves: [curve({}, 1)] })]);
    const [places, curves] = [/<circle|class="mark [^"]*"[^>]*d="M([\d.]+),([\d.]+)/g, text(data, ["mathis"])];
    // The points are 9e4 / sqrt(p), and the law has the same value at 1e-4: it begins at the first of them.
    const first = [...curves.matchAll(places)].map((m) => [Number(m[1]), Number(m[2])]).filter(([x]) => x! > 60).sort((p, q) => p[0]! - q[0]!)[0];
    const begins = /class="law ink" stroke-dasharray="[^"]*" d="M([\d.]+),([\d.]+)L/.exec(curves)!;
    expect([Number(begins[1]), Number(begins[2])]).toEqual(first);
  });

  it("have the colour of the value on which they depend", () => {
    const data = report([law("mathis", { curves: [curve({ "link.l.delay": "1 ms" }, 1), curve({ "link.l.delay": "2 ms" }, 0.5)] })], { "link.l.delay": ["1 ms", "2 ms"] });
    const drawn = text(data, ["mathis"]);
    expect([count(drawn, /class="law line-0"/g), count(drawn, /class="law line-1"/g)]).toEqual([1, 1]);
  });

  it("are cut where the axes end", () => {
    const frame = { left: 0, right: 10, top: 0, bottom: 10 };
    expect(cut([[0, -10], [5, 0], [10, 20]], frame)).toEqual([[[5, 0], [7.5, 10]]]);
    expect(cut([[-5, 5], [5, 5], [15, 5]], frame)).toEqual([[[0, 5], [5, 5], [10, 5]]]);
    expect(cut([[0, -1], [10, -1]], frame)).toEqual([]);
  });

  it("have a button each, in the figure of their metric alone", () => {
    const data = report([law("mathis"), law("window", { metric: "rtt_avg_ns" }), law("pftk", { key: "link.l.mtu" })]);
    const [figure] = sweepFigures(data);
    expect(figure!.over!.of.map((one) => one.title)).toEqual(["Law of mathis"]);
    expect(switched(["a", "b", "c"], ["c"], "a")).toEqual(["a", "c"]);
    expect(switched(["a", "b", "c"], ["a", "c"], "a")).toEqual(["c"]);
    // A file has those that are on.
    expect(toText(figure!.draw(640, ["mathis"]))).toContain('data-law="mathis"');
    expect(toText(sweepFigures(data, { laws: ["mathis"] })[0]!.draw(640))).toContain('data-law="mathis"');
    expect(sweepFigures(report([]))[0]!.over).toBeUndefined();
  });
});

describe("keys of a sweep", () => {
  it("are called and ordered as the run says", () => {
    nameKeys([{ key: "test.f2.cc", name: "f2.cc" }, { key: "link.l.loss", name: "loss" }, { key: "test.f1.cc", name: "f1.cc" }]);
    expect(point({ "link.l.loss": "1e-4", "test.f1.cc": "bbr", "test.f2.cc": "cubic" })).toBe("f2.cc cubic, loss 1e-4, f1.cc bbr");
    nameKeys(undefined);
    expect(point({ "test.f1.cc": "bbr" })).toBe("cc bbr");
  });

  it("say of which round trip a bandwidth-delay product is", () => {
    const data = swept({ "link.l.queue": ["0.1bdp", "1 bdp", "10 ms"] }, (p) => p["link.l.queue"]!.length * 1e6);
    expect(ofBdp(data)).toContain("A queue of 1bdp is the link's rate times the longest round trip");
    expect(ofBdp(swept({ "link.l.queue": ["1 ms", "10 ms"] }, (p) => p["link.l.queue"]!.length * 1e6))).toBeNull();
    // Once, and not below each figure.
    expect(captionOf(sweepOf(data, "bulk", "goodput_bps")!)).toBe("");
  });

  it("have no recovery where no window was cut", () => {
    const recovery: Readonly<Record<string, number>> = { reno: 4, cubic: 2, bbr: 0 };
    const data = report(Object.entries(recovery).map(([cc, s]) => record("simulated", { "test.bulk.cc": cc }, { recovery_s: s })));
    const sweep = sweepOf(data, "bulk", "recovery_s")!;
    expect(sweep.panels[0]!.series[0]!.cells.map((c) => c?.y ?? null)).toEqual([4, 2, null]);
    expect(sweep.missing.join()).toContain("bbr");
  });

  it("come in the order in which they were written, whatever their names", () => {
    const data = swept({ z: ["1", "2"], a: ["x", "y"], one: ["1"] }, () => 1);
    expect(sweptKeys(data.document.records)).toEqual(["z", "a"]);
  });
});

describe("a sweep's figure", () => {
  it("breaks a curve where a value is missing, and says so", () => {
    const data = swept({ "test.bulk.window": ["1 MiB", "2 MiB", "3 MiB", "4 MiB"] }, (p) => (p["test.bulk.window"] === "2 MiB" ? null : Number.parseInt(p["test.bulk.window"]!, 10) * 1e6));
    const d = /class="curve [^"]*" style="[^"]*" d="([^"]*)"/g;
    const curve = [...drawnText(data).matchAll(d)].map((m) => m[1]!).find((text) => text.includes("Z"))!;
    expect(curve.match(/M/g)).toHaveLength(2);
    expect(captionOf(sweepOf(data, "bulk", "goodput_bps")!)).toContain("Nothing was found for: simulated, window 2 MiB.");
  });

  it("has bars for words, and a dash where there is none", () => {
    const data = swept({ "test.bulk.cc": ["reno", "bic", "cubic"] }, (p) => (p["test.bulk.cc"] === "bic" ? null : p["test.bulk.cc"] === "reno" ? 5e6 : 9e6));
    const text = drawnText(data);
    expect([count(text, /class="bar full/g) - 1, count(text, /class="curve/g), count(text, /missing/g)]).toEqual([2, 0, 1]);
  });

  it("has no bar or sign that its colour alone tells from others, and says how origins look", () => {
    const origins: readonly Origin[] = ["predicted", "simulated", "emulated"];
    const flat = (text: string): string => text.replace(/<title[^]*?<\/title>|<desc[^]*?<\/desc>/g, "");
    // What a legend shows of each of its entries, without colours and places.
    const looks = (text: string): string[] => text.split('class="legend-entry"').slice(1).map((entry) => entry.split("<text")[0]!
      .replace(/ (line-\d|west|east|ink|plain-way)\b/g, "").replace(/ (x|y)="[^"]*"|M[-\d.]+,[-\d.]+/g, ""));
    const words = swept({ "test.bulk.cc": ["reno", "cubic"] }, (p) => p["test.bulk.cc"]!.length * 1e6, origins);
    const both = swept({ "test.bulk.cc": ["reno", "cubic"], "test.bulk.sack": ["on", "off", "dsack", "limited"] }, (p) => (p["test.bulk.cc"]!.length + p["test.bulk.sack"]!.length) * 1e6, origins);
    const spread = swept({ "test.bulk.cc": ["reno", "cubic"], "test.bulk.sack": ["on", "off"] }, (p) => 10 ** (p["test.bulk.cc"]!.length + p["test.bulk.sack"]!.length), origins);
    const lines = swept({ "link.l.loss": ["1e-3", "2e-3"], "test.bulk.cc": ["reno", "cubic"] }, (p) => p["test.bulk.cc"]!.length / Number(p["link.l.loss"]), origins);
    for (const data of [words, both, spread, lines]) {
      const seen = looks(flat(drawnText(data)));
      const colours = sweepOf(data, "bulk", "goodput_bps")!.colour?.values.length ?? 0;
      // The colours come first, then the origins.
      expect(new Set(seen.slice(0, colours)).size).toBe(colours);
      expect(new Set(seen.slice(colours)).size).toBe(3);
    }
    const caption = (data: ReportData): string => captionOf(sweepOf(data, "bulk", "goodput_bps")!);
    expect(caption(words)).toContain("Predicted: outlined bars; simulated: full bars; emulated: pale bars.");
    expect(caption(both)).toContain("Predicted: outlined bars; simulated: full bars; emulated: pale bars.");
    expect(caption(spread)).toContain("Predicted: hollow signs; simulated: full signs; emulated: hollow signs with a dot.");
    expect(caption(lines)).toContain("Predicted: dashed, hollow signs; simulated: solid, full signs; emulated: dashes and dots, hollow signs with a dot.");
    // A line needs two neighbouring points that both have a value.
    const far = report([record("predicted", { "link.l.loss": "1e-3" }, { goodput_bps: 2 }), ...["1e-3", "2e-3"].map((loss, i) => record("simulated", { "link.l.loss": loss }, { goodput_bps: 1 + i }))]);
    expect(caption(far)).toContain("Predicted: open squares; simulated: solid, dots.");
    expect(captionOf(sweepOf(swept({ "link.l.loss": ["1e-3", "2e-3"] }, (p) => Number(p["link.l.loss"])), "bulk", "goodput_bps")!)).not.toContain("imulated:");
  });

  it("draws what others cover larger than these", () => {
    const alike = swept({ "link.l.loss": ["1e-3", "2e-3", "3e-3"], "test.bulk.cc": ["reno", "cubic", "bbr"] }, (p) => (p["test.bulk.cc"] === "bbr" && p["link.l.loss"] !== "1e-3" ? 9e6 : 1e3 / Number(p["link.l.loss"])));
    const [reno, cubic, bbr] = sweepOf(alike, "bulk", "goodput_bps")!.panels[0]!.series;
    const at = (v: number): number => v / 1e4;
    expect(covered(reno!, [cubic!, bbr!], at)).toEqual({ points: [2, 1, 1], curve: 1 });
    // It is covered at one place, and not along its way.
    expect(covered(cubic!, [bbr!], at)).toEqual({ points: [1, 0, 0], curve: 0 });
    expect(covered(bbr!, [], at)).toEqual({ points: [0, 0, 0], curve: 0 });
    const text = drawnText(alike);
    expect(count(text, /class="curve line-0" style="--mix:30%;stroke-width:4"/g)).toBe(1);
    expect([...text.matchAll(/class="mark (line-\d)"[^>]*scale\(([\d.]+)\)/g)].map((m) => [m[1], m[2]])).toEqual([["line-0", "1.6"], ["line-0", "1.3"], ["line-0", "1.3"], ["line-1", "1.3"]]);
  });

  it("keeps hatches within their bars", () => {
    for (let number = 1; number < 8; number++) {
      const room = { x: 10, y: 20, width: 21, height: 50 };
      const ends = [...hatch(number, room).matchAll(/M([\d.]+),([\d.]+)(?:L([\d.]+),([\d.]+)|h([\d.]+)|v([\d.]+))/g)].flatMap(([, x, y, x2, y2, h, v]) => [
        [Number(x), Number(y)], [Number(x2 ?? Number(x) + Number(h ?? 0)), Number(y2 ?? Number(y) + Number(v ?? 0))],
      ]);
      expect(ends.length).toBeGreaterThan(4);
      for (const [x, y] of ends) expect([x! >= 10 && x! <= 31, y! >= 20 && y! <= 70]).toEqual([true, true]);
    }
    expect(hatch(0, { x: 0, y: 0, width: 20, height: 20 })).toBe("");
    // A bar that is thinner than a step has a line in its middle.
    expect(hatch(4, { x: 10, y: 0, width: 2, height: 20 })).toBe("M11,0v20");
  });

  it("has a colour for each value of the second key and a panel for each of the third", () => {
    const values = { "link.l.loss": ["1e-5", "1e-4", "1e-3"], "test.bulk.cc": ["reno", "cubic"], "link.l.queue": ["1bdp", "2bdp"] };
    const data = swept(values, (p) => 1e3 / Number(p["link.l.loss"]), ["predicted", "simulated"]);
    const text = drawnText(data);
    expect([count(text, /class="panel"/g), count(text, /class="legend-entry"/g), count(text, /class="curve line-\d/g) - 2]).toEqual([2, 4, 8]);
    expect(text).toContain('data-log="y x"');
    expect(text).toContain(">queue 1bdp<");
  });

  it("has a sign for each colour, and dashes where one origin has them all, as its legend says", () => {
    const values = { "link.l.loss": ["1e-5", "1e-4"], "test.bulk.cc": ["reno", "cubic", "htcp", "bbr"] };
    // None covers another.
    const value = (p: Point): number => (10 * (1 + values["test.bulk.cc"].indexOf(p["test.bulk.cc"]!))) / Number(p["link.l.loss"]);
    const looks = (text: string, cc: number): [dash: string, sign: string][] => {
      const dashes = [...text.matchAll(new RegExp(`class="curve line-${cc}" style="[^"]*"([^>]*) d=`, "g"))].map((m) => m[1]!);
      const signs = [...text.matchAll(new RegExp(`class="mark line-${cc}" style="[^"]*" d="M[\\d.]+,[\\d.]+([^"]*)"`, "g"))].map((m) => m[1]!);
      expect(signs).toHaveLength(3);
      return [...new Set(dashes)].flatMap((dash) => [...new Set(signs)].map((sign) => [dash, sign] as [string, string]));
    };
    const alone = drawnText(swept(values, value));
    const all = [0, 1, 2, 3].map((cc) => looks(alone, cc));
    expect(all.map((one) => one.length)).toEqual([1, 1, 1, 1]);
    expect([0, 1].map((i) => new Set(all.map((one) => one[0]![i])).size)).toEqual([4, 4]);
    const both = drawnText(swept(values, value, ["predicted", "simulated"]));
    expect(count(both, /class="mark hollow line-3"/g)).toBe(2);
  });

  it("has dashes for colours only where no figure of its page has them for origins", () => {
    const points = ["1e-5", "1e-4"].flatMap((loss) => ["reno", "cubic"].map((cc) => ({ "link.l.loss": loss, "test.bulk.cc": cc })));
    const simulated = points.map((p, i) => record("simulated", p, { goodput_bps: (i + 1) * 1e6, recovery_s: i + 1 }));
    const predicted = points.map((p, i) => record("predicted", p, { goodput_bps: (i + 2) * 1e6 }));
    const dashed = (records: readonly TestRecord[]): number => count(toText(drawSweep(sweepOf(report(records), "bulk", "recovery_s")!, { id: "s", width: 900 })), /class="curve [^>]*stroke-dasharray/g);
    // The second colour, in the legend and in the figure; dashes are the formula's on a page that has one.
    expect([dashed(simulated), dashed([...predicted, ...simulated])]).toEqual([2, 0]);
    const alone = sweepOf(report([...predicted, ...simulated]), "bulk", "recovery_s")!;
    const signs = [...toText(drawSweep(alone, { id: "s", width: 900 })).matchAll(/class="mark line-(\d)" style="[^"]*" d="M[\d.]+,[\d.]+([^"]*)"/g)].map((m) => `${m[1]} ${m[2]}`);
    expect(new Set(signs).size).toBe(2);
  });

  it("ends a logarithmic axis at 2 or 5 of a decade, not at its end", () => {
    const ends = (most: number): string[] => {
      const data = swept({ "test.bulk.window": ["1 MiB", "2 MiB"] }, (p) => (p["test.bulk.window"] === "1 MiB" ? 10e6 : most));
      const text = toText(drawSweep(sweepOf(data, "bulk", "goodput_bps", "bulk", { log: "y" })!, { id: "s", width: 900 }));
      return [...text.matchAll(/class="tick"[^>]*text-anchor="end">([^<]*)</g)].map((m) => m[1]!.replace("\u202f", " "));
    };
    expect(ends(150e6)).toEqual(["10 Mbit/s", "20 Mbit/s", "50 Mbit/s", "100 Mbit/s", "200 Mbit/s"]);
    expect(ends(500e6).at(-1)).toBe("500 Mbit/s");
    expect(ends(600e6).at(-1)).toBe("1 Gbit/s");
    // Of several decades the ticks are these.
    expect(ends(150e9).at(-1)).toBe("100 Gbit/s");
  });

  it("names the unit of values that are written without one", () => {
    const across = (key: string, values: readonly string[]): string | undefined => {
      const text = drawnText(swept({ [key]: values }, (p) => Number.parseInt(p[key]!, 10) * 1e3));
      return [...text.matchAll(/class="axis-name"[^>]*>([^<]*)</g)].map((m) => m[1]!).at(-1);
    };
    expect(across("host.a.mtu", ["1500", "9000"])).toBe("mtu in bytes");
    expect(across("host.a.mtu", ["576", "9000"])).toBe("mtu in bytes, logarithmic axis");
    expect(across("test.bulk.window", ["1 MiB", "2 MiB"])).toBe("window");
    expect(across("test.bulk.parallel", ["1", "2"])).toBe("parallel");
  });

  it("keeps its legend within its width, however narrow", () => {
    const data = swept({ "link.l.loss": ["1e-5", "1e-4"], "test.bulk.cc": ["reno", "cubic", "highspeed", "scalable", "htcp", "westwood"] }, (p) => 1e3 / Number(p["link.l.loss"]));
    const ends = [...drawnText(data, 340).matchAll(/<text class="strong" x="([\d.]+)" y="[\d.]+">([^<]*)</g)].map(([, x, text]) => Number(x) + text!.length * 7.1);
    expect(ends).toHaveLength(7);
    expect(Math.max(...ends)).toBeLessThanOrEqual(340);
  });

  it("has the median of the repeats, between the least and the greatest", () => {
    const data = report(["8 MiB", "9 MiB"].flatMap((w, i) => [1, 2, 9].map((v, r) => record("simulated", { "test.bulk.window": w }, { goodput_bps: (v + i) * 1e6 }, r))));
    const cells = sweepOf(data, "bulk", "goodput_bps")!.panels[0]!.series[0]!.cells;
    expect(cells).toEqual([{ y: 2e6, low: 1e6, high: 9e6, n: 3, of: 3 }, { y: 3e6, low: 2e6, high: 10e6, n: 3, of: 3 }]);
  });

  it("says whether its upright lines are a range or an interval, in the colour of their series", () => {
    const records = ["8 MiB", "9 MiB"].flatMap((w, i) => [1, 2, 9].map((v, r) => record("simulated", { "test.bulk.window": w }, { goodput_bps: (v + i) * 1e6 }, r)));
    const metrics = ["8 MiB", "9 MiB"].map((w, i) => ({ origin: "simulated" as const, test: "bulk", point: { "test.bulk.window": w }, metric: "goodput_bps", n: 3, mean: (4 + i) * 1e6, ci95: 1e6 }));
    const plain = report(records);
    const data = { ...plain, document: { ...plain.document, repeats: { count: 3, metrics } } };
    expect(drawnText(data)).toContain(">median, from least to greatest, n = 3<");
    const sweep = sweepOf(data, "bulk", "goodput_bps", "bulk", { bars: "ci95" })!;
    expect(sweep.panels[0]!.series[0]!.cells).toEqual([{ y: 4e6, low: 3e6, high: 5e6, n: 3, of: 3 }, { y: 5e6, low: 4e6, high: 6e6, n: 3, of: 3 }]);
    const text = toText(drawSweep(sweep, { id: "s", width: 900 }));
    expect(text).toContain(">mean, 95 % confidence interval, n = 3<");
    expect(count(text, /class="whisker west"/g)).toBe(2);
    expect(captionOf(sweep)).toContain("mean, 95 % confidence interval of the repeats");
  });

  it("ends an interval where the metric does", () => {
    const records = ["8 MiB", "9 MiB"].flatMap((w, i) => [0.9, 0.99, 0.5].map((v, r) => record("simulated", { "test.bulk.window": w }, { jain_index: v - i / 10 }, r)));
    const metrics = ["8 MiB", "9 MiB"].map((w) => ({ origin: "simulated" as const, test: "bulk", point: { "test.bulk.window": w }, metric: "jain_index", n: 3, mean: 0.9, ci95: 0.2, ci95_low: 0.7, ci95_high: 1 }));
    const plain = report(records);
    const data = { ...plain, document: { ...plain.document, repeats: { count: 3, metrics } } };
    expect(sweepOf(data, "bulk", "jain_index", "bulk", { bars: "ci95" })!.panels[0]!.series[0]!.cells[0]).toMatchObject({ y: 0.9, low: 0.7, high: 1 });
  });

  it("joins nothing to what no certificate vouches for, and says what the sign means", () => {
    const records = ["1 MiB", "2 MiB", "3 MiB", "4 MiB"].flatMap((w, i) => [0, 1].map((repeat) => ({
      ...record("emulated", { "test.bulk.window": w }, { goodput_bps: (i + 1 + repeat) * 1e6 }, repeat), valid: i !== 1 && (i !== 2 || repeat === 0),
    })));
    const sweep = sweepOf(report(records), "bulk", "goodput_bps")!;
    // Of a point with a valid repeat the other does not count.
    expect(sweep.panels[0]!.series[0]!.cells.map((c) => [c?.y, c?.invalid ?? false])).toEqual([[1.5e6, false], [2.5e6, true], [3e6, false], [4.5e6, false]]);
    const text = drawnText(report(records));
    expect(text).toContain(">INVALID certificate<");
    expect(count(text, /class="untrusted"/g)).toBe(2);
    expect(captionOf(sweep)).toContain("Hollow and crossed: INVALID");
    const curve = [...text.matchAll(/class="curve east" style="[^"]*"[^>]* d="([^"]*)"/g)].map((m) => m[1]!).find((d) => d.includes("Z"))!;
    expect(curve.match(/M/g)).toHaveLength(2);
    const [row] = rows(report(records)).filter((r) => r.point["test.bulk.window"] === "2 MiB");
    expect([row?.untrusted, row?.notes]).toEqual([["emulated"], ["emulated: none of 2 repeats is valid, their certificates failed"]]);
    const bars = records.map((r) => ({ ...r, point: { "test.bulk.cc": `w${r.point["test.bulk.window"]}` } }));
    expect(count(drawnText(report(bars)), /class="bar invalid/g)).toBe(2);
    expect(captionOf(sweepOf(report(bars), "bulk", "goodput_bps")!)).toContain("Dashed outlines: INVALID");
  });

  it("begins the axis of a fairness that is never far from 1 where that is", () => {
    const data = (least: number): ReportData => report(["1 MiB", "2 MiB"].map((w, i) => record("simulated", { "test.bulk.window": w }, { jain_index: i === 0 ? least : 1 })));
    const text = (least: number): string => toText(drawSweep(sweepOf(data(least), "bulk", "jain_index")!, { id: "s", width: 900 }));
    expect(text(0.9)).not.toContain(">0<");
    expect(text(0.9)).toContain(", axis not from 0</text>");
    expect(text(0.7)).toContain(">0<");
    expect(text(0.7)).not.toContain("axis not from 0");
  });

  it("names an axis of an event's key by the event, and writes micro as a sign", () => {
    const text = drawnText(swept({ "event.cut.for": ["2 us", "10 us"] }, (p) => p["event.cut.for"]!.length * 1e6));
    expect(text).toContain(">cut for</text>");
    expect(text).toContain(">10 µs</text>");
    expect(text).toContain("goodput against cut for</title>");
    expect(drawnText(swept({ "link.cut.loss": ["1e-4", "2e-4"] }, (p) => Number(p["link.cut.loss"]) * 1e10))).toContain(">loss</text>");
  });

  it("names the event in legends, panels and captions too", () => {
    const data = swept({ "event.cut.for": ["1 s", "5 s"], "test.bulk.window": ["1 MiB", "2 MiB", "4 MiB"] }, (p) => Number.parseFloat(p["event.cut.for"]!) * 1e6);
    const text = drawnText(data);
    expect(text).toMatch(/class="legend-entry">[^]*>cut for 5 s</);
    expect(text).not.toMatch(/>for 5 s</);
    expect(point({ "event.cut.for": "5 s" })).toBe("cut for 5 s");
    // An event without a name has a number.
    expect(point({ "event.1.for": "5 s" })).toBe("for 5 s");
    try {
      nameKeys([{ key: "event.cut.for", name: "cut for" }, { key: "event.cut.forward.rate", name: "rate" }]);
      expect(point({ "event.cut.for": "5 s", "event.cut.forward.rate": "1 Mbit/s" })).toBe("cut for 5 s, cut rate 1 Mbit/s");
    } finally {
      nameKeys([]);
    }
  });

  it("has one axis for keys that were swept together, and says what goes with what", () => {
    const steps = [["1 ms", "1 MiB"], ["10 ms", "4 MiB"], ["20 ms", "4 MiB"]] as const;
    const records = ["reno", "cubic"].flatMap((cc) => steps.map(([delay, window], i) => record("simulated", { "test.bulk.cc": cc, "link.l.delay": delay, "test.bulk.window": window }, { goodput_bps: (i + 1) * 1e6 })));
    const plain = report(records);
    const sweep = sweepOf({ ...plain, document: { ...plain.document, sweep: [["test.bulk.cc"], ["link.l.delay", "test.bulk.window"]] } }, "bulk", "goodput_bps")!;
    expect([sweep.x.name, sweep.colour?.name, sweep.panels.length]).toEqual(["delay", "cc", 1]);
    expect(sweep.panels[0]!.series.map((s) => s.cells.map((c) => c?.y))).toEqual([[1e6, 2e6, 3e6], [1e6, 2e6, 3e6]]);
    expect(captionOf(sweep).replace(/\u00a0/g, " ")).toContain("Together: delay 1 ms, window 1 MiB; delay 10 ms, window 4 MiB; delay 20 ms, window 4 MiB.");
    expect(toText(drawSweep(sweep, { id: "s", width: 900 }))).toContain(">delay, together with window, logarithmic axis<");
  });

  it("has one colour for each step of keys that advance together, whatever values come again", () => {
    const steps = [["cubic", "cubic"], ["cubic", "bbr"], ["reno", "cubic"]] as const;
    const sweep = [["link.l.queue"], ["test.f1.cc", "test.f2.cc"]];
    const records = ["1bdp", "2bdp"].flatMap((queue, q) => steps.map(([one, two], i) => record("simulated", { "link.l.queue": queue, "test.f1.cc": one, "test.f2.cc": two }, { goodput_bps: (q * 3 + i + 1) * 1e6 })));
    const drawnOf = (some: readonly TestRecord[]): Sweep => {
      const plain = report(some);
      nameKeys(sweep.flat().map((key) => ({ key, name: key.split(".").slice(-2).join(".") })));
      return sweepOf({ ...plain, document: { ...plain.document, sweep } }, "bulk", "goodput_bps")!;
    };
    const crossed = drawnOf(records);
    expect([crossed.x.name, crossed.colour?.name, crossed.colour?.values, crossed.panels.length]).toEqual(["l.queue", "f1.cc / f2.cc", ["cubic / cubic", "cubic / bbr", "reno / cubic"], 1]);
    expect(crossed.panels[0]!.series.map((s) => s.cells.map((c) => c?.y))).toEqual([[1e6, 4e6], [2e6, 5e6], [3e6, 6e6]]);
    expect(toText(drawSweep(crossed, { id: "s", width: 900 }))).toContain(">f1.cc cubic, f2.cc bbr<");
    // Where all values differ, too; and by themselves they are the words along x.
    expect(drawnOf(records.filter((r) => r.point["test.f1.cc"] !== "cubic" || r.point["test.f2.cc"] !== "cubic")).colour?.name).toBe("f1.cc / f2.cc");
    const alone = drawnOf(records.filter((r) => r.point["link.l.queue"] === "1bdp"));
    expect([alone.x.name, alone.x.values, alone.colour]).toEqual(["f1.cc / f2.cc", ["cubic / cubic", "cubic / bbr", "reno / cubic"], null]);
    nameKeys(undefined);
  });

  it("leaves out what fewer than half of the repeats have, and says so", () => {
    const records = ["1 MiB", "2 MiB"].flatMap((w, i) => [0, 1, 2].map((repeat) => record("simulated", { "test.bulk.window": w }, i === 1 && repeat > 0 ? {} : { recovery_s: i + 1 }, repeat)));
    const more = [...records, ...[0, 1, 2].map((repeat) => record("simulated", { "test.bulk.window": "3 MiB" }, { recovery_s: 9 }, repeat))];
    const sweep = sweepOf(report(more), "bulk", "recovery_s")!;
    expect(sweep.panels[0]!.series[0]!.cells.map((c) => c?.y ?? null)).toEqual([1, null, 9]);
    expect([sweep.missing, sweep.rare]).toEqual([[], ["simulated, window 2 MiB"]]);
    expect(captionOf(sweep)).toContain("Left out, for fewer than half of the repeats have it: simulated, window 2 MiB.");
    expect(rows(report(more)).filter((r) => r.metric === "recovery_s").map((r) => [r.point["test.bulk.window"], r.values.size])).toEqual(expect.arrayContaining([["1 MiB", 1], ["2 MiB", 0], ["3 MiB", 1]]));
  });

  it("draws no figure of a metric that no point has in half of its repeats", () => {
    const records = ["1 MiB", "2 MiB"].flatMap((w, i) => [0, 1, 2].map((repeat) => record("simulated", { "test.bulk.window": w }, { goodput_bps: i + 1, ...(repeat > 0 ? {} : { recovery_s: i + 1 }) }, repeat)));
    expect(sweepFigures(report(records)).map((f) => f.file)).toEqual(["x-bulk-goodput_bps"]);
  });

  it("says of how many repeats a point is, where not all have it", () => {
    const recovered = [[1, 2, 3, 4], [5, 6]];
    const records = ["1 MiB", "2 MiB"].flatMap((w, i) => [0, 1, 2, 3].map((repeat) => record("simulated", { "test.bulk.window": w }, recovered[i]![repeat] === undefined ? {} : { recovery_s: recovered[i]![repeat]! }, repeat)));
    const sweep = sweepOf(report(records), "bulk", "recovery_s")!;
    expect(sweep.panels[0]!.series[0]!.cells.map((c) => [c?.n, c?.of])).toEqual([[4, 4], [2, 4]]);
    const text = toText(drawSweep(sweep, { id: "s", width: 900 }));
    expect(text).toContain("n = 4 where nothing else is said<");
    expect(count(text, />n = 2</g)).toBe(1);
  });

  it("has a logarithmic axis down to its least point, and cuts an interval that reaches 0", () => {
    const means = [5.6e-4, 0.1];
    const records = ["1 MiB", "2 MiB"].flatMap((w, i) => [0, 1].map((repeat) => record("simulated", { "test.bulk.window": w }, { loss_ratio: means[i]! }, repeat)));
    const metrics = ["1 MiB", "2 MiB"].map((w, i) => ({ origin: "simulated" as const, test: "bulk", point: { "test.bulk.window": w }, metric: "loss_ratio", n: 2, mean: means[i]!, ci95: 2.4e-3 }));
    const plain = report(records);
    const sweep = sweepOf({ ...plain, document: { ...plain.document, repeats: { count: 2, metrics } } }, "bulk", "loss_ratio", "bulk", { bars: "ci95", log: "y" })!;
    const text = toText(drawSweep(sweep, { id: "s", width: 900 }));
    const tick = (label: string): number => Number(new RegExp(`y="([\\d.]+)" text-anchor="end">${label}<`).exec(text)![1]) - 4;
    const [point] = [...text.matchAll(/class="mark west" style="[^"]*" d="M[\d.]+,([\d.]+)m/g)].map((m) => Number(m[1])).slice(1);
    const [low, high] = [tick("0.01\u202f%"), tick("0.1\u202f%")];
    expect(point).toBeCloseTo(low + (high - low) * Math.log10(5.6), 0);
    expect(text).not.toMatch(/text-anchor="end">0</);
    // An arrow, and no foot, where the interval goes on.
    expect(count(text, /class="whisker west"[^>]*l4,6l4,-6"/g)).toBe(1);
    expect(captionOf(sweep)).toContain("Arrows: on to 0 or less");
    // On a narrow page the names of axes are broken: seven pixels a letter.
    const names = (width: number): string[] => [...toText(drawSweep(sweep, { id: "s", width })).matchAll(/class="axis-name"[^>]*>([^<]*)/g)].map((m) => m[1]!);
    expect(Math.max(...names(140).map((line) => line.length))).toBeLessThanOrEqual(20);
    expect(names(140).length).toBeGreaterThan(names(900).length);
    expect(names(140).join(" ")).toBe(names(900).join(" "));
  });

  it("says that 0 stands below a logarithmic axis", () => {
    const waits = (least: number): string => {
      const records = [least, 2e3, 4e6].map((bytes, i) => record("simulated", { "test.bulk.window": `${i + 1} MiB` }, { queue_p99_bytes: bytes }));
      return toText(drawSweep(sweepOf(report(records), "bulk", "queue_p99_bytes", "bulk", { log: "y" })!, { id: "s", width: 900 }));
    };
    expect(waits(0)).toContain(", logarithmic axis with 0 below it<");
    expect(waits(1e3)).not.toContain("with 0 below it");
  });

  it("has no bars on a logarithmic axis, and no whisker through a number", () => {
    const least = (p: Point): number => (p["test.bulk.cc"] === "reno" ? 1 : 100);
    const data = swept({ "test.bulk.cc": ["reno", "cubic"] }, (p) => least(p) * 1e6);
    expect(count(drawnText(data), /class="bar /g)).toBe(0);
    expect(count(drawnText(data), /class="point"/g)).toBe(2);
    const repeats = report(["reno", "cubic"].flatMap((cc, i) => [1, 2, 9].map((v, r) => record("simulated", { "test.bulk.cc": cc }, { goodput_bps: (v + i) * 1e6 }, r))));
    const text = drawnText(repeats);
    const heads = [...text.matchAll(/class="whisker ink" style[^>]*d="M[\d.]+,[\d.]+V([\d.]+)/g)].map((m) => Number(m[1]));
    const numbers = [...text.matchAll(/class="tick halo" x="[\d.]+" y="([\d.]+)"/g)].map((m) => Number(m[1]));
    expect(heads).toHaveLength(2);
    heads.forEach((head, i) => { expect(numbers[i]).toBeLessThan(head); });
  });

  it("has the tests of a group as colours of one figure", () => {
    const members = ["f1", "f2"].flatMap((test, k) => ["1 MiB", "2 MiB"].flatMap((w, i) => ["reno", "cubic"].map((cc) => ({
      ...record("simulated", { "link.l.queue": w, "test.f1.cc": cc }, { goodput_bps: (1 + k + i) * 1e6 }), test, group: "pair",
    }))));
    const data = report(members);
    const sweep = sweepOfRecords(data, groupRecords(data, "pair")!, "goodput_bps", "group pair", { colour: MEMBER })!;
    expect([sweep.x.name, sweep.colour?.values, sweep.panels.map((p) => p.name)]).toEqual(["queue", ["f1", "f2"], ["cc reno", "cc cubic"]]);
    expect(sweep.panels[0]!.series.map((s) => s.cells.map((c) => c?.y))).toEqual([[1e6, 2e6], [2e6, 3e6]]);
    const files = sweepFigures(data).map((f) => f.file);
    expect(files.slice(0, 1)).toEqual(["x-group-pair-goodput_bps"]);
    expect(files).toContain("x-f2-goodput_bps");
    // More tests than colours have no common figure.
    const many = report(Array.from({ length: 9 }, (_, i) => ({ ...record("simulated", {}, { goodput_bps: i }), test: `f${i}`, group: "all" })));
    expect(groupRecords(many, "all")).toBeNull();
  });

  it("takes the mean rate of a link over the time that all origins saw it", () => {
    const plain = swept({ "link.l.queue": ["1 MiB", "2 MiB"] }, () => 1e6);
    const link = (origin: LinkRecord["origin"], t_ns: number[], rate_bps: number[]): LinkRecord => ({
      origin, link: "l", direction: "a>b", point: { "link.l.queue": "1 MiB" }, bytes: 1, payload_bytes: 1, frames: 1, drops: { tail: 1 }, t_ns, rate_bps, queue_bytes: [1],
    });
    const links = [link("simulated", [1, 2, 3, 4], [8, 8, 0, 0]), link("emulated", [1, 2], [8, 7])];
    const [way] = linkRecords({ ...plain, document: { ...plain.document, links } });
    expect(way!.records.map((r) => r.metrics["rate_mean_bps"])).toEqual([8, 7.5]);
  });

  it("has a figure for each metric that changes, and for the links that lose frames", () => {
    const plain = swept({ "link.l.queue": ["1 MiB", "2 MiB"] }, () => 1e6);
    const records = plain.document.records.map((r, i) => ({ ...r, metrics: { ...r.metrics, delay_p50_ns: 1e6 * (i + 1), delay_p99_ns: 2e6 * (i + 1) } }));
    const link = (name: string, queue: string, lost: number): LinkRecord => ({
      origin: "simulated", link: name, direction: "a>b", point: { "link.l.queue": queue }, bytes: 1, payload_bytes: 1, frames: 1, drops: { tail: lost }, t_ns: [1, 2], rate_bps: [lost, 3 * lost],
      queue_bytes: [lost, 2 * lost],
    });
    const links = [link("l", "1 MiB", 4), link("near", "1 MiB", 0), link("l", "2 MiB", 2), link("near", "2 MiB", 0)];
    const data = { ...plain, document: { ...plain.document, records, links } };
    expect(sweepFigures(data).map((f) => f.file)).toEqual(["x-bulk-delay_p99_ns", "x-l-a-b-drops", "x-l-a-b-rate_mean_bps", "x-l-a-b-queue_max_bytes", "x-l-a-b-queue_p99_bytes", "x-bulk-delay_p50_ns"]);
    const [way] = linkRecords(data);
    expect(way!.records.map((r) => [r.metrics["drops"], r.metrics["rate_mean_bps"], r.metrics["queue_p99_bytes"]])).toEqual([[4, 8, 8], [2, 4, 4]]);
    // The most that ever waited was counted, or is that of the samples.
    const counted = { ...data, document: { ...data.document, links: links.map((l, i) => (i === 0 ? { ...l, queue_max_bytes: 20 } : l)) } };
    expect(linkRecords(counted)[0]!.records.map((r) => r.metrics["queue_max_bytes"])).toEqual([20, 4]);
  });

  it("has a figure of the queue at which frames wait longest, though another one grows longer", () => {
    const plain = swept({ "link.l.reverse.rate": ["50 kbit/s", "100 kbit/s"] }, () => 1e6);
    const link = (direction: string, rate: string, bps: number, waiting: number[], most: number): LinkRecord => ({
      origin: "simulated", link: "l", direction, point: { "link.l.reverse.rate": rate }, bytes: 1, payload_bytes: 1, frames: 1, drops: {}, t_ns: [1, 2, 3], rate_bps: [bps, bps, bps],
      queue_bytes: waiting, queue_max_bytes: most,
    });
    const links = [
      link("a>b", "50 kbit/s", 1.7e6, [0, 0, 9000], 15140), link("b>a", "50 kbit/s", 5e4, [1100, 1200, 1200], 1254),
      link("a>b", "100 kbit/s", 3.4e6, [0, 0, 0], 15140), link("b>a", "100 kbit/s", 1e5, [1000, 1000, 1000], 1056),
    ];
    const names = (of: LinkRecord[]): string[] => linkRecords({ ...plain, document: { ...plain.document, links: of } }).map((way) => way.name);
    expect(names(links)).toEqual(["l a>b", "l b>a"]);
    expect(names(links.filter((l) => l.direction === "a>b"))).toEqual(["l a>b"]);
  });

  it("has the time of a transfer, but neither that of a test which a clock ends nor bytes against the bytes that were asked for", () => {
    const sizes: Readonly<Record<string, number>> = { "100 kB": 1e5, "1 MB": 1e6 };
    const sized = (complete: number): ReportData => report(Object.entries(sizes).flatMap(([text, bytes]) => {
      const at = { "test.bulk.bytes": text };
      // A forecast has no length; a simulated test ends with its run.
      const predicted = { ...record("predicted", at, { completion_ns: bytes * 1e3, goodput_bps: bytes }), duration_ns: 0 };
      return [predicted, { ...record("simulated", at, { completion_ns: bytes * 1e3, goodput_bps: bytes, bytes: bytes * complete }), duration_ns: 5e9 }];
    }));
    expect(sweepFigures(sized(1)).map((f) => f.file)).toEqual(["x-bulk-goodput_bps", "x-bulk-completion_ns"]);
    // What did not arrive whole says more than was asked for.
    expect(sweepFigures(sized(0.5)).map((f) => f.file)).toContain("x-bulk-bytes");
    const timed = report(["1 MiB", "2 MiB"].map((window, i) => ({ ...record("simulated", { "test.bulk.window": window }, { completion_ns: 1e9 + (i + 1) * 5e7 }), duration_ns: 1e9 })));
    expect(sweepFigures(timed)).toEqual([]);
  });

  it("calls names and values as the reader does", () => {
    const data = swept({ "link.l.queue": ["1 MiB", "2 MiB"], "test.bulk.cc": ["reno", "cubic"] }, (p) => Number.parseInt(p["link.l.queue"]!, 10) * (p["test.bulk.cc"] === "reno" ? 1e6 : 2e6));
    renameTexts([["link.l.queue", "buffer"], ["cc", ""], ["reno", "NewReno"], ["goodput", "rate of payload"], ["gossip", "x"]]);
    const text = drawnText(data);
    expect(text).toMatch(/>NewReno<[^]*>cubic<[^]*>rate of payload<[^]*>buffer</);
    expect(text).not.toContain(">queue");
    expect(notMet()).toEqual(["gossip"]);
    renameTexts([]);
  });

  it("has the axes and the range that are asked for", () => {
    const data = swept({ "test.bulk.window": ["1 MiB", "2 MiB", "64 MiB"] }, (p) => Number.parseInt(p["test.bulk.window"]!, 10) * 1e6);
    const logs = (look: Look): (string | undefined)[] => [/data-log="([^"]*)"/.exec(toText(drawSweep(sweepOf(data, "bulk", "goodput_bps", "bulk", look)!, { id: "s", width: 900 })))?.[1]];
    expect([{}, { log: "none" }, { log: "x" }, { log: "y" }, { log: "xy" }].map((l) => logs(l as Look)[0])).toEqual(["y x", "", "x", "y", "y x"]);
    const range = [{ value: 1e6, kind: "size" }, { value: 3e6, kind: "size" }] as const;
    expect(sweepOf(data, "bulk", "goodput_bps", "bulk", { range })!.x.values).toEqual(["1 MiB", "2 MiB"]);
    expect(sweepOf(data, "bulk", "goodput_bps", "bulk", { range: [{ value: 0, kind: "rate" }, { value: 1, kind: "rate" }] })!.x.values).toHaveLength(3);
  });

  it("shows a part of y, cuts what lies outside and says how much that is", () => {
    const data = swept({ "test.bulk.window": ["1 MiB", "2 MiB", "64 MiB"] }, (p) => Number.parseInt(p["test.bulk.window"]!, 10) * 1e6);
    const yRange = rangeOf("0", "10 Mbit/s")!;
    const part = sweepOf(data, "bulk", "goodput_bps", "bulk", { yRange, log: "none" })!;
    expect([part.yRange, part.log, outside(part)]).toEqual([[0, 1e7], false, 1]);
    const text = toText(drawSweep(part, { id: "s", width: 900 }));
    expect(text).toContain("a part of the axis: 1 of 3 values lie outside");
    expect(text).toMatch(/<clipPath id="s-part-0">[^]*clip-path="url\(#s-part-0\)"/);
    expect(text).toMatch(/>10\u202fMbit\/s</);
    // A logarithmic axis has the same ends; from 0 it begins at the least value.
    const log = toText(drawSweep(sweepOf(data, "bulk", "goodput_bps", "bulk", { yRange: rangeOf("500 kbit/s", "4 Mbit/s")!, log: "y" })!, { id: "s", width: 900 }));
    expect(log).toMatch(/data-log="y"[^]*>500\u202fkbit\/s<[^]*>2\u202fMbit\/s</);
    expect(log).not.toMatch(/>5\u202fMbit\/s<|>10\u202fMbit\/s</);
    const zero = toText(drawSweep(sweepOf(data, "bulk", "goodput_bps", "bulk", { yRange: rangeOf("0", "4 Mbit/s")!, log: "y" })!, { id: "s", width: 900 }));
    expect(zero).toMatch(/>1\u202fMbit\/s<[^]*>2\u202fMbit\/s</);
    // A metric of another kind is drawn whole, and a field that holds none of its kind changes nothing.
    expect(sweepOf(data, "bulk", "goodput_bps", "bulk", { yRange: rangeOf("0", "1 ms")! })!.yRange).toBeUndefined();
    expect(["", "0..1ms", "2 ms..1 ms", "fast"].map((typed) => partOf(typed, "time"))).toEqual([undefined, rangeOf("0", "1 ms"), null, null]);
    expect(partOf("0..1ms", "rate")).toBeNull();
  });

  it("names in its legend what marks are, and draws no mark over a point", () => {
    const data = swept({ "test.bulk.window": ["1 MiB", "2 MiB"] }, (p) => Number.parseInt(p["test.bulk.window"]!, 10) * 1e6);
    const expectation = { metric: "bulk.goodput_bps", origin: "simulated" as const, point: { "test.bulk.window": "1 MiB" }, stated: "1 Mbit/s", source: null, min: 9e5, max: 11e5, note: null, actual: 1e6, pass: true };
    const judged = { ...data, document: { ...data.document, expectations: [expectation] } } as ReportData;
    const text = drawnText(judged);
    expect(text).toMatch(/>stated by the source<[^]*>allowed band</);
    expect(text.indexOf('class="stated-mark"')).toBeLessThan(text.indexOf('class="point"'));
  });

  it("is entitled in its file, and stands below its title", () => {
    const drawing = drawSweep(sweepOf(swept({ "test.bulk.window": ["1 MiB", "2 MiB"] }, (p) => Number.parseInt(p["test.bulk.window"]!, 10)), "bulk", "goodput_bps")!, { id: "s", width: 960 });
    const text = toStandalone(entitled(drawing, "A window is a rate"), ".figure .title { font-size: 15px; }");
    const [, y, , height] = /viewBox="([-\d. ]+)"/.exec(text)![1]!.split(" ").map(Number);
    const at = Number(/y="([-\d.]+)"[^>]*>A window is a rate</.exec(text)![1]);
    expect([y! < at && at < 0, height! + y!]).toEqual([true, Number(drawing.attributes["height"])]);
    expect(text).toContain(`<rect x="0" y="${y}" width="100%" height="100%"`);
    expect(entitled(drawing, "")).toBe(drawing);
    expect(entitled(drawing, "word ".repeat(60)).children.length).toBe(drawing.children.length + 4);
  });

  it("names the last value of x, in a second row where the first has no room", () => {
    expect(labelRows([0, 50, 60, 100], [40, 40, 40, 40])).toEqual([0, 0, 1, 0]);
    expect(labelRows([0, 10, 20, 30], [40, 40, 40, 40])).toEqual([0, null, null, 1]);
  });

  it("puts zero beside a logarithmic axis and joins nothing to it", () => {
    const data = swept({ "link.l.loss": ["0", "1e-5", "1e-3"] }, (p) => (p["link.l.loss"] === "0" ? 9e6 : 1e2 / Number(p["link.l.loss"])));
    const text = drawnText(data);
    expect(text).toContain(">0<");
    expect(count(text, /d="M[\d.]+,[\d.]+L[\d.]+,[\d.]+"/g)).toBe(1);
  });
});

describe("the fairness of a group over a sweep", () => {
  it("by connections takes that by tests where each has one", () => {
    const at = (parallel: string, index: number, more: Record<string, number>): TestRecord[] => ["bbr", "cubic"].map((test) => ({
      ...record("simulated", { "test.cubic.parallel": parallel }, { goodput_bps: 1e6, group_jain_index: index, ...more }), test, group: "share",
    }));
    const data = report([...at("1", 0.55, {}), ...at("4", 0.7, { group_streams_jain_index: 0.29 })]);
    const figures = sweepFigures(data).filter((f) => f.title?.includes("fairness"));
    expect(figures.map((f) => f.title?.split(" against")[0])).toEqual(["group share: fairness in the group", "group share: fairness of connections in the group"]);
    const [captions] = figures.slice(1).map((f) => toText(f.draw(900)));
    expect(captions).toContain("0.55");
    expect(captions).toContain("0.29");
  });
});

describe("ratios of expectations", () => {
  it("have colours in the order of the key's values, not of the expectations", () => {
    const metric = "goodput_bps over cubic.goodput_bps";
    const data = swept({ "test.bulk.cc": ["reno", "bbr", "vegas"], "link.l.queue": ["1 MB", "2 MB"] }, () => 1e6);
    const order = ["vegas", "reno", "bbr"].flatMap((cc) => ["1 MB", "2 MB"].map((queue) => ({ "test.bulk.cc": cc, "link.l.queue": queue })));
    const expectations = order.map((point, i) => ({ metric: `bulk.${metric}`, origin: "simulated", point, min: 0, max: null, actual: 2 + i, stated: null, source: null, note: null, pass: true }));
    const judged = { ...data, document: { ...data.document, expectations } } as unknown as ReportData;
    const sweep = sweepOfRecords(judged, ratioRecords(judged)[0]!.records, metric, "bulk")!;
    expect(sweep.colour!.values).toEqual(["reno", "bbr", "vegas"]);
    expect(sweep.panels[0]!.series.map((s) => s.cells.map((c) => c?.y))).toEqual([[4, 5], [6, 7], [2, 3]]);
  });

  it("have a figure, with what lies between the repeats", () => {
    const points = ["1 MB", "2 MB"].map((queue) => ({ "link.l.queue": queue }));
    const metric = "goodput_bps over cubic.goodput_bps";
    const data = report(points.map((p) => record("simulated", p, { goodput_bps: 1e6 })));
    const expectations = points.map((point, i) => ({ metric: `bulk.${metric}`, origin: "simulated", point, min: 0, max: null, actual: 2 + i, stated: null, source: null, note: null, pass: true }));
    const metrics = points.map((point, i) => ({ test: "bulk", metric, origin: "simulated", point, n: 3, min: 1, max: 4, mean: 2 + i, sd: 1, ci95: 1 }));
    const judged = { ...data, document: { ...data.document, expectations, repeats: { count: 3, seeds: [], metrics } } } as unknown as ReportData;
    const [ratio] = ratioRecords(judged);
    const sweep = sweepOfRecords(judged, ratio!.records, metric, "bulk")!;
    expect(sweep.panels[0]!.series[0]!.cells.map((c) => [c?.y, c?.low, c?.high, c?.n])).toEqual([[2, 1, 4, 3], [3, 1, 4, 3]]);
    expect(sweepFigures(judged).map((f) => f.title)).toContain("bulk: goodput over cubic against queue");
    expect(metricName("goodput_bps minus cubic rtt_avg_ns")).toBe("goodput minus cubic RTT, mean");
  });
});

describe("the results", () => {
  it("have one row for a group, and none for a recovery from nothing", () => {
    const members = ["f1", "f2"].map((test) => ({ ...record("simulated", {}, { goodput_bps: 1e6, recovery_s: 0, group_jain_index: 0.75 }), test, group: "pair" }));
    const shown = rows(report(members)).filter((row) => row.first).map((row) => `${row.test} ${row.metric}`);
    expect(shown).toEqual(["f1 goodput_bps", "f2 goodput_bps", "group pair group_jain_index"].sort((p, q) => shown.indexOf(p) - shown.indexOf(q)));
    expect(shown).toHaveLength(3);
  });
});

describe("what the results show without being asked for", () => {
  it("is the loss of a ping where it lost anything, and how long responses took", () => {
    const of = (kind: string, metrics: Record<string, number>): string[] => rows(report([{ ...record("simulated", {}, metrics), kind }])).filter((row) => row.first).map((row) => row.metric);
    expect(of("ping", { rtt_avg_ns: 1e6, loss_ratio: 0.06 })).toEqual(["rtt_avg_ns", "loss_ratio"]);
    expect(of("ping", { rtt_avg_ns: 1e6, loss_ratio: 0 })).toEqual(["rtt_avg_ns"]);
    expect(of("request", { goodput_bps: 1e6, requests: 3, response_avg_ns: 1e6 })).toEqual(["goodput_bps", "response_avg_ns"]);
  });
});

describe("ticks", () => {
  it("have as many digits as tell them apart", () => {
    const texts = ticks([120.086e6, 120.088e6, 120.09e6], delay).map((t) => t.replace(/\u202f/g, " "));
    expect(texts).toEqual(["120.086 ms", "120.088 ms", "120.09 ms"]);
  });
});

describe("a figure's file", () => {
  const css = ":root { --a: #ff0000; --b: #0000ff; --ground: #fdfdfb; }\n@media (prefers-color-scheme: dark) { :root { --a: #000000; } }\n"
    + ".red { --shade: color-mix(in oklab, var(--b) var(--mix, 0%), var(--a)); }\n.curve { stroke: var(--shade, var(--b)); fill: none; }\n.figure text { fill: var(--a); }\n.curve.red { stroke-width: 3; }";

  it("is called what tells it from others", () => {
    expect(fileName("x", "cc cubic, slow_start hystart++")).toBe("x-cc-cubic-slow_start-hystart++");
    expect(fileName("x", "a/b: 1 %")).toBe("x-a-b-1");
  });

  it("needs no style sheet", () => {
    const text = toStandalone(shape("svg", { class: "figure", width: 10, height: 10 }, shape("path", { class: "curve red", style: "--mix:0%", d: "M0,0" }), shape("text", {}, "t")), css);
    expect(text).toContain('<path d="M0,0" stroke="#ff0000" fill="none" stroke-width="3"/>');
    expect(text).toContain('<text fill="#ff0000">t</text>');
    expect(text).not.toMatch(/class=|style=|var\(/);
    expect(readSheet(css).variables["--a"]).toBe("#ff0000");
    // What is not white prints as a tint.
    expect(text).toContain('fill="#ffffff"');
    expect(text).not.toContain("#fdfdfb");
  });

  it("is drawn light on the ground of a dark page where that is asked for", () => {
    const both = ":root { --ink: #1b1f24; --ground: #fdfdfb; }\n@media (prefers-color-scheme: dark) {\n  :root {\n    --ink: #e6e8ea;\n    --ground: #14171b;\n  }\n}\n"
      + "@media (prefers-color-scheme: dark) and print { :root { --ink: #000000; } }\n@media print { :root { --ink: #000000; } }\n.figure text { fill: var(--ink); }\n.halo { stroke: var(--ground); }";
    const text = toStandalone(shape("svg", { class: "figure", width: 10, height: 10 }, shape("text", { class: "halo" }, "t")), both, true);
    expect(text).toContain('<rect x="0" y="0" width="100%" height="100%" fill="#14171b"/>');
    expect(text).toContain('<text stroke="#14171b" fill="#e6e8ea">t</text>');
  });

  // Chromium 156 paints color-mix(in oklab, red, blue) as #8c53a2.
  it("mixes colours as a browser does", () => {
    expect(mixed("#ff0000", "#ff0000", 0.4)).toBe("#ff0000");
    expect(mixed("#ffffff", "#000000", 0)).toBe("#000000");
    expect(mixed("#ff0000", "#0000ff", 0.5)).toBe("#8c53a2");
  });
});

describe("a plot over time in a file", () => {
  const same = (v: number): number => v;

  it("names its quantity, whatever stands above it", () => {
    const plot = { title: "Window and data in flight", series: [], format: String, fromZero: true };
    expect(toText(drawTime(plot, [0, 1], { id: "t", width: 900 }))).toContain(">Window and data in flight</text>");
  });

  it("is broken where nothing is known", () => {
    expect(pathOf([[0, 1], [1, 2], [2, null], [3, 4], [4, 5]], same, same, false)).toBe("M0,1L1,2M3,4L4,5");
    expect(pathOf([[0, 1], [1, 2]], same, same, true)).toBe("M0,1V2H1");
  });

  it("keeps the least and the greatest of values that share a pixel", () => {
    expect(pathOf([[0, 5], [0.1, 1], [0.2, 9], [1, 5]], same, same, false)).toBe("M0,5M0,1V9M0,9L1,5");
  });
});

describe("a logarithmic axis", () => {
  it("reaches down to what is allowed below all points", () => {
    const rates = [1e6, 1e7, 1e8];
    const all = rates.map((rate, i) => record("simulated", { "link.l.delay": `${i + 1} ms` }, { goodput_bps: rate }));
    const expectation = { metric: "bulk.goodput_bps", origin: "simulated", point: { "link.l.delay": "1 ms" }, min: 1e3, max: 2e3, actual: 1e6, stated: null, source: null, note: null, pass: false } as const;
    const data = report(all);
    const judged = { ...data, document: { ...data.document, expectations: [expectation] } } as unknown as ReportData;
    const tops = (text: string): string[] => [...text.matchAll(/class="allowed"[^>]*d="M[\d.]+,([\d.]+)h14m-7,0V([\d.]+)/g)].slice(-1).map(([, high, low]) => `${Number(low) - Number(high) > 5}`);
    expect(sweepOf(judged, "bulk", "goodput_bps")!.log).toBe(true);
    expect(tops(drawnText(judged))).toEqual(["true"]);
  });
});
