// A chart of curves over a common axis, with each curve named where it ends.

import { scaleLinear, scaleLog } from "d3-scale";
import { area, curveLinear, curveStepBefore, line } from "d3-shape";

import { compact } from "../format";
import { n, shape, type Shape } from "../svg";
import { drawLegend } from "./legend";
import { roomy } from "./ticks";
import { boldWidth, textWidth } from "./width";

export interface Curve {
  readonly name: string;
  /** A second line under the name. */
  readonly detail?: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly tone: "east" | "west" | "plain-way" | "" | `line-${number}`;
  /** Dashed for what is predicted. */
  readonly dashed?: boolean;
  /** Its lines and gaps, where a colour is not all that tells it from others. */
  readonly dashes?: string;
  /** Drawn without a name: that of the curve it belongs to stands for both. */
  readonly nameless?: boolean;
  /** Each value holds for the interval that ends at its x. */
  readonly stepped?: boolean;
  readonly filled?: boolean;
  /** Draw a mark at each point. */
  readonly marks?: "round" | "square";
  /** Marks without a line through them. */
  readonly bare?: boolean;
  /** Where its name stands, if not at its end. */
  readonly labelAt?: number;
}

/** A figure that stands by itself: what a source states, or what is allowed. */
export interface Mark {
  readonly x: number;
  readonly y: number | null;
  readonly low?: number | null;
  readonly high?: number | null;
  readonly title: string;
  /** Written under it. */
  readonly name?: string;
}

/** A level that matters, as a dotted line across the chart: at one x or at one y. */
export type Rule = { readonly name: string } & ({ readonly x: number } | { readonly y: number });

/** A distance along x, with its name beside it. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly name: string;
}

export interface Chart {
  readonly id: string;
  readonly title: string;
  readonly describe: string;
  readonly width: number;
  readonly height: number;
  readonly curves: readonly Curve[];
  readonly marks?: readonly Mark[];
  readonly rules?: readonly Rule[];
  readonly spans?: readonly Span[];
  readonly xName: string;
  readonly yName: string;
  readonly xFormat: (value: number) => string;
  readonly yFormat: (value: number) => string;
  /** Ticks of x, where the values tried are the natural ones. */
  readonly xTicks?: readonly number[];
  readonly logX?: boolean;
  /** What of the x axis is shown, if not what the curves cover. */
  readonly xRange?: readonly [low: number, high: number];
  /** Least room for the names, so that charts under each other share an axis. */
  readonly namesWidth?: number;
}

const LEFT = 76;
const TOP = 34;
const BOTTOM = 56;
/** A chart lower than this has fewer ticks. */
const LOW = 250;
/** A narrower chart names its curves in a legend above it. */
const NARROW = 620;
/** Room for a tick's label along x. */
const TICK = 52;

type Scale = (value: number) => number;

function extent(values: readonly number[]): [number, number] {
  return values.length === 0 ? [0, 1] : [Math.min(...values), Math.max(...values)];
}

/** Labels at the curves' ends, pushed apart until each has its room. */
export function spread(wanted: readonly number[], room: number): number[] {
  const order = wanted.map((y, i) => ({ y, i })).sort((p, q) => p.y - q.y);
  for (let k = 1; k < order.length; k++) {
    order[k]!.y = Math.max(order[k]!.y, order[k - 1]!.y + room);
  }
  const placed = new Array<number>(wanted.length).fill(0);
  const overshoot = order.length === 0 ? 0 : (order.at(-1)!.y - Math.max(...wanted)) / 2;
  for (const { y, i } of order) placed[i] = y - overshoot;
  return placed;
}

function drawCurve(curve: Curve, x: Scale, y: Scale): Shape[] {
  const points = curve.points as [number, number][];
  const step = curve.stepped ? curveStepBefore : curveLinear;
  const out: Shape[] = [];
  if (curve.filled) {
    const d = area<[number, number]>().x((p) => x(p[0])).y0(y(0)).y1((p) => y(p[1])).curve(step).digits(2)(points);
    out.push(shape("path", { class: `area ${curve.tone}`, style: "--mix:30%", d: d ?? "" }));
  }
  const d = line<[number, number]>().x((p) => x(p[0])).y((p) => y(p[1])).curve(step).digits(2)(points);
  if (curve.bare !== true) out.push(drawStroke(curve, d ?? ""));
  if (curve.marks) {
    for (const [px, py] of points) out.push(drawMark(curve, x(px), y(py)));
  }
  return out;
}

function drawStroke(curve: Curve, d: string): Shape {
  return shape("path", { class: `curve ${curve.tone}${curve.dashed ? " dashed" : ""}`, style: "--mix:30%", "stroke-dasharray": curve.dashes, d });
}

function drawMark(curve: Curve, cx: number, cy: number): Shape {
  const look = { class: `mark ${curve.tone}`, style: "--mix:30%" };
  return curve.marks === "square"
    ? shape("rect", { ...look, class: `mark open ${curve.tone}`, x: n(cx - 7), y: n(cy - 7), width: 14, height: 14 })
    : shape("circle", { ...look, cx: n(cx), cy: n(cy), r: 4.5 });
}

function drawReference(mark: Mark, x: Scale, y: Scale, right: number): Shape {
  const cx = x(mark.x);
  const parts: Shape[] = [shape("title", {}, mark.title)];
  if (typeof mark.low === "number" && typeof mark.high === "number") {
    const d = `M${n(cx - 7)},${n(y(mark.high))}h14m-7,0V${n(y(mark.low))}m-7,0h14`;
    parts.push(shape("path", { class: "allowed", fill: "none", d }));
  }
  if (mark.y !== null) {
    parts.push(shape("path", { class: "mark-open", d: `M${n(cx)},${n(y(mark.y) - 10)}l10,10l-10,10l-10,-10Z` }));
    if (mark.name !== undefined) {
      const start = cx < (LEFT + right) / 2;
      parts.push(shape("text", { class: "strong halo", x: n(cx + (start ? -8 : 8)), y: n(y(mark.y) + 27), "text-anchor": start ? "start" : "end" }, mark.name));
    }
  }
  return shape("g", {}, ...parts);
}

/** Labels that would touch their left neighbour go to a second row. */
export function rowsOf(labels: readonly (readonly [middle: number, width: number])[]): (0 | 1)[] {
  const ends = [-Infinity, -Infinity];
  return labels.map(([middle, width]) => {
    const row = middle - width / 2 >= ends[0]! ? 0 : 1;
    ends[row] = middle + width / 2;
    return row;
  });
}

function axes(chart: Chart, x: Scale, y: Scale, xTicks: readonly number[], yTicks: readonly number[], right: number): Shape[] {
  const bottom = chart.height - BOTTOM;
  const lower = rowsOf(xTicks.map((tick) => [x(tick), chart.xFormat(tick).length * 6.4 + 8] as const));
  return [
    ...yTicks.flatMap((tick) => [
      shape("path", { class: "grid", d: `M${LEFT},${n(y(tick))}H${n(right)}` }),
      shape("text", { class: "tick", x: LEFT - 8, y: n(y(tick) + 4), "text-anchor": "end" }, compact(chart.yFormat(tick))),
    ]),
    shape("path", { class: "axis-line", d: `M${LEFT},${n(bottom)}H${n(right)}` }),
    ...xTicks.flatMap((tick, i) => [
      shape("path", { class: "axis-line", d: `M${n(x(tick))},${n(bottom)}v5` }),
      shape("text", { class: "tick", x: n(x(tick)), y: n(bottom + 17 + lower[i]! * 13), "text-anchor": "middle" }, chart.xFormat(tick)),
    ]),
    shape("text", { class: "axis-name", x: n(middleOf(chart, right)), y: n(chart.height - 8), "text-anchor": "middle" }, chart.xName),
    shape("text", { class: "axis-name", x: 8, y: TOP - 16 }, chart.yName),
  ];
}

/** The middle of the horizontal axis' name: that of the axis, or where a name that is longer begins with the figure or ends with it. */
function middleOf(chart: Chart, right: number): number {
  const half = textWidth(chart.xName, 13) / 2;
  return Math.max(half, Math.min((LEFT + right) / 2, chart.width - half));
}

/** A rule's name stands left of an upright one's foot, and beyond the end of a level one. */
function drawRule(rule: Rule, x: Scale, y: Scale, right: number, bottom: number): Shape {
  if ("x" in rule) {
    const start = x(rule.x) - textWidth(rule.name) - 8 < LEFT;
    return shape("g", {}, shape("path", { class: "rule-line", d: `M${n(x(rule.x))},${TOP}V${n(bottom)}` }),
      shape("text", { class: "muted halo", x: n(x(rule.x) + (start ? 8 : -8)), y: n(bottom - 10), "text-anchor": start ? "start" : "end" }, rule.name));
  }
  return shape("g", {}, shape("path", { class: "rule-line", d: `M${LEFT},${n(y(rule.y))}H${n(right)}` }),
    shape("text", { class: "muted", x: n(right + 6), y: n(y(rule.y) + 4) }, rule.name));
}

function drawSpan(span: Span, x: Scale, y: Scale): Shape {
  const [from, to, cy] = [x(span.from), x(span.to), y(span.y)];
  return shape("g", {}, shape("path", { class: "span-line", d: `M${n(from)},${n(cy - 5)}v10m0,-5H${n(to)}m0,-5v10` }),
    shape("text", { class: "strong halo", x: n(to + 8), y: n(cy + 4) }, span.name));
}

function endLabels(chart: Chart, y: Scale, right: number): Shape[] {
  const named = chart.curves.filter((curve) => curve.nameless !== true);
  const ends = named.map((curve) => y(curve.labelAt ?? curve.points.at(-1)?.[1] ?? 0));
  const room = named.some((curve) => curve.detail !== undefined) ? 34 : 17;
  const wanted = spread(ends, room);
  const down = Math.max(0, TOP - 8 - Math.min(...wanted));
  const placed = wanted.map((at) => at + down);
  return named.map((curve, i) => shape("g", { class: "legend-entry" },
    curve.bare === true ? drawMark(curve, right + 15, placed[i]!) : drawStroke(curve, `M${n(right + 6)},${n(placed[i]!)}h18`),
    shape("text", { class: "strong", x: n(right + 30), y: n(placed[i]! + 4) }, curve.name),
    ...(curve.detail === undefined ? []
      : [shape("text", { class: "muted", x: n(right + 30), y: n(placed[i]! + 19) }, curve.detail)])));
}

/** The names above a narrow chart, in as many rows as they need. */
function above(chart: Chart): ReturnType<typeof drawLegend> {
  const named = chart.curves.filter((curve) => curve.nameless !== true);
  const curves = named.map((curve) => ({
    text: curve.detail === undefined ? curve.name : `${curve.name}: ${curve.detail}`, width: 18,
    draw: (x: number, y: number) => (curve.bare === true ? drawMark(curve, x + 9, y) : drawStroke(curve, `M${n(x)},${n(y)}h18`)),
  }));
  const rules = (chart.rules ?? []).flatMap((rule) => ("y" in rule ? [{
    text: rule.name, width: 18, draw: (x: number, y: number) => shape("path", { class: "rule-line", d: `M${n(x)},${n(y)}h18` }),
  }] : []));
  return drawLegend([...curves, ...rules], chart.width, 12);
}

/** Draws the chart; a chart without points is drawn with empty axes. */
export function drawChart(whole: Chart): Shape {
  const narrow = whole.width < NARROW;
  const legend = narrow ? above(whole) : { shapes: [], height: 0 };
  // A narrow chart has the names above it and none beyond its ends.
  const chart: Chart = narrow ? {
    ...whole, curves: whole.curves.map((curve) => ({ ...curve, nameless: true })), rules: (whole.rules ?? []).map((rule) => ("y" in rule ? { ...rule, name: "" } : rule)), namesWidth: 0,
  } : whole;
  const body = drawBody(chart, narrow ? 12 : 40);
  const height = chart.height + legend.height;
  return shape("svg", {
    class: "figure chart-figure", viewBox: `0 0 ${n(chart.width)} ${n(height)}`, width: n(chart.width), height: n(height),
    role: "img", "aria-labelledby": `${chart.id}-title ${chart.id}-desc`,
  },
    shape("title", { id: `${chart.id}-title` }, chart.title), shape("desc", { id: `${chart.id}-desc` }, chart.describe),
    ...(narrow ? [...legend.shapes, shape("g", { transform: `translate(0,${n(legend.height)})` }, ...body)] : body));
}

/** Ticks where each has room for its label; with `LOW` height fewer. */
function drawBody(chart: Chart, margin: number): Shape[] {
  const xs = chart.curves.flatMap((curve) => curve.points.map((p) => p[0])).concat((chart.marks ?? []).map((m) => m.x));
  const ys = chart.curves.flatMap((curve) => curve.points.map((p) => p[1]))
    .concat((chart.marks ?? []).flatMap((m) => [m.y, m.high].filter((v): v is number => typeof v === "number")))
    .concat((chart.rules ?? []).flatMap((rule) => ("y" in rule ? [rule.y] : [])));
  const widest = Math.max(0, ...chart.curves.filter((curve) => curve.nameless !== true).flatMap((curve) => [boldWidth(curve.name), textWidth(curve.detail ?? "")]));
  const beyond = Math.max(0, ...(chart.rules ?? []).map((rule) => ("y" in rule ? textWidth(rule.name) - 20 : 0)));
  const right = chart.width - margin - Math.max(widest, beyond, chart.namesWidth ?? 0);
  const [low, high] = chart.xRange ?? extent(xs);
  const log = chart.logX === true && low > 0;
  const range = [LEFT + (chart.xTicks ? 18 : 0), right - (chart.xTicks ? 18 : 0)];
  const x = (log ? scaleLog() : scaleLinear()).domain(low === high ? [low - 1, high + 1] : [low, high]).range(range);
  const y = scaleLinear().domain([0, Math.max(extent(ys)[1], Number.MIN_VALUE)]).nice(5).range([chart.height - BOTTOM, TOP]);
  const every = x.ticks(Math.max(2, Math.min(7, Math.floor((right - LEFT) / TICK))));
  const xTicks = chart.xTicks ?? (log ? roomy(every, x, chart.xFormat, chart.width) : every);
  return [
    ...axes(log ? { ...chart, xName: `${chart.xName}, logarithmic axis` } : chart, x, y, xTicks, y.ticks(chart.height < LOW ? 3 : 5), right),
    ...(chart.marks ?? []).map((mark) => drawReference(mark, x, y, right)),
    ...(chart.rules ?? []).map((rule) => drawRule(rule, x, y, right, chart.height - BOTTOM)),
    ...chart.curves.flatMap((curve) => drawCurve(curve, x, y)),
    ...(chart.spans ?? []).map((span) => drawSpan(span, x, y)),
    ...(margin < 40 ? [] : endLabels(chart, y, right)),
  ];
}
