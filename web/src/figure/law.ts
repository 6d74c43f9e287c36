// Published laws over a sweep: thin lines, each with dashes and a letter of its own, cut where the axes end.

import { line } from "d3-shape";

import { n, shape, type Shape } from "../svg";
import { within, type Sweep, type SweepPanel } from "../sweep";
import type { LawPart, PublishedLaw } from "../types";
import type { Entry } from "./legend";
import type { Frame, Scale } from "./sweep";
import { SAMPLE } from "./signs";

/** Each differs from the others without a colour, and from the dashes of origins by its width. */
const DASHES: readonly string[] = ["9 3", "9 3 2 3", "3 3", "9 3 2 3 2 3", "16 4", "16 4 2 4", "5 2 5 6", "16 4 6 4", "2 2 9 3 9 3"];
/** Where a law does not hold. */
const BEYOND = "1 4";

/** What a panel has along both axes. */
interface Axes extends Frame {
  readonly x: (value: number) => number;
  readonly y: Scale;
}

type Place = readonly [x: number, y: number];

/** The laws of a figure that are asked for, with the number of each among these. */
function chosen(sweep: Sweep, on: readonly string[]): { readonly law: PublishedLaw; readonly number: number }[] {
  return sweep.laws.filter((law) => on.includes(law.name)).map((law, number) => ({ law, number }));
}

function letter(number: number): string {
  return String.fromCharCode(97 + number);
}

/** What of a curve lies between the ends of both axes, in pieces. */
export function cut(points: readonly Place[], { left, right, top, bottom }: Frame): Place[][] {
  const pieces: Place[][] = [];
  const sides = [(p: Place) => p[0] - left, (p: Place) => right - p[0], (p: Place) => p[1] - top, (p: Place) => bottom - p[1]];
  points.slice(1).forEach((to, i) => {
    const from = points[i]!;
    let [low, high] = [0, 1];
    for (const side of sides) {
      const [a, b] = [side(from), side(to)];
      if (a < 0 && b < 0) return;
      if (a < 0) low = Math.max(low, a / (a - b));
      if (b < 0) high = Math.min(high, a / (a - b));
    }
    if (low >= high) return;
    const at = (share: number): Place => [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
    const last = pieces.at(-1);
    if (last !== undefined && low === 0 && last.at(-1) === from) last.push(high === 1 ? to : at(high));
    else pieces.push([low === 0 ? from : at(low), high === 1 ? to : at(high)]);
  });
  return pieces;
}

/** The places of a part; on a logarithmic axis a value of 0 has none. */
function places(part: LawPart, sweep: Sweep, { x, y }: Axes): Place[] {
  return part.x.flatMap((v, i): Place[] => (sweep.x.log && v <= 0 || sweep.log && (part.y[i]! <= 0 || y.cut(part.y[i]!)) ? [] : [[x(v), y.at(part.y[i]!)]]));
}

function stroke(d: string, tone: string, number: number, holds: boolean): Shape {
  return shape("path", { class: `law ${tone}${holds ? "" : " beyond"}`, "stroke-dasharray": holds ? DASHES[number % DASHES.length] : BEYOND, d });
}

/** A letter stands clear of the curves beside it where these are so far away, in pixels. */
const CLEAR = 14;

/** Letters stand at least so far from each other where there is room, in pixels. */
const APART = 16;

/** Where a letter that has no room on its curve stands instead: so far above or below it, in pixels. */
const BESIDE = 15;

/** How far from a place the nearest of other curves passes; no more than is needed. */
function room([x, y]: Place, others: readonly Place[]): number {
  return Math.min(CLEAR, ...others.map((p) => Math.hypot(p[0] - x, p[1] - y)));
}

/** A line through places, no two of its own further apart than a letter is wide. */
function dense(line: readonly Place[]): Place[] {
  return line.flatMap((to, i) => {
    const from = line[i - 1] ?? to;
    const steps = Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / 6));
    return Array.from({ length: steps }, (_, k): Place => [from[0] + ((to[0] - from[0]) * (k + 1)) / steps, from[1] + ((to[1] - from[1]) * (k + 1)) / steps]);
  });
}

/** The letter of a law, on a ground of its own: on its curve where no other is near, else beside it, as close as can be to a share of
 * its way that is its own, and clear of the letters that are `taken`. */
function mark(own: readonly Place[], others: readonly Place[], { number, of, axes }: { number: number; of: number; axes: Frame }, taken: Place[]): Shape[] {
  const near = (place: Place): number => Number(taken.some((t) => Math.hypot(t[0] - place[0], t[1] - place[1]) < APART));
  const inside = ([, y]: Place): boolean => y > axes.top + 8 && y < axes.bottom - 8;
  const way = dense(own);
  const wanted = ((number + 0.5) / of) * way.length;
  const order = way.flatMap((at, i) => [0, -BESIDE, BESIDE].map((by): { place: Place; by: number; off: number } => ({ place: [at[0], at[1] + by], by: Math.abs(by), off: Math.abs(i - wanted) })))
    .filter(({ place, by }) => by === 0 || inside(place)).map((one) => ({ ...one, room: room(one.place, others) }))
    .sort((p, q) => near(p.place) - near(q.place) || q.room - p.room || p.by - q.by || p.off - q.off);
  const place = order[0]?.place;
  if (place === undefined) return [];
  taken.push(place);
  return [shape("g", { class: "law-mark" }, shape("rect", { class: "ground", x: n(place[0] - 7), y: n(place[1] - 8), width: 14, height: 16, rx: 3 }),
    shape("text", { class: "law-letter", x: n(place[0]), y: n(place[1] + 4), "text-anchor": "middle" }, letter(number)))];
}

/** The laws that are asked for in one panel: their curves, which lie under its points, and their letters, above all. */
export function drawLaws(sweep: Sweep, panel: SweepPanel, on: readonly string[], axes: Axes): { readonly curves: Shape[]; readonly letters: Shape[] } {
  const [from, to] = [Math.min(...sweep.x.numbers!), Math.max(...sweep.x.numbers!)];
  const all = chosen(sweep, on).flatMap(({ law, number }) => law.curves.flatMap((curve) => {
    const colour = sweep.colour?.steps.findIndex((step) => Object.keys(step).some((key) => key in curve.at) && within({ ...panel.at, ...step }, curve.at)) ?? -1;
    // Of one colour, of all of them, or of another panel.
    if (colour < 0 && !within(panel.at, curve.at)) return [];
    const drawn = curve.parts.map((part) => ({ holds: part.holds, pieces: cut(places(shown(part, from, to), sweep, axes), axes) }));
    return [{ law, number, drawn, tone: colour < 0 ? "ink" : `line-${colour % 8}`, whole: drawn.flatMap(({ pieces }) => pieces.flat()) }];
  }));
  const path = line<Place>().digits(2);
  const curves = all.map(({ law, number, drawn, tone }) => shape("g", { class: "law-curve", "data-law": law.name }, shape("title", {}, `${law.title}: ${law.formula} (${law.source})`),
    ...drawn.flatMap(({ holds, pieces }) => pieces.map((piece) => stroke(path(piece as Place[]) ?? "", tone, number, holds)))));
  const points = panel.series.map((s) => s.cells.flatMap((cell, i): Place[] => (cell ? [[axes.x(sweep.x.numbers![i]!), axes.y.at(cell.y)]] : [])));
  const whole = [...all.map((one) => one.whole), ...points];
  const taken: Place[] = [];
  const letters = all.flatMap(({ whole: own, number }) => mark(own, whole.filter((other) => other !== own).flatMap(dense), { number, of: chosen(sweep, on).length, axes }, taken));
  return { curves, letters };
}

/** What of a part lies within what is shown of x. */
function shown(part: LawPart, from: number, to: number): LawPart {
  const kept = part.x.map((_, i) => i).filter((i) => part.x[i]! >= from * (1 - 1e-6) && part.x[i]! <= to * (1 + 1e-6));
  return { ...part, x: kept.map((i) => part.x[i]!), y: kept.map((i) => part.y[i]!) };
}

/** What a legend says of the laws that are drawn. */
export function lawEntries(sweep: Sweep, on: readonly string[]): Entry[] {
  const drawn = chosen(sweep, on);
  const beyond = drawn.some(({ law }) => law.curves.some((c) => c.parts.some((p) => !p.holds)));
  const entries = drawn.map(({ law, number }): Entry => ({
    text: `${letter(number)}: ${law.title}`, width: SAMPLE, draw: (x, y) => stroke(`M${n(x)},${n(y)}h${SAMPLE}`, "ink", number, true),
  }));
  return beyond ? [...entries, { text: "outside a law's range", width: SAMPLE, draw: (x, y) => stroke(`M${n(x)},${n(y)}h${SAMPLE}`, "ink", 0, false) }] : entries;
}

/** The laws that are drawn in words, one each. */
export function lawsInWords(sweep: Sweep, on: readonly string[]): string[] {
  return chosen(sweep, on).map(({ law, number }) => `${letter(number)}: ${law.title}: ${law.formula}. ${law.source}. Holds for: ${law.range}.`);
}
