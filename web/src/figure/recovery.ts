// One loss, and how each algorithm's window comes back: the formula dashed, the simulation solid.

import * as format from "../format";
import type { Shape } from "../svg";
import type { Point, ReportData, TestRecord } from "../types";
import { drawChart, type Curve } from "./chart";

const WINDOW = "cwnd_bytes";

/** A window on its way back. */
type Climb = (readonly [seconds: number, bytes: number])[];

/** When a window is seen to fall by at least 5 % of its height, the first time, in s; null if it never is. Where it is
 * known when it must have fallen, and that is within the interval before, then. */
function cut(record: TestRecord, top: number, known: number | null): number | null {
  const series = record.series[WINDOW];
  for (let i = 1; i < (series?.v.length ?? 0); i++) {
    const [before, now] = [Math.min(series!.v[i - 1] ?? 0, top), series!.v[i] ?? 0];
    if (before >= top * 0.9 && now < before * 0.95) {
      const seen = series!.t_ns[i]! / 1e9;
      return known !== null && known <= seen && known >= series!.t_ns[i - 1]! / 1e9 ? known : seen;
    }
  }
  return null;
}

/** The window after the cut, in seconds since then, up to the first value at the old window; empty without a cut. */
export function climb(record: TestRecord, top: number, known: number | null = null): Climb {
  const from = cut(record, top, known);
  const series = record.series[WINDOW];
  if (from === null || !series) return [];
  const points = series.t_ns.map((t, i) => [t / 1e9 - from, Math.min(series.v[i] ?? 0, top)] as const).filter(([t]) => t >= 0);
  const back = points.findIndex(([, w]) => w >= top * 0.9995);
  return back < 0 ? points : points.slice(0, back + 1);
}

/** The largest window in use before the loss: what was in flight, not what was allowed. */
function height(records: readonly TestRecord[]): number {
  const flights = records.flatMap((r) => r.series["in_flight_bytes"]?.v ?? []).map((v) => v ?? 0);
  const predicted = records.flatMap((r) => (r.origin === "predicted" ? (r.series[WINDOW]?.v ?? []) : [])).map((v) => v ?? 0);
  return predicted.length > 0 ? Math.max(...predicted) : Math.max(0, ...flights);
}

export interface Options {
  readonly id: string;
  readonly test: string;
  /** The swept key that tells the algorithms apart. */
  readonly key: string;
  readonly width: number;
  readonly height: number;
}

/** A window that is back within fewer intervals has no curve. */
const CURVE = 15;
/** How many more intervals than a curve needs are proposed, as times of recovery are known to an interval. */
const MARGIN = 1.25;
/** How many more than fill the run, which may end later than its last interval that is seen. */
const OVER = 1.05;
/** What `--intervals` takes at most. */
const MOST_INTERVALS = 100_000;
/** A logarithmic axis begins here, at about a round trip: before that the loss is being repaired. */
const FIRST_S = 0.1;
/** Times are on a straight axis, on which straight growth is a straight line, unless the longest is more than so many times the shortest. */
const STRAIGHT = 50;

function seconds(record: TestRecord | undefined): number | null {
  return record?.metrics["recovery_s"] ?? null;
}

function detail(formula: number | null, run: TestRecord | undefined): string {
  const after = seconds(run);
  const found = run === undefined ? "" : after === null ? "not back when the run ends" : `back after ${format.seconds(after, 3)}`;
  const words = [found, formula === null ? "" : `formula ${format.seconds(formula, 3)}`];
  return words.filter((text) => text !== "").join(", ");
}

/** The length of the intervals of a record's window, in s. */
function interval(record: TestRecord): number {
  const t = record.series[WINDOW]?.t_ns ?? [];
  return t.length < 2 ? 0 : (t.at(-1)! - t[0]!) / (t.length - 1) / 1e9;
}

/** The longest interval that a run can have and that is no longer than this: 1, 2 or 5 times a power of ten, s. A run rounds others up to these. */
function roundBelow(seconds: number): number {
  const power = 10 ** Math.floor(Math.log10(seconds));
  return ([5, 2].find((n) => n * power <= seconds) ?? 1) * power;
}

/** Where windows come back within so few intervals that their curves cannot be seen: which, and what would show them; null if all are. */
export function coarse(data: ReportData, test: string, key: string): { readonly words: string; readonly command: string | null } | null {
  const runs = data.document.records.filter((r) => r.test === test && r.origin === "simulated" && key in r.point && WINDOW in r.series);
  const short = runs.filter((r) => (r.metrics["recovery_s"] ?? 0) > 0 && interval(r) > 0 && r.metrics["recovery_s"]! < CURVE * interval(r));
  if (short.length === 0) return null;
  const had = Math.max(...short.map((r) => r.series[WINDOW]!.t_ns.length));
  const asked = Number(/ --intervals (\d+)/.exec(data.command ?? "")?.[1] ?? 0);
  const wanted = Math.max(...short.map((r) => (OVER * r.series[WINDOW]!.t_ns.length * interval(r)) / roundBelow(r.metrics["recovery_s"]! / CURVE / MARGIN)));
  const step = 10 ** (Math.floor(Math.log10(wanted)) - 1);
  const intervals = Math.min(MOST_INTERVALS, Math.ceil(wanted / step) * step);
  const names = [...new Set(short.map((r) => r.point[key]!))].join(", ");
  const command = `${(data.command ?? `farpath run ${data.scenario.name}`).replace(/ --intervals \d+/, "")} --intervals ${intervals} --out DIR`;
  const one = runs.length > 1 && short.length === 1;
  if (intervals <= Math.max(asked, had)) return { command: null, words: `Of ${names} the way back is shorter than ${CURVE} of the shortest intervals of a run: dots show it.` };
  return { command, words: `An interval of this run is ${format.seconds(interval(short[0]!), 3)}, too long to show how ${names} ${one ? "comes" : "come"} back. These are shown as dots. Their curves:` };
}

/** Whether what cut a window was one loss, as far as it is counted: an outage and a full queue are more, and BBR's probe of the
 * round trip is none. */
function oneLoss({ metrics }: TestRecord): boolean {
  return (metrics["rtos"] ?? 0) === 0 && (metrics["loss_events"] ?? 1) === 1;
}

/** The windows of a test's runs since their cuts, and the old window: a formula's dashed, the simulation's solid, or dots where these are few. */
export function windowsOf(data: ReportData, test: string, key: string): { readonly curves: Curve[]; readonly top: number; readonly log: boolean } {
  const records = data.document.records.filter((r) => r.test === test && key in r.point && WINDOW in r.series && oneLoss(r));
  const top = height(records);
  const values = [...new Set(records.map((r) => r.point[key]!))];
  const of = (origin: string, value: string): TestRecord | undefined => records.find((r) => r.origin === origin && r.point[key] === value);
  const time = (value: string): number => seconds(of("predicted", value)) ?? seconds(of("simulated", value)) ?? Infinity;
  // All runs lose the same segment: where one has no formula, another's says when.
  const cuts = records.map((r) => r.metrics["cut_s"]).filter((v): v is number => typeof v === "number");
  const climbs = [...values].sort((p, q) => time(p) - time(q)).map((value): Curve[] => {
    const [formula, run] = [of("predicted", value), of("simulated", value)];
    const tone: Curve["tone"] = `line-${values.indexOf(value) % 8}`;
    const known = formula?.metrics["cut_s"] ?? cuts[0] ?? null;
    const curve = (record: TestRecord | undefined): Climb => (record ? climb(record, top, record.origin === "simulated" ? known : null) : []);
    const words = detail(seconds(formula), run);
    const seen = curve(run);
    // A few points make no curve: they are drawn as dots.
    const solid: Curve = { name: value, detail: words, points: seen, tone, labelAt: top * 0.5, ...(seen.length < CURVE ? { marks: "round" as const, bare: true } : {}) };
    const dashed: Curve = { name: value, detail: words, points: curve(formula), tone, dashed: true, labelAt: top * 0.5, ...(seen.length > 0 ? { nameless: true } : {}) };
    return [solid, dashed].filter((c) => c.points.length > (c.bare === true ? 0 : 1));
  });
  // What has no line, as a few dots without a formula, comes behind those that have one.
  const hasLine = (of: readonly Curve[]): boolean => of.some((c) => c.bare !== true);
  const curves = [...climbs.filter(hasLine), ...climbs.filter((of) => !hasLine(of))].flat();
  const spans = curves.map((c) => c.points.at(-1)![0]).filter((t) => t > 0);
  const log = Math.max(...spans) > STRAIGHT * Math.min(...spans);
  const shown = log ? curves.map((c) => ({ ...c, points: c.points.filter(([t]) => t >= FIRST_S) })) : curves;
  return { curves: shown.filter((c) => c.points.length > (c.bare === true ? 0 : 1)), top, log };
}

/** Which windows were not back when their runs ended, in words; null where all were. */
export function cutOff(data: ReportData, test: string, key: string): string | null {
  const runs = data.document.records.filter((r) => r.test === test && r.origin === "simulated" && key in r.point && WINDOW in r.series && oneLoss(r));
  const short = [...new Set(runs.filter((r) => seconds(r) === null && r.metrics["loss_events"] === 1).map((r) => r.point[key]!))];
  return short.length === 0 ? null : `The run ended before the ${short.length === 1 ? "window" : "windows"} of ${short.join(", ")} ${short.length === 1 ? "was" : "were"} back: a longer duration shows when.`;
}

/** How formula and simulation are drawn, in words: those of a caption and those beside the axis. */
export function windowsInWords(curves: readonly Curve[]): { readonly caption: string; readonly axis: string } {
  const [formula, dots] = [curves.some((c) => c.dashed === true), curves.some((c) => c.bare === true)];
  const solid = curves.some((c) => c.dashed !== true && c.bare !== true);
  const simulated = [...(solid ? ["solid"] : []), ...(dots ? ["dots"] : [])].join(" and ");
  const parts = [...(formula ? ["dashed: the formula, round by round"] : []), ...(simulated === "" ? [] : [`${simulated}: the simulation, at the end of each interval`])];
  const said = parts.length === 1 && solid && !dots ? "the simulation, at the end of each interval" : parts.join("; ");
  return {
    caption: said === "" ? "" : `${said[0]!.toUpperCase()}${said.slice(1)}.`,
    axis: ["cwnd", [...(formula ? ["formula dashed"] : []), ...(formula && simulated !== "" ? [`simulation ${simulated}`] : [])].join(", ")].filter((text) => text !== "").join(": "),
  };
}

/** Windows over the time since the cut; null where no run of the test shows one loss. */
export function drawRecovery(data: ReportData, options: Options): Shape | null {
  const { curves: drawn, top, log } = windowsOf(data, options.test, options.key);
  if (drawn.length === 0) return null;
  const last = Math.max(...drawn.flatMap((c) => c.points.map((p) => p[0])));
  const decades = [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000].filter((t) => t <= last);
  return drawChart({
    id: options.id, width: options.width, height: options.height, title: "Windows after one loss event",
    describe: drawn.filter((c) => c.nameless !== true).map((c) => `${c.name}: ${c.detail ?? ""}`).join(". "),
    curves: drawn, rules: [{ y: top, name: `${format.size(top)} before the loss` }],
    xName: "seconds since the window was cut", yName: windowsInWords(drawn).axis,
    xFormat: (v) => String(v), yFormat: (v) => format.size(v, 3),
    ...(log ? { xTicks: decades, logX: true, xRange: [FIRST_S, last] as const } : { xRange: [0, last] as const }),
  });
}

/** The key of a sweep over algorithms in which one loss is scripted, if the run is one. */
export function recoveryKey(points: readonly Point[]): string | null {
  const keys = new Set(points.flatMap((p) => Object.keys(p)));
  return [...keys].find((key) => key.endsWith(".cc")) ?? null;
}
