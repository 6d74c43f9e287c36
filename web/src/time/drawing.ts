// A plot over time as a drawing that stays as it is: for a file, one span of what the page draws on its canvas.

import { scaleLinear } from "d3-scale";

import { drawLegend, wrapped, type Entry } from "../figure/legend";
import { ticks } from "../format";
import { n, shape, type Shape } from "../svg";
import type { Maybe } from "../types";
import { apart, colourOf, dashOf, isDense, isHollow, roomFor, startOf, type TimePlot, type TimeSeries } from "./series";

const HEIGHT = 300;
const TOP = 22;
const BOTTOM = 46;
const LEFT = 92;
const RIGHT = 14;

type Place = readonly [x: number, y: number];

/** An 12-pixel letter, on average, and from a line of a note to its next. */
const LETTER = 6.2;
const LINE = 16;

function cls(s: TimeSeries): string {
  return colourOf(s) || "plain-way";
}

function mark(s: TimeSeries, cx: number, cy: number, r: number): Shape {
  const look = isDense(s) ? "dense " : isHollow(s) ? "hollow " : "";
  return shape("circle", { class: `mark ${look}${cls(s)}`, cx: n(cx), cy: n(cy), r });
}

function stroke(s: TimeSeries, d: string): Shape {
  const dash = dashOf(s);
  return shape("path", { class: `curve ${cls(s)}${s.reference ? " fine" : ""}`, "stroke-dasharray": dash.length === 0 ? undefined : dash.join(" "), d });
}

/** What of a series lies within the span, with a value at either side of it; null where nothing is known. */
function within(s: TimeSeries, [from, to]: readonly [number, number]): (readonly [number, Maybe])[] {
  const all = s.t_ns.map((t, i) => [t / 1e9, s.v[i] ?? null] as const);
  const first = all.findIndex(([t]) => t >= from);
  const after = all.findIndex(([t]) => t > to);
  return first < 0 ? [] : all.slice(Math.max(0, first - 1), after < 0 ? all.length : after + 1);
}

/** The curve, broken where nothing is known; of values that share a pixel, the least and the greatest. */
export function pathOf(points: readonly (readonly [number, Maybe])[], x: (v: number) => number, y: (v: number) => number, stepped: boolean): string {
  let d = "";
  let last: Place | null = null;
  let column: { x: number; low: number; high: number; end: number } | null = null;
  const flush = (): void => {
    if (column && column.high - column.low > 0.5) d += `M${n(column.x)},${n(column.low)}V${n(column.high)}M${n(column.x)},${n(column.end)}`;
    column = null;
  };
  for (const [t, v] of points) {
    if (v === null) {
      flush();
      last = null;
      continue;
    }
    const place: Place = [x(t), y(v)];
    if (last === null) d += `M${n(place[0])},${n(place[1])}`;
    else if (place[0] - last[0] < 0.5) {
      const { low, high }: { low: number; high: number } = column ?? { low: last[1], high: last[1] };
      column = { x: last[0], low: Math.min(low, place[1]), high: Math.max(high, place[1]), end: place[1] };
      continue;
    } else {
      flush();
      d += stepped ? `V${n(place[1])}H${n(place[0])}` : `L${n(place[0])},${n(place[1])}`;
    }
    last = place;
  }
  flush();
  return d;
}

function entry(s: TimeSeries): Entry {
  return {
    text: s.name, width: 26,
    draw: (x, y) => (s.points ? mark(s, x + 13, y, 4) : stroke(s, `M${n(x)},${n(y)}h26`)),
  };
}

/** How a plot is drawn: without its title and note where a caption beside it has them. */
interface Look {
  readonly id: string;
  readonly width: number;
  readonly isBare?: boolean;
}

/** The plot over `span`, in seconds. */
export function drawTime(given: TimePlot, span: readonly [number, number], { id, width, isBare = false }: Look): Shape {
  const plot = { ...given, series: apart(given.series) };
  const note = plot.note === undefined || isBare ? [] : wrapped(plot.note, Math.floor(width / LETTER));
  const legend = drawLegend(plot.series.map(entry), width, 12 + note.length * LINE);
  const [top, bottom] = [legend.height + TOP, legend.height + HEIGHT - BOTTOM];
  const shown = plot.series.map((s) => within(s, span));
  const values = shown.flat().map(([, v]) => v).filter((v): v is number => v !== null);
  const x = scaleLinear().domain([...span]).range([LEFT, width - RIGHT]);
  const y = scaleLinear().domain(roomFor(values, plot.fromZero)).range([bottom, top]);
  const [across, up] = [x.ticks(Math.floor(width / 90)), y.ticks(5)];
  const labels = ticks(up, plot.format);
  const start = startOf(values, plot.fromZero);
  return shape("svg", {
    class: "figure time-figure", viewBox: `0 0 ${n(width)} ${n(legend.height + HEIGHT)}`, width: n(width), height: n(legend.height + HEIGHT), role: "img", "aria-labelledby": `${id}-title`,
  },
    shape("title", { id: `${id}-title` }, plot.title),
    ...note.map((text, i) => shape("text", { class: "muted", x: 2, y: n(12 + i * LINE) }, text)), ...legend.shapes,
    ...(isBare ? [] : [shape("text", { class: "axis-name", x: 2, y: n(legend.height + 12) }, start === "" ? plot.title : `${plot.title}, ${start}`)]),
    ...up.flatMap((tick, i) => [shape("path", { class: "grid", d: `M${LEFT},${n(y(tick))}H${n(width - RIGHT)}` }),
      shape("text", { class: "tick", x: LEFT - 7, y: n(y(tick) + 4), "text-anchor": "end" }, labels[i]!)]),
    shape("path", { class: "axis-line", d: `M${LEFT},${n(bottom)}H${n(width - RIGHT)}` }),
    ...across.flatMap((tick) => [shape("path", { class: "axis-line", d: `M${n(x(tick))},${n(bottom)}v5` }),
      shape("text", { class: "tick", x: n(x(tick)), y: n(bottom + 18), "text-anchor": "middle" }, String(tick))]),
    shape("text", { class: "axis-name", x: n((LEFT + width) / 2), y: n(legend.height + HEIGHT - 8), "text-anchor": "middle" }, "seconds since the start of the run"),
    shape("clipPath", { id: `${id}-clip` }, shape("rect", { x: LEFT, y: n(top), width: n(width - LEFT - RIGHT), height: n(bottom - top) })),
    shape("g", { "clip-path": `url(#${id}-clip)` }, ...plot.series.flatMap((s, i) => draw(s, shown[i]!, x, y))));
}

function draw(s: TimeSeries, points: readonly (readonly [number, Maybe])[], x: (v: number) => number, y: (v: number) => number): Shape[] {
  if (s.points) return drawPoints(s, points.flatMap(([t, v]): Place[] => (v === null ? [] : [[x(t), y(v)]])));
  return [stroke(s, pathOf(points, x, y, s.stepped === true))];
}

/** Each point; of many, one for all that share half a pixel. */
function drawPoints(s: TimeSeries, places: readonly Place[]): Shape[] {
  if (!isDense(s)) return places.map(([cx, cy]) => mark(s, cx, cy, 3.5));
  const found = new Map(places.map((place) => [place.map((at) => Math.round(at * 2)).join(), place] as const));
  return [...found.values()].map(([cx, cy]) => mark(s, cx, cy, 1.5));
}
