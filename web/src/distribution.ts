// How a metric is distributed over the repeats of a run, and times over the answers, flows or connections of one, as plain data.

import { called, size } from "./format";
import { METRICS } from "./registry";
import { axes, COLOURS, keyOf, within, type Key } from "./sweep";
import { ORIGINS, type Origin, type Point, type ReportData, type TestRecord } from "./types";

/** Fewer repeats show no distribution. */
export const LEAST = 5;
/** Figures of one metric; a sweep of more shows its repeats as upright lines. */
const FIGURES = 6;
/** What changes by less than this over the repeats has no figure. */
const LEVEL = 1e-6;

/** One origin's values, the least first. */
export interface Sample {
  readonly origin: Origin;
  /** Which of the distribution's steps they are of. */
  readonly step: number;
  readonly values: readonly number[];
  /** How many there are, where `values` stand for more. */
  readonly count?: number;
  /** The record's own median, where it has one: of all, by nearest rank. */
  readonly p50?: number;
}

export interface Distribution {
  readonly test: string;
  readonly metric: string;
  /** What there is one value of each: repeats, answers, flows, connections. */
  readonly over: string;
  /** What its curves have in common. */
  readonly point: Point;
  /** The swept key whose values have a curve each, in words; null of one point. */
  readonly key: string | null;
  /** The values; one empty text of one point. */
  readonly steps: readonly string[];
  /** Of how many repeats these are the first, where there are several. */
  readonly firstOf?: number;
  /** Of origins with at least `LEAST` repeats. */
  readonly samples: readonly Sample[];
  /** Of origins with one value for all repeats. */
  readonly single: readonly { readonly origin: Origin; readonly step: number; readonly value: number }[];
}

/** The records that count: the valid ones, or all where none is valid. */
export function counted(records: readonly TestRecord[]): readonly TestRecord[] {
  const valid = records.filter((r) => r.valid);
  return valid.length > 0 ? valid : records;
}

/** Whether fewer than half of the records that count have a metric, as in the terminal: no median of those is one of the repeats. */
export function isRare(records: readonly TestRecord[], metric: string): boolean {
  const all = counted(records);
  const have = all.filter((r) => typeof r.metrics[metric] === "number").length;
  return have > 0 && 2 * have < all.length;
}

function valuesOf(records: readonly TestRecord[], origin: Origin, metric: string): number[] {
  const mine = records.filter((r) => r.origin === origin);
  return isRare(mine, metric) ? [] : mine.filter((r) => r.valid).map((r) => r.metrics[metric])
    .filter((v): v is number => typeof v === "number").sort((p, q) => p - q);
}

function varies({ values }: Sample): boolean {
  const [low, high] = [values[0]!, values.at(-1)!];
  return high - low > LEVEL * Math.max(Math.abs(low), Math.abs(high));
}

/** What a figure has: the points that share it, and what tells its curves apart. */
interface Place {
  readonly point: Point;
  readonly key: Key | null;
}

function distribution(records: readonly TestRecord[], test: string, metric: string, { point, key }: Place): Distribution | null {
  const steps = key?.steps ?? [{}];
  const samples = steps.flatMap((at, step) => {
    const here = records.filter((r) => within(r.point, at));
    return ORIGINS.map((origin): Sample => ({ origin, step, values: valuesOf(here, origin, metric) }));
  });
  const many = samples.filter((s) => s.values.length >= LEAST);
  if (!many.some(varies)) return null;
  const single = samples.flatMap(({ origin, step, values }) => (values.length === 1 ? [{ origin, step, value: values[0]! }] : []));
  return { test, metric, over: "repeats", point, key: key?.name ?? null, steps: key?.values.map((value) => called(value)) ?? [""], samples: many, single };
}

/** The figures of a test's points: the values of one key lie over each other, those of the key with most values, of the keys for which there are colours enough. */
function placesOf(data: ReportData, mine: readonly TestRecord[]): Place[] {
  const keys = axes(data, mine).map((key) => keyOf(key, mine));
  if (keys.length === 0) return [{ point: mine[0]?.point ?? {}, key: null }];
  const [key] = keys.filter((k) => k.values.length <= COLOURS).sort((p, q) => q.values.length - p.values.length);
  if (key === undefined) return [];
  const points = new Map<string, Point>();
  for (const { point } of mine) {
    const rest = Object.fromEntries(Object.entries(point).filter(([name]) => !key.keys.includes(name)));
    points.set(JSON.stringify(Object.entries(rest).sort()), rest);
  }
  return points.size > FIGURES ? [] : [...points.values()].map((point) => ({ point, key }));
}

/** Every metric whose repeats differ, test by test, in the order of the table; none of a sweep of many points. */
export function distributions(data: ReportData): Distribution[] {
  const { records } = data.document;
  return [...new Set(records.map((r) => r.test))].flatMap((test) => {
    const mine = records.filter((r) => r.test === test);
    return placesOf(data, mine).flatMap((place) => {
      const here = mine.filter((r) => within(r.point, place.point));
      return [...METRICS.keys()].flatMap((metric) => distribution(here, test, metric, place) ?? []);
    });
  });
}

/** What is timed, and of what there is a time each. */
export const TIMED: ReadonlyMap<string, readonly [name: string, over: string]> = new Map([
  ["response_ns", ["response time", "answers"]], ["flow_time_ns", ["flow time", "flows"]], ["completion_ns", ["completion time", "connections"]],
]);

function timesOf(records: readonly TestRecord[], test: string, metric: string, { point, key }: Place): Distribution | null {
  const steps = key?.steps ?? [{}];
  const samples = steps.flatMap((at, step) => ORIGINS.flatMap((origin): Sample[] => {
    const first = counted(records.filter((r) => r.origin === origin && within(r.point, at))).find((r) => r.times?.[metric] !== undefined);
    const times = first?.times?.[metric];
    const p50 = first?.metrics[metric.replace(/_ns$/, "_p50_ns")];
    return times === undefined ? [] : [{ origin, step, values: times.v, count: times.count, ...(typeof p50 === "number" ? { p50 } : {}) }];
  })).filter((s) => s.values.length >= LEAST);
  if (!samples.some(varies)) return null;
  const repeats = new Set(records.map((r) => r.repeat)).size;
  return { ...(repeats > 1 ? { firstOf: repeats } : {}), test, metric, over: TIMED.get(metric)![1], point, key: key?.name ?? null, steps: key?.values.map((value) => called(value)) ?? [""], samples, single: [] };
}

/** What tells the curves of flow times by size apart. */
export const BY_SIZE = "size of a flow";
const SIZES = "flow_time_ns.";

/** Flow times at one point, a curve for each decade of the flow's size and each origin; null where there are not two of them. */
function bySize(records: readonly TestRecord[], test: string, point: Point): Distribution | null {
  const least = [...new Set(records.flatMap((r) => Object.keys(r.times ?? {})).filter((name) => name.startsWith(SIZES)).map((name) => Number(name.slice(SIZES.length))))].sort((p, q) => p - q);
  const samples = least.flatMap((from, step) => ORIGINS.flatMap((origin): Sample[] => {
    const times = counted(records.filter((r) => r.origin === origin)).map((r) => r.times?.[`${SIZES}${from}`]).find((one) => one !== undefined);
    return times === undefined ? [] : [{ origin, step, values: times.v, count: times.count }];
  })).filter((s) => s.values.length >= LEAST);
  if (new Set(samples.map((s) => s.step)).size < 2 || least.length > COLOURS) return null;
  const repeats = new Set(records.map((r) => r.repeat)).size;
  const steps = least.map((from) => `${size(from)} to ${size(10 * from)}`);
  return { ...(repeats > 1 ? { firstOf: repeats } : {}), test, metric: "flow_time_ns", over: "flows", point, key: BY_SIZE, steps, samples, single: [] };
}

/** The same at each point of a test; none of more points than there may be figures. */
function bySizes(mine: readonly TestRecord[], test: string): Distribution[] {
  const points = new Map(mine.map((r) => [JSON.stringify(Object.entries(r.point).sort()), r.point]));
  if (points.size > FIGURES) return [];
  return [...points.values()].flatMap((point) => bySize(mine.filter((r) => within(r.point, point)), test, point) ?? []);
}

/** The times of single answers, flows and connections, test by test: of each origin those of its first repeat that counts. */
export function timed(data: ReportData): Distribution[] {
  const { records } = data.document;
  return [...new Set(records.map((r) => r.test))].flatMap((test) => {
    const mine = records.filter((r) => r.test === test && r.times !== undefined);
    return placesOf(data, mine).flatMap((place) => {
      const here = mine.filter((r) => within(r.point, place.point));
      return [...TIMED.keys()].flatMap((metric) => timesOf(here, test, metric, place) ?? []);
    }).concat(bySizes(mine, test));
  });
}

/** The corners of the cumulative distribution: at each value it rises by one repeat's share. */
export function steps(values: readonly number[], [from, to]: readonly [number, number]): (readonly [number, number])[] {
  const n = values.length;
  return [[from, 0], ...values.flatMap((v, i) => [[v, i / n] as const, [v, (i + 1) / n] as const]), [to, 1]];
}

/** What several repeats count by everywhere, as in the terminal: the middle one, or the middle of the two there. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((p, q) => p - q);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN;
  return lower + (upper - lower) / 2;
}

/** Whether a value says that there was nothing to measure: a window that was never cut has nothing to recover from. */
export function isNothing(metric: string, value: unknown): boolean {
  return metric === "recovery_s" && value === 0;
}
