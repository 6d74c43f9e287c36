// Everything over time: RTT, goodput, windows; time–sequence traces; links and their queues. One cursor for all.

import { median } from "../distribution";
import { h, scroller, section } from "../dom";
import { fileName, type Drawn } from "../drawn";
import * as format from "../format";
import { samePoint } from "../results";
import { placesOf, runOf } from "../runs";
import { complete } from "../sequence/burst";
import { drawSequence } from "../sequence/figure";
import { sequencePlot } from "../sequence/plot";
import { spanned } from "../sequence/view";
import type { Shape } from "../svg";
import { TimeBus } from "../time/bus";
import { drawTime } from "../time/drawing";
import { timePlot } from "../time/plot";
import type { TimePlot, TimeSeries } from "../time/series";
import type { LinkRecord, Maybe, Origin, Point, ReportData, Sequence, TestRecord } from "../types";
import { eastward } from "../figure/load";

/** A series' name: `goodput_bps`, or `stream.3.goodput_bps` for one stream of a parallel test. */
export function seriesKey(name: string): { stream: number | null; metric: string } {
  const match = /^(?:stream[._-]?)(\d+)[._](.+)$/.exec(name);
  return match ? { stream: Number(match[1]), metric: match[2]! } : { stream: null, metric: name };
}

interface Family {
  readonly title: string;
  /** Of what its title names together, the title of each alone. */
  readonly each?: readonly (readonly [title: string, metrics: RegExp])[];
  readonly hint?: string;
  readonly metrics: RegExp;
  readonly format: (v: number, significant?: number) => string;
  readonly fromZero: boolean;
  /** The metric that is predicted for it, and what that is called. */
  readonly reference: readonly [metric: string, name: string] | null;
  /** The metric that is the most of a series, which its samples may not have met, and what that is called. */
  readonly most?: readonly [series: string, metric: string, name: string];
  /** The metric that is said of a test of which it has no series. */
  readonly mean?: string;
  /** It counts what the application got, which a repair lets go at once. */
  readonly repaired?: boolean;
}

/** Kinds of tests whose series have a value for each packet that came, and none where one was lost. */
const SINGLE: readonly string[] = ["ping", "oneway"];

const FAMILIES: readonly Family[] = [
  { title: "Round-trip time", metrics: /^s?rtt(_\w+)?_ns$/, format: format.delay, fromZero: false, reference: ["rtt_min_ns", "predicted, nothing waiting"],
    hint: "Pings are points, none where one was lost; srtt is what TCP's sender smooths from its ACKs, waiting in its own interface included." },
  { title: "Goodput", metrics: /^(goodput|sent)_bps$/, format: format.rate, fromZero: true, reference: ["goodput_bps", "predicted mean"], mean: "goodput_bps", repaired: true,
    hint: "Bytes the receiving application got in each interval." },
  { title: "Window and data in flight", metrics: /^(cwnd|ssthresh|flight|in_flight|window|rwnd)_bytes$/, format: format.size, fromZero: true, reference: null,
    most: ["cwnd_bytes", "cwnd_max_bytes", "the largest congestion window"],
    each: [["Window", /^(cwnd|ssthresh|window|rwnd)_bytes$/], ["Data in flight", /flight_bytes$/]] },
  { title: "One-way delay and jitter", metrics: /^(owd|delay|jitter)_ns$/, format: format.delay, fromZero: false, reference: null,
    hint: "Packets of one-way tests are points.",
    each: [["One-way delay", /^(owd|delay)_ns$/], ["Jitter", /^jitter_ns$/]] },
];

/** The title of a plot of a family with these metrics: of one part alone that of the part. */
function titleOf({ title, each = [] }: Family, metrics: readonly string[]): string {
  const there = each.filter(([, of]) => metrics.some((metric) => of.test(metric)));
  return there.length === 1 ? there[0]![0] : title;
}

function named(record: TestRecord, stream: number | null, metric: string, several: boolean, origins: number): string {
  const run = runOf(record.point);
  const what = several ? ` ${metric.replace(/_(ns|bps|bytes)$/, "").replace(/_/g, " ")}` : "";
  return `${run === null ? "" : `${run}: `}${record.test}${stream === null ? "" : ` stream ${stream}`}${what}${origins > 1 ? `, ${record.origin}` : ""}`;
}

const FIRST: readonly Origin[] = ["simulated", "emulated", "measured", "captured", "predicted"];

/** What has a colour: a test, or with an empty name the links of its origin and run. */
type Coloured = Pick<TestRecord, "test" | "origin" | "point">;

/** The colour of each record: a test has one for each of its origins, and in each run, the same in every plot. */
export function coloured(records: readonly Coloured[]): (record: Coloured) => number {
  const name = (r: Coloured): string => JSON.stringify([runOf(r.point), r.test, r.origin]);
  const tests = [...new Set(records.map((r) => r.test))];
  const names = [...new Set(tests.flatMap((test) => FIRST.flatMap((origin) => records.filter((r) => r.test === test && r.origin === origin).map(name))))];
  return (record) => names.indexOf(name(record));
}

/** A series of samples, with the most that was counted between them. */
interface Sampled {
  readonly name: string;
  readonly most: Maybe | undefined;
  readonly v: readonly Maybe[];
}

/** So many are named whose most is not in their samples. */
const NAMED = 4;

/** What samples at the ends of intervals have not met; undefined where they show it. */
export function unseen(all: readonly Sampled[], what: string): string | undefined {
  const text = (bytes: number): string => format.size(bytes, 3);
  const known = all.flatMap(({ name, most, v }) => {
    const seen = largest(v);
    return typeof most === "number" ? [{ name, most: Math.max(most, seen), isUnseen: most > seen && text(most) !== text(seen) }] : [];
  }).sort((p, q) => q.most - p.most);
  if (!known.some((one) => one.isUnseen)) return undefined;
  // Few have theirs all said: of two directions one alone would look as if it were that of both.
  const above = known.length <= NAMED ? known : known.filter((one) => one.isUnseen);
  const said = above.slice(0, NAMED).map(({ name, most }) => (all.length === 1 ? text(most) : `${text(most)} (${name})`)).join(", ");
  return `At the ends of the intervals; ${what} was ${said}${above.length > NAMED ? `, and less of ${above.length - NAMED} more` : ""}.`;
}

function largest(values: readonly Maybe[]): number {
  return values.reduce<number>((most, v) => Math.max(most, v ?? 0), 0);
}

/** What the samples of a family have not met. */
function unseenOf(records: readonly TestRecord[], { most }: Family, name: (r: TestRecord) => string): string | undefined {
  if (most === undefined) return undefined;
  const [series, metric, what] = most;
  const all = records.flatMap((r): Sampled[] => {
    const mine = Object.entries(r.series).filter(([key]) => seriesKey(key).metric === series).map(([, s]) => s);
    return mine.length === 0 || r.origin === "predicted" ? [] : [{ name: name(r), most: r.metrics[metric], v: mine.map((s) => largest(s.v)) }];
  });
  return unseen(all, what);
}

/** Whether a record has a curve of the family. */
function hasSeries(record: TestRecord, { metrics }: Family): boolean {
  return Object.entries(record.series).some(([key, { t_ns }]) => metrics.test(seriesKey(key).metric) && t_ns.length > 0);
}

/** What a family says of tests whose mean alone is kept, and does not draw: a level line would look like what was recorded. */
function undrawnOf(records: readonly TestRecord[], of: Family, name: (r: TestRecord) => string): string | undefined {
  const { mean } = of;
  if (mean === undefined) return undefined;
  const seconds = (ns: number): string => format.compact(format.seconds(ns / 1e9));
  const said = records.flatMap((r) => {
    const value = r.metrics[mean];
    if (r.origin === "predicted" || r.kind === "search" || typeof value !== "number" || hasSeries(r, of)) return [];
    return [`${name(r)}, ${of.format(value)}${r.duration_ns > 0 ? ` over ${seconds(r.duration_ns)}, begun at ${seconds(r.started_ns)}` : ""}`];
  });
  const more = said.length > NAMED ? `; ${said.length - NAMED} more` : "";
  return said.length === 0 ? undefined : `Not drawn, as a mean alone is kept: ${said.slice(0, NAMED).join("; ")}${more}.`;
}

/** Why an interval can have more than its line carries: what a repair lets go arrives at once. Nothing of tests that sent nothing again. */
function releasedOf(records: readonly TestRecord[], of: Family): string | undefined {
  const repaired = of.repaired === true && records.some((r) => (r.metrics["retransmits"] ?? 0) > 0 && hasSeries(r, of));
  return repaired ? "An interval can have more than the line carries: data behind a lost segment arrive at once with its repair." : undefined;
}

export function family(records: readonly TestRecord[], of: Family): TimePlot | null {
  const timed = records.filter((r) => Object.keys(r.series).length > 0);
  const colours = coloured(timed);
  const origins = new Set(timed.map((r) => r.origin)).size;
  const points = (r: TestRecord): boolean => SINGLE.includes(r.kind);
  const metrics = [...new Set(timed.flatMap((r) => Object.keys(r.series).map((k) => seriesKey(k).metric).filter((m) => of.metrics.test(m))))];
  const lines = metrics.filter((m) => timed.some((r) => !points(r) && Object.keys(r.series).some((k) => seriesKey(k).metric === m)));
  const found: TimeSeries[] = [];
  const there = new Set<string>();
  for (const record of timed) {
    for (const [name, series] of Object.entries(record.series)) {
      const { stream, metric } = seriesKey(name);
      if (!of.metrics.test(metric) || series.t_ns.length === 0) continue;
      there.add(metric);
      found.push({
        dash: points(record) ? 0 : colours(record) * lines.length + lines.indexOf(metric), name: named(record, stream, metric, metrics.length > 1, origins),
        t_ns: series.t_ns, v: series.v, style: colours(record), points: points(record), stepped: metric === "goodput_bps" || metric === "sent_bps",
      });
    }
  }
  if (found.length === 0) return null;
  const name = (r: TestRecord): string => named(r, null, "", false, origins);
  const note = [unseenOf(timed, of, name), undrawnOf(records, of, name), releasedOf(timed, of)].filter((text) => text !== undefined).join(" ");
  return {
    title: titleOf(of, [...there]), series: [...found, ...(of.reference ? references(records, colours, of, ...of.reference) : [])], format: of.format,
    fromZero: of.fromZero, ...(of.hint === undefined ? {} : { hint: of.hint }), ...(note === "" ? {} : { note }),
  };
}

/** A level that was predicted of tests, over the span of their own series. */
interface Level {
  readonly tests: string[];
  readonly value: number;
  readonly from: number;
  to: number;
  readonly style: number;
}

/** What was predicted, as level lines over the spans of the tests' own series: in one row where they do not overlap. Of several rows one
 * with a single level has the colour of its test. Tests of one level at one time share it. */
function references(records: readonly TestRecord[], colours: (r: TestRecord) => number, of: Family, metric: string, name: string): TimeSeries[] {
  // A ping's points lie on their prediction unless something waits; a line is drawn for them where there is no other.
  const known = records.filter((r) => r.origin === "predicted" && typeof r.metrics[metric] === "number");
  const bulk = known.filter((r) => r.kind !== "ping");
  const spans = (bulk.length > 0 ? bulk : known).flatMap((r): Level[] => {
    const value = r.metrics[metric];
    const mine = records.filter((other) => other.test === r.test && runOf(other.point) === runOf(r.point) && other.origin !== "predicted" && hasSeries(other, of));
    const drawn = mine.flatMap((other) => Object.entries(other.series)).filter(([key]) => of.metrics.test(seriesKey(key).metric));
    const times = drawn.flatMap(([, s]) => [s.t_ns[0], s.t_ns.at(-1)]).filter((t): t is number => t !== undefined);
    return typeof value === "number" && times.length > 0 ? [{ tests: [named(r, null, "", false, 1)], value, from: Math.min(...times), to: Math.max(...times), style: colours(mine[0]!) }] : [];
  }).sort((p, q) => p.from - q.from);
  const levels: Level[] = [];
  for (const span of spans) {
    const same = levels.find((l) => l.value === span.value && l.to >= span.from);
    if (same) {
      same.tests.push(...span.tests);
      same.to = Math.max(same.to, span.to);
    } else levels.push(span);
  }
  const rows: Level[][] = [];
  for (const level of levels) {
    const row = rows.find((one) => one.at(-1)!.to < level.from);
    if (row) row.push(level);
    else rows.push([level]);
  }
  return rows.map((row) => ({
    name: rows.length === 1 ? name : `${row.flatMap((l) => l.tests).join(", ")}: ${name}`, style: rows.length > 1 && row.length === 1 ? row[0]!.style : -1, dash: 0,
    reference: true, t_ns: row.flatMap((l) => [l.from, l.to, l.to + 1]), v: row.flatMap((l) => [l.value, l.value, null]),
  }));
}

/** Whether points are of a place that is drawn, in whichever run. */
function areAt(data: ReportData, place: Point): (one: { readonly point?: Point }) => boolean {
  const placeOf = placesOf(data);
  return ({ point }) => samePoint(placeOf(point), place);
}

/** Records of the first repeat: lines of forty would be one stain, and a legend of forty rows. */
function recordsAt(data: ReportData, place: Point): TestRecord[] {
  return data.document.records.filter((r) => r.repeat === 0).filter(areAt(data, place));
}

/** How often a point was run. */
function repeatsAt(data: ReportData, place: Point): number {
  return 1 + Math.max(0, ...data.document.records.filter(areAt(data, place)).map((r) => r.repeat));
}

function linksAt(data: ReportData, place: Point): LinkRecord[] {
  return data.document.links.filter(areAt(data, place));
}

function tracesAt(data: ReportData, place: Point): Sequence[] {
  return (data.sequence ?? []).filter((s) => s.bursts.length > 0).filter(areAt(data, place));
}

/** Links of the first repeat: one line for each direction. */
function ofFirst(links: readonly LinkRecord[]): LinkRecord[] {
  return links.filter((l) => (l.repeat ?? 0) === 0);
}

/** What a plot is called in its file: at which point of a sweep, and of how many repeats it shows the first. */
function titleAt(data: ReportData, place: Point, title: string): string {
  const repeats = repeatsAt(data, place);
  return [title, format.point(place), repeats > 1 ? `repeat 1 of ${repeats}` : ""].filter((text) => text !== "").join(", ");
}

/** The name of a plot's file. */
function fileOf(data: ReportData, place: Point, title: string): string {
  return fileName(data.scenario.name, format.point(place), title.toLowerCase());
}

function pairs(links: readonly LinkRecord[]): Map<string, LinkRecord[]> {
  const map = new Map<string, LinkRecord[]>();
  for (const l of links) {
    const id = l.link;
    map.set(id, [...(map.get(id) ?? []), l]);
  }
  return map;
}

type Look = (l: LinkRecord) => Pick<TimeSeries, "style" | "dash">;

/** How directions of links are drawn: red and solid away from the start of the path, blue and dashed towards it, as in the drawing. Where
 * there are several runs or origins each has a colour, that of its only test, and the dash alone says which way. */
function looks(data: ReportData): Look {
  const all = data.document.links.map(({ origin, point }): Coloured => ({ test: "", origin, point }));
  const colours = coloured(all);
  const several = all.some((one) => colours(one) > 0);
  return (l) => {
    const dash = eastward(data, l) ? 0 : 1;
    return { dash, style: several ? colours({ ...l, test: "" }) : 1 - dash };
  };
}

function ratePlot(look: Look, name: string, both: readonly LinkRecord[]): TimePlot {
  return {
    title: `Rate on ${name}, framing included`, format: format.rate, fromZero: true,
    series: both.map((l) => ({ name: label(l, both), t_ns: l.t_ns, v: l.rate_bps, ...look(l), stepped: true })),
  };
}

function queuePlot(look: Look, name: string, both: readonly LinkRecord[]): TimePlot {
  const used = both.filter((l) => fullest(l) > 0);
  const series = used.map((l): TimeSeries => ({ name: label(l, both), t_ns: l.t_ns, v: l.queue_bytes ?? [], ...look(l) }));
  // Samples of which each is zero show nothing of what waited between them.
  const isFlat = used.every((l) => largest(l.queue_bytes ?? []) === 0);
  const levels = used.map((l, i): TimeSeries => ({ ...series[i]!, name: `${label(l, both)}, the most`, reference: true, ...levelOver(l.t_ns, fullest(l)) }));
  const most = unseen(used.map((l, i) => ({ name: series[i]!.name, most: l.queue_max_bytes, v: series[i]!.v })), "the most that waited");
  const idle = both.filter((l) => fullest(l) === 0).map((l) => label(l, both));
  const none = idle.length === 0 || idle.length > NAMED ? [] : [`Nothing waited ${idle.join(", ")}.`];
  const note = [...(most === undefined ? [] : [most]), ...none].join(" ");
  return { title: `Waiting at ${name}`, format: format.size, fromZero: true, series: isFlat ? [...series, ...levels] : series, ...(note === "" ? {} : { note }) };
}

/** One value from the first of many times to the last. */
function levelOver(t_ns: readonly number[], value: number): Pick<TimeSeries, "t_ns" | "v"> {
  return { t_ns: [t_ns[0] ?? 0, t_ns.at(-1) ?? 0], v: [value, value] };
}

/** Where anything waited: at the ends of intervals or, as much as tells it from others, between them. */
function queued(links: readonly LinkRecord[]): { readonly name: string; readonly both: LinkRecord[]; readonly most: number; readonly isUsed: boolean }[] {
  const all = [...pairs(links.filter((l) => (l.queue_bytes ?? []).length > 0))].map(([name, both]) => ({ name, both, most: Math.max(...both.map(fullest)) }));
  const top = Math.max(0, ...all.map((one) => one.most));
  return all.map((one) => ({ ...one, isUsed: one.most > 0 && one.most >= top / 200 }));
}

/** Every plot over time of a point, and its segments, for files: whole, or a span in seconds. */
export function timeFigures(data: ReportData, point: Point, span?: readonly [from: number, to: number]): Drawn[] {
  const records = recordsAt(data, point);
  const links = ofFirst(linksAt(data, point));
  const look = looks(data);
  const both = [...pairs(links.filter((l) => l.t_ns.length > 0))];
  const plots = [
    ...FAMILIES.flatMap((f) => family(records, f) ?? []), ...both.filter(([, all]) => all.some((l) => l.bytes > 0)).map(([name, all]) => ratePlot(look, name, all)),
    ...queued(links).filter(({ both: all, isUsed }) => isUsed || all.some((l) => largest(l.queue_bytes ?? []) > 0)).map(({ name, both: all }) => queuePlot(look, name, all)),
  ];
  const all = span ?? wholeSpan(records, links);
  const traces = tracesAt(data, point).flatMap((s): Drawn[] => {
    const run = runOf(s.point ?? {});
    const name = `${run === null ? "" : `${run} `}${s.test}${s.stream > 0 ? ` stream ${s.stream}` : ""}`;
    const file = fileOf(data, point, `segments of ${name}`);
    const bursts = s.bursts.map(complete);
    const view = span === undefined ? undefined : spanned(bursts, span[0] * 1e9, span[1] * 1e9);
    if (view === null) return [];
    const draw = (width: number): Shape => drawSequence(s, { id: file, title: name, describe: `segments of ${name}`, width, ...(view === undefined ? {} : { view }) });
    return [{ file, class: "sequence", title: titleAt(data, point, `segments of ${name}`), draw }];
  });
  return [...plots.map((plot): Drawn => {
    const file = fileOf(data, point, plot.title.replace(", framing included", ""));
    return { file, class: "time-plot", title: titleAt(data, point, plot.title), draw: (width) => drawTime(plot, all, { id: file, width }) };
  }), ...traces];
}

/** When what is drawn over time ends, in seconds; 0 where nothing is. */
export function timeEnds(data: ReportData): number {
  return Math.max(0, ...timedPoints(data).map((point) => wholeSpan(recordsAt(data, point), ofFirst(linksAt(data, point)))[1]));
}

/** Points with anything over time, in order. */
export function timedPoints(data: ReportData): Point[] {
  const timed = [...data.document.records.filter((r) => Object.keys(r.series).length > 0), ...data.document.links];
  const places = timed.map(({ point }) => point).map(placesOf(data));
  return places.filter((place, i) => places.findIndex((other) => samePoint(other, place)) === i);
}

function timed(data: ReportData, plot: TimePlot, bus: TimeBus, place: Point, name = plot.title): HTMLElement {
  return timePlot(plot, bus, fileOf(data, place, name), titleAt(data, place, plot.title));
}

/** Links that carried a share of what the fullest carried stand first; the others wait behind a switch. */
function rates(data: ReportData, place: Point, links: readonly LinkRecord[], bus: TimeBus): HTMLElement[] {
  const look = looks(data);
  const all = [...pairs(links.filter((l) => l.t_ns.length > 0))];
  const bytes = (both: readonly LinkRecord[]): number => Math.max(...both.map((l) => l.bytes));
  const most = Math.max(0, ...all.map(([, both]) => bytes(both)));
  const draw = ([name, both]: (typeof all)[number]): HTMLElement => timed(data, ratePlot(look, name, both), bus, place, `rate on ${name}`);
  const busy = all.filter(([, both]) => bytes(both) >= most / 1000);
  const quiet = all.filter(([, both]) => bytes(both) < most / 1000);
  const silent = quiet.filter(([, both]) => bytes(both) === 0).map(([name]) => name);
  const some = quiet.filter(([, both]) => bytes(both) > 0);
  const words = some.map(([name, both]) => `${name} (${format.size(bytes(both), 3)})`).join(", ");
  return [
    h("div", { class: "plots" }, ...busy.map(draw)),
    ...(some.length === 0 ? [] : [h("details", {}, h("summary", {}, `Next to nothing crossed ${words}`), h("div", { class: "plots" }, ...some.map(draw)))]),
    ...(silent.length === 0 ? [] : [h("p", { class: "source" }, `Nothing crossed ${silent.join(", ")}.`)]),
  ];
}

function label(l: LinkRecord, all: readonly LinkRecord[]): string {
  const several = new Set(all.map((x) => x.origin)).size > 1;
  const run = runOf(l.point);
  return `${run === null ? "" : `${run}: `}${l.direction.replace(">", " → ")}${several ? `, ${l.origin}` : ""}`;
}

function fullest(l: LinkRecord): number {
  return Math.max(l.queue_max_bytes ?? 0, largest(l.queue_bytes ?? []));
}

function queues(data: ReportData, place: Point, links: readonly LinkRecord[], bus: TimeBus): HTMLElement[] {
  const known = queued(links);
  if (known.length === 0) return [];
  const look = looks(data);
  const used = known.filter((k) => k.isUsed);
  const few = known.filter((k) => k.most > 0 && !k.isUsed).map((k) => `${k.name} (at most ${format.size(k.most, 3)})`);
  const none = known.filter((k) => k.most === 0).map((k) => k.name);
  const words = [few.length > 0 ? `Hardly anything waited at ${few.join(", ")}.` : "", none.length > 0 ? `Nothing waited at ${none.join(", ")}.` : ""]
    .filter((text) => text !== "").join(" ");
  const plots = used.map(({ name, both }) => timed(data, queuePlot(look, name, both), bus, place));
  return [h("h3", {}, "Queues"), h("p", { class: "source" }, [`What waited in front of each transmitter at the end of each interval. ${words}`, format.ofBdp([data.scenario.text ?? ""]) ?? ""].join(" ")),
    h("div", { class: "plots" }, ...plots)];
}

/** Frames that were dropped, by link, direction and reason: the median of the repeats. */
function drops(links: readonly LinkRecord[]): HTMLElement[] {
  if (links.length === 0) return [];
  const lossy = ofFirst(links).map((l) => links.filter((o) => o.link === l.link && o.direction === l.direction && o.origin === l.origin && runOf(o.point) === runOf(l.point)))
    .filter((all) => all.some((l) => Object.values(l.drops).some((n) => n > 0)));
  if (lossy.length === 0) return [h("h3", {}, "Drops"), h("p", {}, "No frame was dropped on any link.")];
  const reasons = [...new Set(lossy.flat().flatMap((l) => Object.keys(l.drops).filter((k) => (l.drops[k] ?? 0) > 0)))].sort();
  // As tables of results and the terminal call them.
  const words = (reason: string): string => /^drops \((.*)\)$/.exec(format.metricName(`drops.${reason}`, "link "))?.[1] ?? reason;
  const head = ["link", "direction", "origin", ...reasons.map(words), "offered"];
  const number = (name: string, all: readonly LinkRecord[], of: (l: LinkRecord) => number): HTMLElement => h("td", { class: "number", "data-head": name }, format.count(median(all.map(of))));
  const body = lossy.map((all) => {
    const l = all[0]!;
    const refused = [...new Set(all.flatMap((one) => one.too_large_for ?? []))].map((name) => name.replace(">", " → ")).join(" or ");
    return h("tr", {},
      h("th", { scope: "row" }, [runOf(l.point), l.link].filter((t) => t !== null).join(": ")),
      h("td", { "data-head": "direction" }, `${l.direction.replace(">", " → ")}${refused === "" ? "" : `, too large for ${refused}`}`), h("td", { "data-head": "origin" }, l.origin),
      ...reasons.map((reason) => number(words(reason), all, (one) => one.drops[reason] ?? 0)), number("offered", all, (one) => one.offered ?? one.frames));
  });
  return [h("h3", {}, "Drops"), scroller("Drops", h("table", { class: "drops stacked" },
    h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...body)))];
}

/** One trace at a time: they are large, and beside each other nobody compares them. */
function traces(data: ReportData, point: Point, bus: TimeBus): HTMLElement | null {
  const all = tracesAt(data, point);
  const first = all[0];
  if (!first) return null;
  const parallel = (s: Sequence): boolean => all.some((other) => other.test === s.test && other.stream > 0);
  const run = (s: Sequence): string => (runOf(s.point ?? {}) === null ? "" : `${runOf(s.point ?? {})!}: `);
  const name = (s: Sequence): string => `${run(s)}${s.test}${parallel(s) ? `, stream ${s.stream}` : ""}`;
  const plot = (s: Sequence): HTMLElement => sequencePlot(s, name(s), bus, fileOf(data, point, `segments of ${name(s)}`), titleAt(data, point, `segments of ${name(s)}`));
  if (all.length === 1) return section("sequence", "Segment by segment", plot(first));
  const [choice, frame] = chosen("trace", "Connection", all.map(name), (i) => [plot(all[i] ?? first)]);
  return section("sequence", "Segment by segment", h("p", {}, ...choice), frame);
}

/** A list to choose from, and what is drawn of the one chosen; paper, where nothing can be chosen, has its name. */
function chosen(id: string, words: string, names: readonly string[], draw: (i: number) => HTMLElement[]): readonly [choice: HTMLElement[], frame: HTMLElement] {
  const frame = h("div", {}, ...draw(0));
  const name = h("span", { class: "on-paper" }, `${words} ${names[0] ?? ""}`);
  const list = h("select", { id }, ...names.map((text, i) => h("option", { value: i }, text)));
  list.addEventListener("change", () => {
    const i = Number(list.value);
    name.textContent = `${words} ${names[i] ?? ""}`;
    frame.replaceChildren(...draw(i));
  });
  return [[h("label", { for: id }, `${words} `), list, name], frame];
}

/** The span of everything that happened, in seconds: one axis for all plots. */
function wholeSpan(records: readonly TestRecord[], links: readonly LinkRecord[]): [number, number] {
  // Links are recorded to the end of the run, long after the last frame.
  const busy = (l: LinkRecord): number => Math.max(0, ...l.t_ns.filter((_, i) => (l.rate_bps[i] ?? 0) > 0));
  const ends = [...records.flatMap((r) => Object.values(r.series)).map((s) => s.t_ns.at(-1) ?? 0), ...links.map(busy)];
  return [0, Math.max(1, ...ends) / 1e9];
}

function at(data: ReportData, point: Point): HTMLElement[] {
  const records = recordsAt(data, point);
  const every = linksAt(data, point);
  const links = ofFirst(every);
  const bus = new TimeBus(wholeSpan(records, links));
  const plots = FAMILIES.map((f) => family(records, f)).filter((p): p is TimePlot => p !== null).map((p) => timed(data, p, bus, point));
  const repeats = repeatsAt(data, point);
  const others = data.document.records.some((r) => r.repeat > 0 && areAt(data, point)(r) && Object.keys(r.series).length > 0);
  const first = repeats === 1 ? "" : `Shown is the first of ${repeats} repeats; ${others ? "the CSV below has all of them" : "no series of the others were kept"}. `;
  const hint = h("p", { class: "hint" }, `${first}Drag across a plot to zoom all of them in time; double-click shows everything again.`);
  const which = repeats === 1 ? null : h("p", { class: "source" }, `Rates and queues are those of the first of ${repeats} repeats, drops the medians of all.`);
  const found = [
    plots.length > 0 ? section("time", "Over time", hint, h("div", { class: "plots wide" }, ...plots)) : null,
    traces(data, point, bus),
    links.length > 0 ? section("links", "Links", plots.length > 0 ? null : hint, which, ...rates(data, point, links, bus), ...queues(data, point, links, bus), ...drops(every)) : null,
  ];
  return found.filter((part): part is HTMLElement => part !== null);
}

export function overTime(data: ReportData): HTMLElement | null {
  const points = timedPoints(data);
  const first = points[0];
  if (!first) return null;
  if (points.length === 1) return h("div", {}, ...at(data, first));
  const [choice, frame] = chosen("point", "Everything below is shown for the sweep point", points.map((p) => format.point(p) || "no sweep"), (i) => at(data, points[i] ?? first));
  return h("div", {}, h("p", { class: "point-choice" }, ...choice), frame);
}
