// Sweep curves: a metric against what was varied; predicted dashed, the others solid, what is stated as open diamonds.

import { h, scroller, section } from "../dom";
import * as format from "../format";
import { drawChart, type Curve, type Mark } from "../figure/chart";
import { drawRecovery, recoveryKey } from "../figure/recovery";
import { toDom } from "../svg";
import { ORIGINS, type Expectation, type Origin, type ReportData, type TestRecord } from "../types";

const METRICS = ["goodput_bps", "rtt_avg_ns", "loss_ratio", "recovery_s", "retransmits"];
const TONES: Readonly<Record<Origin, Curve["tone"]>> = { predicted: "plain-way", simulated: "west", emulated: "east", measured: "", captured: "" };

/** Keys that take more than one value, and together one axis: `a` and `b` swept in step share it. */
export function sweptKeys(records: readonly { readonly point: Readonly<Record<string, string>> }[]): string[] {
  const values = new Map<string, Set<string>>();
  for (const { point } of records) {
    for (const [key, value] of Object.entries(point)) values.set(key, (values.get(key) ?? new Set()).add(value));
  }
  return [...values].filter(([, set]) => set.size > 1).map(([key]) => key);
}

interface Axis {
  readonly position: (value: string) => number;
  readonly label: (x: number) => string;
  readonly ticks: number[];
  readonly log: boolean;
}

/** Values that are quantities are placed by size; others in the order they were written. */
export function axisOf(values: readonly string[]): Axis {
  const written = [...new Set(values)];
  const parsed = written.map((v) => format.quantity(v)?.value ?? null);
  if (parsed.some((v) => v === null)) {
    return { position: (v) => written.indexOf(v), label: (x) => written[x] ?? "", ticks: written.map((_, i) => i), log: false };
  }
  const numbers = parsed as number[];
  const names = new Map(numbers.map((x, i) => [x, written[i]!]));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return {
    position: (v) => format.quantity(v)?.value ?? 0, label: (x) => names.get(x) ?? "", ticks: [...numbers].sort((p, q) => p - q),
    log: low > 0 && high / low > 8,
  };
}

function references(expectations: readonly Expectation[], metric: string, key: string, axis: Axis): Mark[] {
  return expectations.flatMap((e): Mark[] => {
    const value = e.point[key];
    if (value === undefined) return [];
    const y = format.stated(metric, e.stated);
    if (y === null && (e.min === null || e.max === null)) return [];
    return [{ x: axis.position(value), y, low: e.min, high: e.max, title: `${e.stated ? `stated ${e.stated}; ` : ""}allowed ${format.band(metric, e.min, e.max)}` }];
  });
}

function figure(data: ReportData, test: string, metric: string, key: string, index: number): HTMLElement | null {
  const records = data.document.records.filter((r) => r.test === test && typeof r.metrics[metric] === "number" && key in r.point);
  const axis = axisOf(records.map((r) => r.point[key]!));
  const rest = (r: TestRecord): string => format.point(Object.fromEntries(Object.entries(r.point).filter(([k]) => k !== key)));
  // Predictions last, so that their dashes lie over the line they foretell.
  const curves = [...ORIGINS].reverse().flatMap((origin) => [...new Set(records.filter((r) => r.origin === origin).map(rest))].map((other): Curve => ({
    name: origin, ...(other === "" ? {} : { detail: other }), tone: TONES[origin], dashed: origin === "predicted",
    marks: origin === "predicted" ? "square" : "round",
    points: records.filter((r) => r.origin === origin && rest(r) === other)
      .map((r) => [axis.position(r.point[key]!), r.metrics[metric]!] as const).sort((p, q) => p[0] - q[0]),
  })));
  const values = curves.flatMap((c) => c.points.map((p) => p[1]));
  if (Math.max(...values) - Math.min(...values) <= 0.01 * Math.max(...values.map(Math.abs))) return null;
  const marks = references(data.document.expectations.filter((e) => e.metric === `${test}.${metric}`), metric, key, axis);
  const title = `${test}: ${format.metricName(metric)} against ${key.split(".").at(-1)!}`;
  const words = curves.map((c) => `${c.name}: ${c.points.map(([x, y]) => `${axis.label(x)} ${format.metric(metric, y)}`).join(", ")}`).join(". ");
  const drawing = drawChart({
    id: `sweep-${index}`, title, describe: words, width: 1040, height: 340, curves, marks, xName: key, yName: format.metricName(metric),
    xFormat: axis.label, yFormat: (v) => format.metric(metric, v), xTicks: axis.ticks, logX: axis.log,
  });
  const dashed = curves.some((c) => c.dashed) ? "Predicted: dashed, open squares; the others solid, dots." : "";
  const says = marks.some((m) => m.y !== null) ? " Diamonds: what the source states, where its words name one figure." : "";
  const bars = marks.some((m) => typeof m.low === "number" && typeof m.high === "number") ? " Brackets: the allowed band." : "";
  return h("figure", { class: "sweep" }, h("h3", {}, title), scroller(title, toDom(drawing)), h("figcaption", {}, `${dashed}${says}${bars}`));
}

/** Where algorithms were swept and a loss was repaired: their windows over each other. */
function windows(data: ReportData, test: string, records: readonly TestRecord[]): HTMLElement[] {
  const key = recoveryKey(records.filter((r) => typeof r.metrics["recovery_s"] === "number").map((r) => r.point));
  const drawing = key === null ? null : drawRecovery(data, { id: `recovery-${test}`, test, key, width: 1040, height: 400 });
  if (!drawing) return [];
  const title = `${test}: windows after one loss`;
  return [h("figure", { class: "sweep" }, h("h3", {}, title), scroller(title, toDom(drawing)),
    h("figcaption", {}, "Dashed: the formula, round by round; solid: the simulation, at the end of each interval."))];
}

export function sweeps(data: ReportData): HTMLElement | null {
  const { records } = data.document;
  const tests = [...new Set(records.map((r) => r.test))];
  let index = 0;
  const figures = tests.flatMap((test) => {
    const mine = records.filter((r) => r.test === test);
    const key = sweptKeys(mine)[0];
    if (key === undefined) return [];
    return windows(data, test, mine).concat(METRICS.filter((metric) => mine.some((r) => typeof r.metrics[metric] === "number"))
      .flatMap((metric) => figure(data, test, metric, key, index++) ?? []));
  });
  return figures.length === 0 ? null : section("sweep", "Sweep", ...figures);
}
