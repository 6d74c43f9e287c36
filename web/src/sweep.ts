// One metric of a sweep as plain data: what is on the x axis, what has a colour, what has a panel, and where nothing was found.

import { counted, isNothing, isRare, median } from "./distribution";
import * as format from "./format";
import { isLinkValid } from "./results";
import { isOneEach, RUN } from "./runs";
import { ORIGINS, type Expectation, type LinkRecord, type Maybe, type Origin, type Point, type PublishedLaw, type ReportData, type TestRecord } from "./types";

/** What a figure has an axis, colours or panels for: a key of the sweep, or several that advance together. */
export interface Key {
  readonly keys: readonly string[];
  /** As short as tells it from the others. Of several keys the one whose quantity is the axis, or all: `short.cc / long.cc`. */
  readonly name: string;
  /** What a point has at each of its values. */
  readonly steps: readonly Point[];
  /** As written; quantities by size. Where the name is that of several keys `cubic / bbr`. */
  readonly values: readonly string[];
  /** The same as numbers, unless they are words. */
  readonly numbers: readonly number[] | null;
  /** Its axis is logarithmic. */
  readonly log: boolean;
}

/** How figures of sweeps are to be drawn, where they shall not decide for themselves. */
export interface Look {
  readonly bars?: Bars;
  /** Which axes are logarithmic. */
  readonly log?: "none" | "x" | "y" | "xy";
  /** What of x is shown; keys of another kind are shown whole. */
  readonly range?: format.Range;
  /** What of y is shown; metrics of another kind are shown whole. */
  readonly yRange?: format.Range;
  /** The key that has colours. */
  readonly colour?: string;
  /** Names of the laws that are drawn where they can be. */
  readonly laws?: readonly string[];
}

/** What upright lines show: the median, from the least to the greatest; or the mean with its 95 % confidence interval. */
export type Bars = "range" | "ci95";

/** The median or mean of the repeats, and what they or it lie between. */
export interface Cell {
  readonly y: number;
  readonly low: number;
  readonly high: number;
  /** How many repeats have a value, and how many count. */
  readonly n: number;
  readonly of: number;
  /** No repeat of it is valid. */
  readonly invalid?: boolean;
}

/** One origin's values in one colour. */
export interface SweepSeries {
  /** Index of the second key's value; 0 without one. */
  readonly colour: number;
  readonly origin: Origin;
  /** By value of x: null where the point was run and this origin has no value, undefined where it was not run. */
  readonly cells: readonly (Cell | null | undefined)[];
}

/** What a source states of a point, or what is allowed there. */
export interface SweepMark {
  readonly x: number;
  readonly colour: number;
  readonly y: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly title: string;
}

export interface SweepPanel {
  /** `queue 1bdp`; empty if there is one panel. */
  readonly name: string;
  readonly at: Point;
  readonly series: readonly SweepSeries[];
  readonly marks: readonly SweepMark[];
}

export interface Sweep {
  readonly test: string;
  readonly metric: string;
  readonly x: Key;
  readonly colour: Key | null;
  readonly panels: readonly SweepPanel[];
  readonly origins: readonly Origin[];
  /** Whether the whole run has one origin, so that dashes tell colours apart. Else they tell origins apart, in every figure of its page. */
  readonly dashesFree: boolean;
  /** Values span so much that small ones would lie on the axis. */
  readonly log: boolean;
  /** What of the y axis is shown, in the metric's unit; all of it without. */
  readonly yRange?: readonly [low: number, high: number];
  /** Where an origin has no value at points that were run: `predicted, cc bic`. */
  readonly missing: readonly string[];
  /** Where fewer than half of the repeats have one, in the same words. */
  readonly rare: readonly string[];
  readonly bars: Bars;
  /** The laws that can be drawn over it. */
  readonly laws: readonly PublishedLaw[];
}

/** More values of the second key have a panel each: no more colours can be distinguished. */
export const COLOURS = 8;
/** An axis is logarithmic where its greatest value is more than this many times its least. */
const X_DECADE = 8;
const Y_DECADES = 30;
/** What changes by less than this over a sweep has no figure. */
const LEVEL = 0.01;

/** Keys with more than one value, the slowest first: the order in which the sweep was written. */
export function sweptKeys(records: readonly { readonly point: Point }[]): string[] {
  const values = new Map<string, Set<string>>();
  const changes = new Map<string, number>();
  for (const [i, { point }] of records.entries()) {
    for (const [key, value] of Object.entries(point)) {
      const set = (values.get(key) ?? new Set()).add(value);
      values.set(key, set);
      if (set.size === 2 && !changes.has(key)) changes.set(key, i);
    }
  }
  return [...changes].sort((p, q) => q[1] - p[1]).map(([key]) => key);
}

/** The values as numbers of one kind; null where one is a word, or kinds differ. */
function numbersOf(values: readonly string[]): number[] | null {
  const parsed = values.map((v) => format.quantity(v));
  const kinds = new Set(parsed.map((q) => (q === null || q.value === 0 ? null : q.kind)));
  kinds.delete(null);
  return parsed.every((q) => q !== null) && kinds.size <= 1 ? parsed.map((q) => q.value) : null;
}

/** The keys of a sweep that have several values, in its order, each by itself or with those it advances together with. Runs of one point
 * each have one axis: the runs, and what differs between them. */
export function axes(data: ReportData, records: readonly { readonly point: Point }[]): string[][] {
  const swept = sweptKeys(records);
  if (swept.includes(RUN) && isOneEach(data)) return [[RUN, ...swept.filter((key) => key !== RUN)]];
  const written = (data.document.sweep ?? []).map((axis) => axis.filter((key) => swept.includes(key)));
  const others = swept.filter((key) => !written.flat().includes(key)).map((key) => [key]);
  return [...written.filter((axis) => axis.length > 0), ...others];
}

/** The different values that keys have together, in the order in which they come. */
function stepsOf(keys: readonly string[], records: readonly { readonly point: Point }[]): Point[] {
  const steps = new Map<string, Point>();
  for (const { point } of records) {
    const values = keys.flatMap((key) => point[key] ?? []);
    if (values.length === keys.length) steps.set(JSON.stringify(values), Object.fromEntries(keys.map((key, i) => [key, values[i]!])));
  }
  return [...steps.values()];
}

/** The steps in the order in which the points of the whole run have them; others last. */
function inOrder(steps: readonly Point[], keys: readonly string[], run: readonly { readonly point: Point }[]): Point[] {
  const text = (step: Point): string => JSON.stringify(keys.map((key) => step[key]));
  const place = new Map(stepsOf(keys, run).map((step, i) => [text(step), i]));
  const at = (step: Point): number => place.get(text(step)) ?? place.size;
  return [...steps].sort((p, q) => at(p) - at(q));
}

/** Keys with their values in order: words as they were written (as `run`, all records, has them), quantities by size. A quantity that is another one at each step
 * leads, and the others come with it; without one each step is a word. */
export function keyOf(keys: readonly string[], records: readonly { readonly point: Point }[], run = records): Key {
  const steps = inOrder(stepsOf(keys, records), keys, run);
  for (const key of keys) {
    const values = steps.map((step) => step[key]!);
    const numbers = new Set(values).size === steps.length ? numbersOf(values) : null;
    if (numbers === null) continue;
    const order = values.map((_, i) => i).sort((p, q) => numbers[p]! - numbers[q]!);
    return { keys, name: format.keyName(key), steps: order.map((i) => steps[i]!), values: order.map((i) => values[i]!), numbers: order.map((i) => numbers[i]!), log: spansDecades(numbers) };
  }
  return inWords({ keys, name: "", steps, values: [], numbers: null, log: false });
}

/** The same with the names and values of all its keys. */
function inWords(key: Key): Key {
  return { ...key, name: format.joined(key.keys.map(format.keyName), " / "), values: key.steps.map((step) => format.joined(key.keys.map((k) => format.called(step[k]!)), " / ")) };
}

/** The values of a quantity's axis that are within the range. */
function shown(x: Key, range: Look["range"]): Key {
  const { numbers } = x;
  if (range === undefined || numbers === null || format.quantity(x.values.find((_, i) => numbers[i] !== 0) ?? "")?.kind !== range[0].kind) return x;
  const kept = numbers.flatMap((v, i) => (v >= range[0].value && v <= range[1].value ? [i] : []));
  const left = kept.map((i) => numbers[i]!);
  return { ...x, steps: kept.map((i) => x.steps[i]!), values: kept.map((i) => x.values[i]!), numbers: left, log: spansDecades(left) };
}

/** Whether values can stand on a logarithmic axis: zero has a place of its own beside it. */
function logarithmic(values: readonly number[]): boolean {
  return values.every((v) => v >= 0) && values.some((v) => v > 0);
}

/** Whether a quantity's axis is logarithmic; zero has a place of its own beside it. */
export function spansDecades(numbers: readonly number[]): boolean {
  const positive = numbers.filter((v) => v > 0);
  return numbers.every((v) => v >= 0) && positive.length > 1 && Math.max(...positive) / Math.min(...positive) > X_DECADE;
}

/** Which key lies along x (the quantity of most values), which has colours (`wanted`, or the first that has few values), and which
 * have panels. Keys that advance together are one, and all of them are named in colours and panels. */
export function roles(keys: readonly Key[], wanted?: string): { x: Key; colour: Key | null; panels: Key[] } | null {
  const size = (k: Key): number => k.values.length + (k.numbers === null ? 0 : 1000);
  const coloured = (k: Key): boolean => wanted !== undefined && k.keys.includes(wanted);
  const x = keys.filter((k) => !coloured(k)).sort((p, q) => size(q) - size(p))[0];
  if (!x) return null;
  const rest = keys.filter((k) => k !== x).map(inWords).sort((p, q) => Number(coloured(q)) - Number(coloured(p)));
  const colour = rest.find((k) => k.values.length <= COLOURS) ?? null;
  return { x, colour, panels: rest.filter((k) => k !== colour) };
}

/** The key of a point that says which test of a group a record is of. */
export const MEMBER = "test";

/** The records of a group's tests as those of one, which each test is a point of; null where there are too many to tell apart. */
export function groupRecords(data: ReportData, group: string): TestRecord[] | null {
  const mine = data.document.records.filter((r) => r.group === group);
  const tests = new Set(mine.map((r) => r.test));
  if (tests.size < 2 || tests.size > COLOURS) return null;
  return mine.map((r) => ({ ...r, test: `group ${group}`, point: { ...r.point, [MEMBER]: r.test } }));
}

/** Ratios and differences that expectations ask for, each as the records of its first test: the median of the repeats, and between
 * which values they lie. Those of links and searches have none. */
export function ratioRecords({ document }: ReportData): { readonly metric: string; readonly records: TestRecord[] }[] {
  const found = new Map<string, { metric: string; records: TestRecord[] }>();
  for (const { metric: path, origin, point, actual } of document.expectations) {
    const [, test, metric] = /^([^. ]+)\.([^. ]+ .+)$/.exec(path) ?? [];
    if (test === undefined || metric === undefined || actual === null) continue;
    const here = placeOf(origin, point);
    const repeats = document.repeats?.metrics.find((m) => m.test === test && m.metric === metric && placeOf(m.origin, m.point) === here);
    // As many as there were, between the least and the greatest: their median is the expectation's, and no more is drawn of them.
    const ends = [repeats?.min, repeats?.max].filter((v): v is number => typeof v === "number");
    const values = repeats === undefined || repeats.n < 2 ? [actual] : [...ends, ...Array.from({ length: repeats.n - ends.length }, () => actual)];
    const of = found.get(path) ?? { metric, records: [] };
    of.records.push(...values.map((value, repeat): TestRecord => ({
      origin, test, kind: "ratio", from: "", to: "", point, repeat, started_ns: 0, duration_ns: 0, metrics: { [metric]: value }, limited_by: null, streams: [], series: {}, valid: true, notes: [],
    })));
    found.set(path, of);
  }
  return [...found.values()];
}

/** Directions of links that lost frames at most so many have figures: those that lost most. */
const DIRECTIONS = 4;

/** Until when the links of each point were seen by all origins, in nanoseconds since the start of the run. A simulation goes on behind its
 * tests until nothing is under way, and a lab stops sooner: a mean over all that each saw would be of different times. */
function seenUntil(links: readonly LinkRecord[]): ReadonlyMap<string, number> {
  const until = new Map<string, number>();
  for (const { point, t_ns } of links) {
    const end = t_ns.at(-1);
    if (end !== undefined) until.set(pointKey(point), Math.min(until.get(pointKey(point)) ?? end, end));
  }
  return until;
}

const pointKey = (point: Point): string => JSON.stringify(Object.entries(point).sort());

/** What a direction of a link shows of itself over a sweep, from its counters and samples: its mean rate up to `until`. */
function linkMetrics({ drops, t_ns, rate_bps, queue_bytes, queue_max_bytes }: LinkRecord, until = Infinity): TestRecord["metrics"] {
  const known = (values: readonly Maybe[] | undefined): number[] => (values ?? []).filter((v): v is number => v !== null).sort((p, q) => p - q);
  const [rates, queue] = [known(rate_bps.filter((_, n) => (t_ns[n] ?? 0) <= until)), known(queue_bytes)];
  const most = queue_max_bytes ?? queue.at(-1);
  const rank = (q: number): number => queue[Math.max(0, Math.ceil(q * queue.length) - 1)]!;
  return {
    drops: lost(drops),
    ...(rates.length === 0 ? {} : { rate_mean_bps: rates.reduce((sum, v) => sum + v, 0) / rates.length }),
    ...(most === undefined ? {} : { queue_max_bytes: most }),
    ...(queue.length === 0 ? {} : { queue_p99_bytes: rank(0.99) }),
  };
}

function lost(drops: LinkRecord["drops"]): number {
  return Object.values(drops).reduce((sum, n) => sum + n, 0);
}

/** For how long what came to a direction of a link waited half of the time, in seconds: 0 where nothing did. */
function standing(link: LinkRecord): number {
  const waiting = (link.queue_bytes ?? []).filter((v): v is number => v !== null).sort((p, q) => p - q);
  const median = waiting[Math.max(0, Math.ceil(waiting.length / 2) - 1)] ?? 0;
  const rate = linkMetrics(link)["rate_mean_bps"] ?? 0;
  return rate > 0 ? (8 * median) / rate : 0;
}

/** The directions of links that lost most frames, or without losses the one whose queue grew longest, and the one at which frames waited
 * longest, as acknowledgements do on a way back that is full: each as the records of a test, which its path (`link.NAME.A>B`) names. */
export function linkRecords(data: ReportData): { readonly name: string; readonly records: TestRecord[] }[] {
  const ways = new Map<string, { name: string; links: LinkRecord[] }>();
  for (const link of data.document.links) {
    const path = `link.${link.link}.${link.direction}`;
    const way = ways.get(path) ?? { name: `${link.link} ${link.direction}`, links: [] };
    way.links.push(link);
    ways.set(path, way);
  }
  const sum = (links: readonly LinkRecord[], of: (l: LinkRecord) => number): number => links.reduce((total, l) => total + of(l), 0);
  const longest = (l: LinkRecord): number => linkMetrics(l)["queue_max_bytes"] ?? 0;
  const all = [...ways].map(([path, way]) => ({ path, ...way, lost: sum(way.links, (l) => lost(l.drops)) }));
  const losing = all.filter((w) => w.lost > 0).sort((p, q) => q.lost - p.lost).slice(0, DIRECTIONS);
  const chosen = losing.length > 0 ? losing : [...all].sort((p, q) => sum(q.links, longest) - sum(p.links, longest)).slice(0, 1);
  const waits = (way: (typeof all)[number]): number => Math.max(...way.links.map(standing));
  const [slowest] = [...all].sort((p, q) => waits(q) - waits(p));
  const more = slowest === undefined || waits(slowest) === 0 || chosen.includes(slowest) ? [] : [slowest];
  const until = seenUntil(data.document.links);
  return [...chosen, ...more].map(({ path, name, links }) => ({ name, records: links.map((link) => recordOf(path, link, isLinkValid(data, link), until.get(pointKey(link.point)))) }));
}

/** A direction of a link at a point, as far as a sweep asks a record. */
function recordOf(path: string, link: LinkRecord, valid: boolean, until: number | undefined): TestRecord {
  const [from, to] = link.direction.split(">");
  return {
    origin: link.origin, test: path, kind: "link", from: from ?? "", to: to ?? "", point: link.point, repeat: link.repeat ?? 0, started_ns: 0,
    duration_ns: 0, metrics: linkMetrics(link, until), limited_by: null, streams: [], series: {}, valid, notes: [],
  };
}

/** A mean and the ends of its interval, by origin and point; of several repeats alone. */
type Means = ReadonlyMap<string, { readonly mean: number; readonly low: number; readonly high: number }>;

function placeOf(origin: Origin, point: Point): string {
  return JSON.stringify([origin, Object.entries(point).sort()]);
}

/** Those of a test, and of other tests as those of its group. */
function meansOf({ document }: ReportData, name: string, metric: string): Means {
  const mine = (document.repeats?.metrics ?? []).filter((m) => m.metric === metric);
  return new Map(mine.flatMap(({ test, origin, point, mean, ci95, ci95_low: low, ci95_high: high }) => {
    const place = placeOf(origin, test === name ? point : { ...point, [MEMBER]: test });
    return typeof mean === "number" && typeof ci95 === "number" ? [[place, { mean, low: low ?? mean - ci95, high: high ?? mean + ci95 }] as const] : [];
  }));
}

function middle(records: readonly TestRecord[], metric: string, means: Means): Cell | null {
  const all = counted(records);
  const found = all.filter((r) => typeof r.metrics[metric] === "number");
  const values = found.map((r) => r.metrics[metric] as number);
  const first = found[0];
  if (first === undefined || isRare(records, metric)) return null;
  const counts = { n: found.length, of: all.length, ...(found.every((r) => !r.valid) ? { invalid: true } : {}) };
  const known = means.get(placeOf(first.origin, first.point));
  if (known) return { y: known.mean, low: known.low, high: known.high, ...counts };
  return { y: median(values), low: Math.min(...values), high: Math.max(...values), ...counts };
}

function series(at: readonly TestRecord[], metric: string, origin: Origin, x: Key, colour: number, means: Means): SweepSeries {
  const cells = x.steps.map((step) => {
    const here = at.filter((r) => within(r.point, step));
    if (here.length === 0) return undefined;
    const cell = middle(here.filter((r) => r.origin === origin), metric, means);
    return cell !== null && isNothing(metric, cell.y) ? null : cell;
  });
  return { colour, origin, cells };
}

function markOf(metric: string, e: Expectation, x: Key, colour: Key | null): SweepMark[] {
  const y = format.stated(metric, e.stated);
  if (y === null && (e.min === null || e.max === null)) return [];
  const title = `${e.stated ? `stated ${e.stated}; ` : ""}allowed ${format.band(metric, e.min, e.max)}`;
  const place = x.steps.findIndex((step) => within(e.point, step));
  const tone = colour === null ? 0 : colour.steps.findIndex((step) => within(e.point, step));
  return place < 0 || tone < 0 ? [] : [{ x: place, colour: tone, y, low: e.min, high: e.max, title }];
}

/** Every combination of the keys' values. */
function product(keys: readonly Key[]): Point[] {
  return keys.reduce<Point[]>((points, k) => points.flatMap((p) => k.steps.map((step) => ({ ...p, ...step }))), [{}]);
}

/** Whether every key of `part` has that value at a point. */
export function within(point: Point, part: Point): boolean {
  return Object.entries(part).every(([key, value]) => point[key] === value);
}

/** A test's metric over the points of a sweep; null where it hardly changes, or nothing was swept. */
export function sweepOf(data: ReportData, test: string, metric: string, name = test, look: Look = {}): Sweep | null {
  return sweepOfRecords(data, data.document.records.filter((r) => r.test === test), metric, name, look);
}

/** The same of records that stand for a test: one direction of a link, or the tests of a group. */
export function sweepOfRecords(data: ReportData, records: readonly TestRecord[], metric: string, name: string, look: Look = {}): Sweep | null {
  const bars = look.bars ?? "range";
  const test = records[0]?.test ?? "";
  const found = records.filter((r) => typeof r.metrics[metric] === "number" && !isNothing(metric, r.metrics[metric]));
  const role = roles(axes(data, records).map((keys) => keyOf(keys, records, data.document.records)), look.colour);
  if (role === null) return null;
  const x = shown(role.x, look.range);
  const values = found.filter((r) => x.steps.some((step) => within(r.point, step))).map((r) => r.metrics[metric] as number);
  if (values.length === 0) return null;
  if (Math.max(...values) - Math.min(...values) <= LEVEL * Math.max(...values.map(Math.abs))) return null;
  const { colour } = role;
  const origins = ORIGINS.filter((origin) => found.some((r) => r.origin === origin));
  const expected = data.document.expectations.filter((e) => e.metric === `${test}.${metric}`);
  const [missing, scarce]: [Gap[], Gap[]] = [[], []];
  const means: Means = bars === "ci95" ? meansOf(data, test, metric) : new Map();
  const panels = product(role.panels).flatMap((part): SweepPanel[] => {
    const mine = records.filter((r) => within(r.point, part));
    const all = (colour?.steps ?? [{}]).flatMap((step, i) => origins.map((origin) => {
      const here = { ...part, ...step };
      const one = series(mine.filter((r) => within(r.point, here)), metric, origin, x, i, means);
      const few = (at: Point): boolean => isRare(mine.filter((r) => r.origin === origin && within(r.point, { ...here, ...at })), metric);
      for (const [list, rare] of [[missing, false], [scarce, true]] as const) {
        const gaps = x.steps.filter((at, k) => one.cells[k] === null && few(at) === rare);
        const [of, some] = [format.point(here), `${x.name} ${gaps.map((at) => x.values[x.steps.indexOf(at)]!).join(", ")}`];
        const at = of === "" ? some : gaps.length === one.cells.length ? of : `${of} at ${some}`;
        if (gaps.length > 0) list.push({ origin, at, points: gaps.length });
      }
      return one;
    }));
    const drawn = all.filter((s) => s.cells.some((c) => c !== undefined));
    const marks = expected.filter((e) => within(e.point, part)).flatMap((e) => markOf(metric, e, x, colour));
    return drawn.every((s) => s.cells.every((c) => !c)) ? [] : [{ name: format.point(part), at: part, series: drawn, marks: [...new Map(marks.map((m) => [m.title + m.x + m.colour, m])).values()] }];
  });
  const log = isLog(values, look.log);
  const across = { ...x, log: x.numbers !== null && logarithmic(x.numbers) && (look.log === undefined ? x.log : look.log.includes("x")) };
  const points = x.values.length * (colour?.values.length ?? 1) * Math.max(1, product(role.panels).length);
  const gaps = (list: readonly Gap[]): string[] => origins.flatMap((origin) => said(origin, list.filter((g) => g.origin === origin), points));
  const laws = x.numbers === null ? [] : (data.laws ?? []).filter((law) => law.test === test && law.metric === metric && x.keys.includes(law.key));
  const dashesFree = new Set(data.document.records.filter((r) => r.not_run === undefined).map((r) => r.origin)).size === 1;
  const whole = { test: name, metric, x: across, colour, panels, origins, dashesFree, log, bars, laws, missing: gaps(missing), rare: gaps(scarce) };
  return look.yRange === undefined ? whole : ranged(whole, look.yRange, look.log);
}

/** Whether values have a logarithmic axis: where it is asked for, or else where they span decades. */
function isLog(values: readonly number[], asked: Look["log"]): boolean {
  const positive = values.filter((v) => v > 0);
  const wide = positive.length > 1 && Math.max(...positive) / Math.min(...positive) > Y_DECADES;
  return logarithmic(values) && (asked === undefined ? wide : asked.includes("y"));
}

/** The values of a figure. */
function valuesOf({ panels }: Sweep): number[] {
  return panels.flatMap((p) => p.series.flatMap((s) => s.cells.flatMap((cell) => (cell ? [cell.y] : []))));
}

/** The same with a part of y; whole where its metric is of another kind. */
export function ranged(sweep: Sweep, [from, to]: format.Range, log?: Look["log"]): Sweep {
  if (format.kindOfMetric(sweep.metric) !== from.kind || from.value === to.value) return sweep;
  const unit = format.dimension(sweep.metric) === "seconds" ? 1e9 : 1;
  const [low, high] = [from.value / unit, to.value / unit];
  const seen = valuesOf(sweep).filter((v) => v >= low && v <= high);
  return { ...sweep, yRange: [low, high], log: isLog(seen, log) };
}

/** How many values lie outside the part of y that is shown. */
export function outside(sweep: Sweep): number {
  const { yRange } = sweep;
  return yRange === undefined ? 0 : valuesOf(sweep).filter((v) => v < yRange[0] || v > yRange[1]).length;
}

/** Points of one colour at which an origin has no value. */
interface Gap {
  readonly origin: Origin;
  readonly at: string;
  readonly points: number;
}

/** Colours whose gaps are named; of more, how many points there are. */
const NAMED = 8;

function said(origin: Origin, gaps: readonly Gap[], points: number): string[] {
  const at = gaps.map((g) => g.at);
  if (at.length === 0) return [];
  return [`${origin}, ${at.length > NAMED ? `${gaps.reduce((sum, g) => sum + g.points, 0)} of ${points} points` : at.join("; ")}`];
}
