// The repeats of a run, or times of single answers and flows, as cumulative distributions: one curve an origin, or one a value of a swept key; at one point a dotted line for an
// origin with one value.

import { median, steps, TIMED, type Distribution, type Sample } from "../distribution";
import * as format from "../format";
import type { Shape } from "../svg";
import type { Origin } from "../types";
import { drawChart, type Curve } from "./chart";
import { dashes, dashesOf } from "./signs";

const TONE: Readonly<Record<Origin, Curve["tone"]>> = { predicted: "plain-way", simulated: "west", emulated: "east", measured: "line-2", captured: "line-4" };
/** Of the values' span, left free at either end. */
const BESIDE = 0.06;
/** Room for the name of a curve and its median, in pixels. */
const NAME = 34;

/** A time axis that spans more than this is logarithmic. */
const DECADE = 10;

/** What is distributed, in words. */
export function nameOfMetric(of: Distribution): string {
  return of.over === "repeats" ? format.metricName(of.metric) : TIMED.get(of.metric)?.[0] ?? of.metric;
}

function p50(sample: Sample): number {
  return sample.p50 ?? median(sample.values);
}

/** A tick along x: all of one axis in the unit of its greatest. */
function write(metric: string, value: number, like: number, digits: number): string {
  switch (format.dimension(metric)) {
    case "time": return format.delayLike(value, like, digits);
    case "seconds": return format.delayLike(value * 1e9, like * 1e9, digits);
    case "rate": return format.rate(value, digits);
    case "size": return format.size(value, digits);
    case "share": return format.percentLike(value, digits);
    case "ratio": return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
    case "count": return format.count(value);
  }
}

/** As many digits as tell the ends of a quarter of the axis apart. */
function digitsFor(low: number, high: number): number {
  const greatest = Math.max(Math.abs(low), Math.abs(high));
  return Math.max(3, Math.min(9, Math.ceil(Math.log10(greatest / ((high - low) / 4))) + 1));
}

/** The names of an origin's curve at a step: of both, as far as there are several. */
function nameOf(of: Distribution, { origin, step }: { readonly origin: Origin; readonly step: number }): string {
  if (of.key === null) return origin;
  return new Set(of.samples.map((s) => s.origin)).size > 1 ? `${of.steps[step]!}, ${origin}` : of.steps[step]!;
}

export function describeDistribution(of: Distribution): string {
  const { metric, samples, single } = of;
  const at = (s: { readonly origin: Origin; readonly step: number }): string => (of.key === null ? s.origin : `${of.steps[s.step]!}, ${s.origin}`);
  const many = samples.map((s) => `${at(s)}: ${format.count(s.count ?? s.values.length)} ${of.over}, ${format.metric(metric, s.values[0])} to ${format.metric(metric, s.values.at(-1))}, p50 ${format.metric(metric, p50(s))}`);
  return [...many, ...single.map((s) => `${at(s)}: ${format.metric(metric, s.value)}`)].join(". ");
}

/** A curve of one point has its origin's colour; of several each value has its own, and dashes are the origins' where there are several. */
function curveOf(of: Distribution, sample: Sample, range: readonly [number, number]): Curve {
  const { origin, step, values } = sample;
  const alone = of.key !== null && of.samples.every((s) => s.origin === origin);
  const dashed = alone ? dashesOf(step) : dashes(origin);
  return {
    name: nameOf(of, sample), detail: `p50 ${format.metric(of.metric, p50(sample))}`, points: steps(values, range),
    tone: of.key === null ? TONE[origin] : `line-${step}`, ...(dashed === undefined ? {} : { dashes: dashed }),
  };
}

export function drawDistribution(of: Distribution, id: string, width: number): Shape {
  const { metric, samples } = of;
  // One result at each of several values is in the words below: upright lines without colours would not say of which.
  const single = of.key === null ? of.single : [];
  const all = [...samples.flatMap((s) => s.values), ...single.map((s) => s.value)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = (high - low) * BESIDE;
  const range: readonly [number, number] = [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
  const logX = of.over !== "repeats" && low > 0 && high > DECADE * low;
  const shown: readonly [number, number] = logX ? [low, high] : range;
  const digits = digitsFor(range[0], range[1]);
  const tick = (v: number): string => (logX ? write(metric, v, v, 3) : write(metric, v, high, digits));
  return drawChart({
    id, width, height: Math.max(300, 60 + NAME * samples.length), title: `${of.test}: ${nameOfMetric(of)} over the ${of.over}`, describe: describeDistribution(of),
    curves: samples.map((sample) => curveOf(of, sample, shown)),
    rules: single.map(({ origin, value }) => ({ x: value, name: origin })), xRange: shown, logX,
    xName: `${nameOfMetric(of)}${of.firstOf === undefined ? "" : `, first of ${of.firstOf} repeats`}`, yName: `share of the ${of.over} at or below`, xFormat: (v) => format.compact(tick(v)),
    yFormat: (v) => format.share(v).replace(/\.0(?=\D)/, ""),
  });
}
