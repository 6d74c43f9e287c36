// The repeats of a run as cumulative distributions: one curve an origin, a dotted line for an origin with one value.

import { median, steps, type Distribution } from "../distribution";
import * as format from "../format";
import type { Shape } from "../svg";
import type { Origin } from "../types";
import { drawChart, type Curve } from "./chart";
import { dashes } from "./signs";

const TONE: Readonly<Record<Origin, Curve["tone"]>> = { predicted: "plain-way", simulated: "west", emulated: "east", measured: "line-2", captured: "line-4" };
/** Of the values' span, left free at either end. */
const BESIDE = 0.06;

/** A tick along x: all of one axis in the unit of its greatest. */
function write(metric: string, value: number, like: number, digits: number): string {
  switch (format.dimension(metric)) {
    case "time": return format.delayLike(value, like, digits);
    case "seconds": return format.delayLike(value * 1e9, like * 1e9, digits);
    case "rate": return format.rate(value, digits);
    case "size": return format.size(value, digits);
    case "ratio": return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
    case "count": return format.count(value);
  }
}

/** As many digits as tell the ends of a quarter of the axis apart. */
function digitsFor(low: number, high: number): number {
  const greatest = Math.max(Math.abs(low), Math.abs(high));
  return Math.max(3, Math.min(9, Math.ceil(Math.log10(greatest / ((high - low) / 4))) + 1));
}

export function describeDistribution({ metric, samples, single }: Distribution): string {
  const many = samples.map(({ origin, values }) => `${origin}: ${values.length} repeats, ${format.metric(metric, values[0])} to ${format.metric(metric, values.at(-1))}, p50 ${format.metric(metric, median(values))}`);
  return [...many, ...single.map(({ origin, value }) => `${origin}: ${format.metric(metric, value)}`)].join(". ");
}

export function drawDistribution(of: Distribution, id: string, width: number): Shape {
  const { metric, samples, single } = of;
  const all = [...samples.flatMap((s) => s.values), ...single.map((s) => s.value)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = (high - low) * BESIDE;
  const range: readonly [number, number] = [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
  const digits = digitsFor(range[0], range[1]);
  const curves = samples.map(({ origin, values }): Curve => ({
    name: origin, detail: `p50 ${format.metric(metric, median(values))}`, points: steps(values, range), tone: TONE[origin], ...(dashes(origin) === undefined ? {} : { dashes: dashes(origin)! }),
  }));
  return drawChart({
    id, width, height: 300, title: `${of.test}: ${format.metricName(metric)} over the repeats`, describe: describeDistribution(of), curves,
    rules: single.map(({ origin, value }) => ({ x: value, name: origin })), xRange: range,
    xName: format.metricName(metric), yName: "share of the repeats at or below", xFormat: (v) => format.compact(write(metric, v, high, digits)),
    yFormat: (v) => format.share(v).replace(/\.0(?=\D)/, ""),
  });
}
