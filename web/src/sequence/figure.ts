// A time–sequence plot as a drawing that stays as it is: what the page draws on its canvas, for one view, as SVG.

import { count } from "../format";
import { n, shape, type Shape } from "../svg";
import type { Sequence, SequenceKind } from "../types";
import { byteLabel, ticks, timeLabel } from "./axis";
import { complete, expand, type Detail, type Event } from "./burst";
import { letterOf, marks } from "./marks";
import { whole, type View } from "./view";

const LEFT = 76;
const RIGHT = 12;
const TOP = 34;
const BOTTOM = 46;
const HEIGHT = 420;
/** Events closer than this many pixels are drawn as one stroke. */
const RESOLUTION = 2;
const ORDER: readonly SequenceKind[] = ["window", "data", "sack", "ack", "retransmit"];
const KEYS: Readonly<Record<SequenceKind, string>> = { data: "data", ack: "ACKs", sack: "SACK blocks", retransmit: "retransmissions", window: "window" };

export interface SequenceFigure {
  readonly id: string;
  readonly title: string;
  readonly describe: string;
  readonly width: number;
  readonly view?: View;
}

type Scale = (value: number) => number;

/** Pixels of one kind: paths of strokes, bars and areas, each in one element, whatever they number. */
interface Ink {
  lines: string;
  bars: string;
  areas: string;
  dots: string;
}

/** Nothing smaller is seen: what lies within a pixel of what was drawn before it is left out. */
const SEEN = 1;
/** ACKs further apart than this many pixels are dots on their staircase. */
const APART = 5;

type Place = readonly [x: number, y: number];

function far([x0, y0]: Place, [x1, y1]: Place): number {
  return Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0));
}

function strokes(detail: Detail, x: Scale, y: Scale, ink: Ink): void {
  let drawn: Place = [-Infinity, 0];
  for (const { from, to } of detail.strokes) {
    const [x0, x1] = [x(from.t), Math.max(x(to.t), x(from.t) + 1)];
    if (far(drawn, [x1, y(to.seq)]) < SEEN) continue;
    drawn = [x1, y(to.seq)];
    ink.lines += `M${n(x0)},${n(y(from.seq))}L${n(x1)},${n(y(to.seq))}`;
    if (y(0) - y(from.len) < 2) continue;
    ink.areas += `M${n(x0)},${n(y(from.seq))}L${n(x1)},${n(y(to.seq))}V${n(y(to.seq + to.len))}L${n(x0)},${n(y(from.seq + from.len))}Z`;
  }
}

/** Acknowledgements: a staircase through single ones and strokes alike. */
function staircase(detail: Detail, x: Scale, y: Scale, ink: Ink): void {
  const steps = [...detail.strokes, ...detail.events.map((e) => ({ from: e, to: e }))].sort((p, q) => p.from.t - q.from.t);
  let drawn: Place | null = null;
  for (const { from, to } of steps) {
    const [x0, y0, end]: [number, number, Place] = [x(from.t), y(from.seq), [x(to.t), y(to.seq)]];
    const step = drawn ? far(drawn, end) : Infinity;
    if (step < SEEN) continue;
    // An acknowledgement that was overtaken takes nothing back.
    ink.lines += !drawn || y0 > drawn[1] ? `M${n(x0)},${n(y0)}` : `H${n(x0)}V${n(y0)}`;
    if (to !== from) ink.lines += `L${n(end[0])},${n(end[1])}`;
    else if (step >= APART) ink.dots += `M${n(x0 - 2)},${n(y0)}a2,2 0 1 0 4,0a2,2 0 1 0 -4,0Z`;
    drawn = end;
  }
}

/** What is not an acknowledgement stands upright, as high as its bytes. */
function bars(events: readonly Event[], kind: SequenceKind, x: Scale, y: Scale, ink: Ink): void {
  let drawn: Place = [-Infinity, 0];
  for (const e of events) {
    const [cx, low, high] = [x(e.t), y(e.seq), y(e.seq + e.len)];
    if (far(drawn, [cx, low]) < SEEN) continue;
    drawn = [cx, low];
    ink.bars += `M${n(cx)},${n(low)}V${n(Math.min(high, low - 1))}`;
    if (low - high <= 9) continue;
    if (kind === "data") ink.bars += `M${n(cx - 3)},${n(high + 4)}L${n(cx)},${n(high)}L${n(cx + 3)},${n(high + 4)}`;
    if (kind === "sack") ink.bars += `M${n(cx - 3)},${n(low)}h6M${n(cx - 3)},${n(high)}h6`;
  }
}

/** A flag on each retransmission that is marked. */
function flags(events: readonly Event[], x: Scale, y: Scale): Shape[] {
  return events.flatMap((e) => {
    const [cx, cy] = [x(e.t), y(e.seq + e.len)];
    return [shape("path", { class: "seq-flag", d: `M${n(cx)},${n(cy - 1)}l-6,-11h12Z` }),
      shape("text", { class: "seq-flag", x: n(cx), y: n(cy - 15), "text-anchor": "middle" }, letterOf(e))];
  });
}

/** Where a trace ends before its connection does; empty where it does not. */
export function endOf(sequence: Sequence): string {
  const ns = sequence.complete_until_ns;
  return ns === undefined ? "" : `The trace ends at ${(ns / 1e9).toFixed(2)} s, where its room was used up.`;
}

function axes(view: View, x: Scale, y: Scale, width: number, end: string): Shape[] {
  const [right, bottom] = [width - RIGHT, HEIGHT - BOTTOM];
  const ts = ticks(view.t0, view.t1, width / 130);
  const ss = ticks(view.s0, view.s1, 6);
  const [tStep, sStep] = [(ts[1] ?? 1e9) - (ts[0] ?? 0), (ss[1] ?? 1) - (ss[0] ?? 0)];
  const base = ss[0] ?? 0;
  const long = byteLabel(ss.at(-1) ?? 0, sStep).length > 10;
  // Where the numbers have no room, they count from the lowest, which is written out in the plot.
  const label = (s: number): string => (!long ? byteLabel(s, sStep) : s === base ? "" : `+${byteLabel(s - base, sStep)}`);
  return [
    ...ss.flatMap((s) => [
      shape("path", { class: "grid", d: `M${LEFT},${n(y(s))}H${right}` }),
      shape("text", { class: "tick", x: LEFT - 8, y: n(y(s) + 4), "text-anchor": "end" }, label(s)),
    ]),
    ...(long ? [shape("text", { class: "tick halo", x: LEFT + 6, y: n(y(base) - 5) }, `byte ${count(base)}`)] : []),
    shape("path", { class: "axis-line", d: `M${LEFT},${bottom}H${right}` }),
    ...ts.flatMap((t) => [
      shape("path", { class: "axis-line", d: `M${n(x(t))},${bottom}v5` }),
      shape("text", { class: "tick", x: n(x(t)), y: bottom + 18, "text-anchor": "middle" }, timeLabel(t, tStep)),
    ]),
    shape("text", { class: "axis-name", x: n((LEFT + right) / 2), y: HEIGHT - 8, "text-anchor": "middle" }, end === "" ? "time since the start" : `time since the start. ${end}`),
    shape("text", { class: "axis-name", x: 8, y: TOP - 16 }, "byte of the stream"),
  ];
}

/** Room that the axis's name takes beside the key, and from a row of the key to its next. */
const NAME = 130;
const ROW = 20;

/** A kind with its mark and the room behind it. */
function keyWidth(kind: SequenceKind): number {
  return KEYS[kind].length * 7.2 + 46;
}

/** The key in rows from the top. The last one stands beside the axis's name, and is empty where all have no room there. */
function keyRows(kinds: readonly SequenceKind[], width: number): SequenceKind[][] {
  if (kinds.reduce((sum, kind) => sum + keyWidth(kind), 0) <= width - RIGHT - NAME) return [[...kinds]];
  const rows: SequenceKind[][] = [[]];
  let left = width - RIGHT;
  for (const kind of kinds) {
    if (keyWidth(kind) > left) [left] = [width - RIGHT, rows.push([])];
    left -= keyWidth(kind);
    rows.at(-1)!.push(kind);
  }
  return [...rows, []];
}

/** A row of the key, from the right. */
function key(kinds: readonly SequenceKind[], width: number, foot: number): Shape[] {
  let right = width - RIGHT;
  return [...kinds].reverse().flatMap((kind) => {
    const at = right - KEYS[kind].length * 7.2;
    right = at - 46;
    const mark = kind === "retransmit" ? shape("path", { class: "seq-flag", d: `M${n(at - 14)},${foot + 2}l-6,-11h12Z` })
      : shape("path", { class: `seq-line ${kind}`, d: `M${n(at - 26)},${foot - 4}h20` });
    return [mark,
      shape("text", { x: n(at), y: foot }, KEYS[kind])];
  });
}

/** Draws one stream's trace, whole or a view of it. */
export function drawSequence(sequence: Sequence, figure: SequenceFigure): Shape {
  const bursts = sequence.bursts.map(complete);
  const view = figure.view ?? whole(bursts);
  const { width } = figure;
  const [w, high] = [width - LEFT - RIGHT, HEIGHT - TOP - BOTTOM];
  const x: Scale = (t) => LEFT + ((t - view.t0) / (view.t1 - view.t0)) * w;
  const y: Scale = (s) => TOP + high - ((s - view.s0) / (view.s1 - view.s0)) * high;
  const px = { t: w / (view.t1 - view.t0), s: high / (view.s1 - view.s0) };
  const resolution = { t: RESOLUTION / px.t, s: RESOLUTION / px.s };
  const within = bursts.filter((b) => b.t <= view.t1 && b.t1 >= view.t0 && b.seq0 <= view.s1 && b.seq1 >= view.s0);
  const kinds = ORDER.filter((kind) => within.some((b) => b.kind === kind));
  const drawn = kinds.map((kind) => {
    const mine = bursts.filter((b) => b.kind === kind);
    const detail = expand(mine, view.t0, view.t1, resolution);
    const ink: Ink = { lines: "", bars: "", areas: "", dots: "" };
    if (kind === "ack" || kind === "window") staircase(detail, x, y, ink);
    else {
      strokes(detail, x, y, ink);
      bars(detail.events, kind, x, y, ink);
    }
    const path = (look: string, d: string): Shape[] => (d === "" ? [] : [shape("path", { class: look, d })]);
    return shape("g", {}, ...path(`seq-area ${kind}`, ink.areas), ...path(`seq-line ${kind}`, ink.lines), ...path(`seq-bar ${kind}`, ink.bars),
      ...path("seq-dot", kind === "window" ? "" : ink.dots), ...(kind === "retransmit" ? flags(marks(mine, view, px), x, y) : []));
  });
  const rows = keyRows(kinds, width);
  const above = (rows.length - 1) * ROW;
  return shape("svg", {
    class: "figure chart-figure", viewBox: `0 ${n(-above)} ${width} ${HEIGHT + above}`, width, height: HEIGHT + above, role: "img",
    "aria-labelledby": `${figure.id}-title ${figure.id}-desc`,
  },
    shape("title", { id: `${figure.id}-title` }, figure.title), shape("desc", { id: `${figure.id}-desc` }, `${figure.describe} ${endOf(sequence)}`.trim()),
    shape("clipPath", { id: `${figure.id}-frame` }, shape("rect", { x: LEFT, y: TOP, width: w, height: high })),
    ...axes(view, x, y, width, endOf(sequence)), ...rows.flatMap((row, i) => key(row, width, TOP - 16 - above + i * ROW)), shape("g", { "clip-path": `url(#${figure.id}-frame)` }, ...drawn));
}
