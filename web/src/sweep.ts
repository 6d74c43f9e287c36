// One metric of a sweep as plain data: what is on the x axis, what has a colour, what has a panel, and where nothing was found.

import { counted, isNothing, isRare, median } from "./distribution";
import * as format from "./format";
import { ORIGINS, type Expectation, type Origin, type Point, type ReportData, type TestRecord } from "./types";

/** A key that takes more than one value. */
export interface Key {
  readonly key: string;
  /** As short as tells it from the others. */
  readonly name: string;
  /** As written; quantities by size. */
  readonly values: readonly string[];
  /** The same as numbers, unless they are words. */
  readonly numbers: readonly number[] | null;
  /** Its axis is logarithmic. */
  readonly log: boolean;
  /** Keys that were swept together with it: what they are where it has each of its values. */
  readonly with?: readonly { readonly name: string; readonly values: readonly string[] }[];
}

/** How figures of sweeps are to be drawn, where they shall not decide for themselves. */
export interface Look {
  readonly bars?: Bars;
  /** Which axes are logarithmic. */
  readonly log?: "none" | "x" | "y" | "xy";
  /** What of x is shown; keys of another kind are shown whole. */
  readonly range?: readonly [low: format.Quantity, high: format.Quantity];
}

/** What upright lines show: the median, from the least to the greatest; or the mean with its 95 % confidence interval. */
export type Bars = "range" | "ci95";

/** The median or mean of the repeats, and what they or it lie between. */
export interface Cell {
  readonly y: number;
  readonly low: number;
  readonly high: number;
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
  /** Values span so much that small ones would lie on the axis. */
  readonly log: boolean;
  /** Where an origin has no value at points that were run: `predicted, cc bic`. */
  readonly missing: readonly string[];
  /** Where fewer than half of the repeats have one, in the same words. */
  readonly rare: readonly string[];
  readonly bars: Bars;
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

/** A key with its values in order: words as they were written, quantities by size. */
export function keyOf(key: string, name: string, written: readonly string[]): Key {
  const values = [...new Set(written)];
  const numbers = numbersOf(values);
  if (numbers === null) return { key, name, values, numbers, log: false };
  const order = values.map((_, i) => i).sort((p, q) => numbers[p]! - numbers[q]!);
  return { key, name, values: order.map((i) => values[i]!), numbers: order.map((i) => numbers[i]!), log: spansDecades(numbers) };
}

/** The keys that lead: what another key has at each value of a leading one, it says by itself. Quantities lead before words,
 * and of two the one of more values. */
export function leading(keys: readonly Key[], records: readonly { readonly point: Point }[]): Key[] {
  const rank = (k: Key): number => k.values.length + (k.numbers === null ? 0 : 0.5);
  const kept: { key: Key; with: { name: string; values: string[] }[] }[] = [];
  for (const key of [...keys].sort((p, q) => rank(q) - rank(p))) {
    const lead = kept.find((k) => follows(key, k.key, records) !== null);
    if (lead) lead.with.push({ name: key.name, values: follows(key, lead.key, records)! });
    else kept.push({ key, with: [] });
  }
  return keys.flatMap((key) => kept.filter((k) => k.key === key).map((k) => (k.with.length === 0 ? key : { ...key, with: k.with })));
}

/** The value of a key at each value of another; null where it has several, or none. */
function follows(key: Key, lead: Key, records: readonly { readonly point: Point }[]): string[] | null {
  const found = new Map<string, string>();
  for (const { point } of records) {
    const [at, value] = [point[lead.key], point[key.key]];
    if (at === undefined || value === undefined || (found.get(at) ?? value) !== value) return null;
    found.set(at, value);
  }
  return lead.values.map((v) => found.get(v) ?? "");
}

/** The values of a quantity's axis that are within the range. */
function shown(x: Key, range: Look["range"]): Key {
  const { numbers } = x;
  if (range === undefined || numbers === null || format.quantity(x.values.find((_, i) => numbers[i] !== 0) ?? "")?.kind !== range[0].kind) return x;
  const kept = numbers.flatMap((v, i) => (v >= range[0].value && v <= range[1].value ? [i] : []));
  const left = kept.map((i) => numbers[i]!);
  const beside = x.with === undefined ? {} : { with: x.with.map((k) => ({ ...k, values: kept.map((i) => k.values[i]!) })) };
  return { ...x, ...beside, values: kept.map((i) => x.values[i]!), numbers: left, log: spansDecades(left) };
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

/** Which key lies along x (the quantity of most values), which has colours, and which have panels. */
export function roles(keys: readonly Key[]): { x: Key; colour: Key | null; panels: Key[] } | null {
  const size = (k: Key): number => k.values.length + (k.numbers === null ? 0 : 1000);
  const x = [...keys].sort((p, q) => size(q) - size(p))[0];
  if (!x) return null;
  const rest = keys.filter((k) => k !== x);
  const colour = rest.find((k) => k.values.length <= COLOURS) ?? null;
  return { x, colour, panels: rest.filter((k) => k !== colour) };
}

/** A mean and half the width of its interval, by origin and point; of several repeats alone. */
type Means = ReadonlyMap<string, { readonly mean: number; readonly half: number }>;

function placeOf(origin: Origin, point: Point): string {
  return JSON.stringify([origin, Object.entries(point).sort()]);
}

function meansOf({ document }: ReportData, test: string, metric: string): Means {
  const mine = (document.repeats?.metrics ?? []).filter((m) => m.test === test && m.metric === metric);
  return new Map(mine.flatMap(({ origin, point, mean, ci95 }) => (typeof mean === "number" && typeof ci95 === "number" ? [[placeOf(origin, point), { mean, half: ci95 }] as const] : [])));
}

function middle(records: readonly TestRecord[], metric: string, means: Means): Cell | null {
  const found = counted(records).filter((r) => typeof r.metrics[metric] === "number");
  const values = found.map((r) => r.metrics[metric] as number);
  const first = found[0];
  if (first === undefined || isRare(records, metric)) return null;
  const invalid = found.every((r) => !r.valid) ? { invalid: true } : {};
  const known = means.get(placeOf(first.origin, first.point));
  if (known) return { y: known.mean, low: known.mean - known.half, high: known.mean + known.half, ...invalid };
  return { y: median(values), low: Math.min(...values), high: Math.max(...values), ...invalid };
}

function series(at: readonly TestRecord[], metric: string, origin: Origin, x: Key, colour: number, means: Means): SweepSeries {
  const cells = x.values.map((value) => {
    const here = at.filter((r) => r.point[x.key] === value);
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
  const place = x.values.indexOf(e.point[x.key] ?? "");
  const tone = colour === null ? 0 : colour.values.indexOf(e.point[colour.key] ?? "");
  return place < 0 || tone < 0 ? [] : [{ x: place, colour: tone, y, low: e.min, high: e.max, title }];
}

/** Every combination of the keys' values. */
function product(keys: readonly Key[]): Point[] {
  return keys.reduce<Point[]>((points, k) => points.flatMap((p) => k.values.map((v) => ({ ...p, [k.key]: v }))), [{}]);
}

function within(point: Point, part: Point): boolean {
  return Object.entries(part).every(([key, value]) => point[key] === value);
}

/** A test's metric over the points of a sweep; null where it hardly changes, or nothing was swept. */
export function sweepOf(data: ReportData, test: string, metric: string, name = test, look: Look = {}): Sweep | null {
  const bars = look.bars ?? "range";
  const records = data.document.records.filter((r) => r.test === test);
  const found = records.filter((r) => typeof r.metrics[metric] === "number" && !isNothing(metric, r.metrics[metric]));
  const keys = sweptKeys(records);
  const role = roles(leading(keys.map((key) => keyOf(key, format.keyName(key), records.map((r) => r.point[key]).filter((v) => v !== undefined))), records));
  if (role === null) return null;
  const x = shown(role.x, look.range);
  const values = found.filter((r) => x.values.includes(r.point[x.key] ?? "")).map((r) => r.metrics[metric] as number);
  if (values.length === 0) return null;
  if (Math.max(...values) - Math.min(...values) <= LEVEL * Math.max(...values.map(Math.abs))) return null;
  const { colour } = role;
  const origins = ORIGINS.filter((origin) => found.some((r) => r.origin === origin));
  const expected = data.document.expectations.filter((e) => e.metric === `${test}.${metric}`);
  const [missing, scarce]: [Gap[], Gap[]] = [[], []];
  const means: Means = bars === "ci95" ? meansOf(data, test, metric) : new Map();
  const panels = product(role.panels).flatMap((part): SweepPanel[] => {
    const mine = records.filter((r) => within(r.point, part));
    const all = (colour?.values ?? [""]).flatMap((value, i) => origins.map((origin) => {
      const here = colour === null ? part : { ...part, [colour.key]: value };
      const one = series(mine.filter((r) => within(r.point, here)), metric, origin, x, i, means);
      const few = (v: string): boolean => isRare(mine.filter((r) => r.origin === origin && within(r.point, { ...here, [x.key]: v })), metric);
      for (const [list, rare] of [[missing, false], [scarce, true]] as const) {
        const gaps = x.values.filter((v, k) => one.cells[k] === null && few(v) === rare);
        const whole = gaps.length === one.cells.length && Object.keys(here).length > 0;
        const at = whole ? [format.point(here)] : gaps.map((v) => format.point({ [x.key]: v, ...here }));
        if (gaps.length > 0) list.push({ origin, at, points: gaps.length });
      }
      return one;
    }));
    const drawn = all.filter((s) => s.cells.some((c) => c !== undefined));
    const marks = expected.filter((e) => within(e.point, part)).flatMap((e) => markOf(metric, e, x, colour));
    return drawn.every((s) => s.cells.every((c) => !c)) ? [] : [{ name: format.point(part), series: drawn, marks: [...new Map(marks.map((m) => [m.title + m.x + m.colour, m])).values()] }];
  });
  const positive = values.filter((v) => v > 0);
  const wide = positive.length > 1 && Math.max(...positive) / Math.min(...positive) > Y_DECADES;
  const log = logarithmic(values) && (look.log === undefined ? wide : look.log.includes("y"));
  const across = { ...x, log: x.numbers !== null && logarithmic(x.numbers) && (look.log === undefined ? x.log : look.log.includes("x")) };
  const points = x.values.length * (colour?.values.length ?? 1) * Math.max(1, product(role.panels).length);
  const gaps = (list: readonly Gap[]): string[] => origins.flatMap((origin) => said(origin, list.filter((g) => g.origin === origin), points));
  return { test: name, metric, x: across, colour, panels, origins, log, bars, missing: gaps(missing), rare: gaps(scarce) };
}

/** Points at which an origin has no value: together where all of a colour have none. */
interface Gap {
  readonly origin: Origin;
  readonly at: readonly string[];
  readonly points: number;
}

/** Gaps named one by one; of more, how many there are. */
const NAMED = 4;

function said(origin: Origin, gaps: readonly Gap[], points: number): string[] {
  const at = gaps.flatMap((g) => g.at);
  if (at.length === 0) return [];
  return [`${origin}, ${at.length > NAMED ? `${gaps.reduce((sum, g) => sum + g.points, 0)} of ${points} points` : at.join("; ")}`];
}
