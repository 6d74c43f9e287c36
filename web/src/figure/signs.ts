// What distinguishes the series of a sweep, and what that is called: none needs its colour to be known by.

import { DASHES } from "../time/series";
import { n, shape, type Shape } from "../svg";
import type { Sweep } from "../sweep";
import type { Origin } from "../types";
import { hatch } from "./hatch";

/** What has signs, bars and dashes of its own: one origin in one colour. */
export interface Shown {
  readonly colour: number;
  readonly origin: Origin;
}

/** What an origin is known by; words are those of a caption. */
interface Signs {
  /** The class of its colour, where the second key has none. */
  readonly tone: string;
  /** Index into the dashes. */
  readonly dash: number;
  readonly line: string;
  /** The sign of its points where it has a colour, and bars of its own. */
  readonly sign: string;
  readonly words: string;
  /** The sign of its points in the colours of a second key: that of the colour, filled so. */
  readonly filled: "full" | "hollow" | "dot" | "level" | "upright";
  readonly filledWords: string;
  /** Its bars where it has a colour: index into the hatches. */
  readonly hatch: number;
  readonly bars: string;
  readonly barWords: string;
}

const SQUARE = "m-4,-4h8v8h-8Z";
const ORIGIN_SIGNS: Readonly<Record<Origin, Signs>> = {
  predicted: { tone: "plain-way", dash: 4, line: "dashed", sign: "m-5,-5h10v10h-10Z", words: "open squares", filled: "hollow", filledWords: "hollow signs", hatch: 0, bars: "open", barWords: "outlined bars" },
  simulated: { tone: "west", dash: 0, line: "solid", sign: "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z", words: "dots", filled: "full", filledWords: "full signs", hatch: 0, bars: "full", barWords: "full bars" },
  emulated: { tone: "east", dash: 3, line: "dashes and dots", sign: "m-5,4l5,-9l5,9Z", words: "triangles", filled: "dot", filledWords: "hollow signs with a dot", hatch: 1, bars: "pale", barWords: "pale bars" },
  measured: { tone: "line-2", dash: 2, line: "dotted", sign: "m0,-6l6,6l-6,6l-6,-6Z", words: "diamonds", filled: "level", filledWords: "hollow signs with a level line", hatch: 2, bars: "edged", barWords: "bars with a thick edge" },
  captured: { tone: "line-4", dash: 5, line: "long and short dashes", sign: SQUARE, words: "squares", filled: "upright", filledWords: "hollow signs with an upright line", hatch: 3, bars: "edged", barWords: "bars with a thick edge" },
};

/** Signs of the colours: around a place, each as large. */
const SIGNS: readonly string[] = [
  "m-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0Z", SQUARE, "m-5,4l5,-9l5,9Z", "m0,-6l6,6l-6,6l-6,-6Z",
  "m-5,-4l5,9l5,-9Z", "m-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4Z", "m-2.5,-6h5v12h-5Z", "m-5,-5h10l-10,10h10Z",
];
/** What is inside a hollow sign. */
const INSIDE: Readonly<Record<string, string>> = { dot: "m-1,0h2m-1,-1v2", level: "m-3,0h6", upright: "m0,-3v6" };

/** The class of a series' colour. */
export function tone(sweep: Sweep, s: Shown): string {
  return sweep.colour === null ? ORIGIN_SIGNS[s.origin].tone : `line-${s.colour % SIGNS.length}`;
}

/** Whether one origin has all the colours, and all other figures of the page, so that dashes are free for these. */
function isAlone(sweep: Sweep): boolean {
  return sweep.colour !== null && sweep.origins.length === 1 && sweep.dashesFree;
}

/** Dashes of a number as SVG has them; none of a solid line. */
export function dashesOf(number: number): string | undefined {
  const lengths = DASHES[number % DASHES.length] ?? [];
  return lengths.length === 0 ? undefined : lengths.join(" ");
}

/** The dashes of an origin's curves. */
export function dashes(origin: Origin): string | undefined {
  return dashesOf(ORIGIN_SIGNS[origin].dash);
}

/** The dashes of a curve: those of its origin, or of its colour where the run has one origin alone. */
export function dashOf(sweep: Sweep, { colour, origin }: Shown): string | undefined {
  return isAlone(sweep) ? dashesOf(colour) : dashes(origin);
}

/** The sign of a point: of its colour where there are several, filled by its origin; else of its origin. It is `size` times as large as others. */
export function signOf(sweep: Sweep, s: Shown, cls: string, cx: number, cy: number, size = 1): Shape {
  const { sign, filled } = ORIGIN_SIGNS[s.origin];
  const hollow = sweep.colour === null ? s.origin === "predicted" : filled !== "full";
  const at = size === 1 ? `M${n(cx)},${n(cy)}` : "M0,0";
  const style = { style: "--mix:30%", ...(size === 1 ? {} : { transform: `translate(${n(cx)} ${n(cy)}) scale(${size})`, "vector-effect": "non-scaling-stroke" }) };
  const mark = shape("path", { class: `mark${hollow ? " hollow" : ""} ${cls}`, ...style, d: at + (sweep.colour === null ? sign : SIGNS[s.colour % SIGNS.length]!) });
  const inside = sweep.colour === null ? undefined : INSIDE[filled];
  return inside === undefined ? mark : shape("g", {}, mark, shape("path", { class: `inside ${cls}`, ...style, d: at + inside }));
}

/** The sign of a number that no certificate vouches for: hollow, with a cross. */
export function untrusted(sweep: Sweep, s: Shown, cls: string, cx: number, cy: number): Shape {
  const style = { style: "--mix:30%" };
  const at = `M${n(cx)},${n(cy)}`;
  return shape("g", { class: "untrusted" },
    shape("path", { class: `mark hollow ${cls}`, ...style, d: at + (sweep.colour === null ? ORIGIN_SIGNS[s.origin].sign : SIGNS[s.colour % SIGNS.length]!) }),
    shape("path", { class: `cross ${cls}`, ...style, d: `M${n(cx - 7)},${n(cy - 7)}l14,14m0,-14l-14,14` }));
}

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A bar: filled by its origin, hatched by its colour or, without colours, by its origin too. */
export function barOf(sweep: Sweep, s: Shown, cls: string, rect: Rect, invalid = false): Shape[] {
  const { bars, hatch: own } = ORIGIN_SIGNS[s.origin];
  const filled = invalid ? "invalid" : bars;
  const lines = hatch(sweep.colour === null ? own : s.colour, rect);
  const style = { style: "--mix:30%" };
  return [
    shape("rect", { class: `bar ${filled} ${cls}`, ...style, x: n(rect.x), y: n(rect.y), width: n(rect.width), height: n(rect.height) }),
    ...(lines === "" ? [] : [shape("path", { class: `hatch ${filled} ${cls}`, ...style, d: lines })]),
  ];
}

/** As long as shows what dashes a curve has, in pixels. */
export const SAMPLE = 34;

/** A curve with a sign on it, as a legend has it. */
function sample(sweep: Sweep, s: Shown, cls: string, x: number, y: number): Shape {
  return shape("g", {}, shape("path", { class: `curve ${cls}`, style: "--mix:30%", "stroke-dasharray": dashOf(sweep, s), d: `M${n(x)},${n(y)}h${SAMPLE}` }), signOf(sweep, s, cls, x + SAMPLE / 2, y));
}

/** What an origin is known by. */
export function originSample(sweep: Sweep, origin: Origin, bars: boolean, x: number, y: number): Shape {
  const s = { colour: 0, origin };
  const cls = sweep.colour === null ? tone(sweep, s) : "ink";
  if (!bars) return sample(sweep, s, cls, x, y);
  return sweep.log ? signOf(sweep, s, cls, x + 9, y) : shape("g", {}, ...barOf(sweep, s, cls, { x, y: y - 6, width: 18, height: 12 }));
}

/** What a colour is known by: its sign or hatch, and its dashes where the run has one origin alone. */
export function colourSample(sweep: Sweep, colour: number, bars: boolean, x: number, y: number): Shape {
  const s = { colour, origin: sweep.origins.length === 1 ? sweep.origins[0]! : ("simulated" as const) };
  const cls = tone(sweep, s);
  if (!bars) return sample(sweep, s, cls, x, y);
  return sweep.log ? signOf(sweep, s, cls, x + 9, y) : shape("g", {}, ...barOf(sweep, s, cls, { x, y: y - 7, width: 18, height: 14 }));
}

/** Whether an origin has two values beside each other, which a line joins. */
function hasLine(sweep: Sweep, origin: Origin): boolean {
  const { log, numbers } = sweep.x;
  const joins = (i: number): boolean => !(log && numbers?.[i] === 0);
  const series = sweep.panels.flatMap((p) => p.series.filter((s) => s.origin === origin));
  return series.some(({ cells }) => {
    const run = cells.flatMap((cell, i) => (cell === undefined ? [] : [cell !== null && cell.invalid !== true && joins(i)]));
    return run.some((whole, i) => whole && run[i + 1] === true);
  });
}

/** What the origins are known by in words, where there are several: `Predicted: dashed, open squares; simulated: solid, dots.` */
export function signsInWords(sweep: Sweep): string {
  if (sweep.origins.length < 2) return "";
  const bars = sweep.x.numbers === null;
  const said = sweep.origins.map((origin) => {
    const { line, words, filledWords, barWords } = ORIGIN_SIGNS[origin];
    const points = sweep.colour === null ? words : filledWords;
    if (bars) return `${origin}: ${sweep.log ? points : barWords}`;
    return `${origin}: ${hasLine(sweep, origin) ? `${line}, ` : ""}${points}`;
  });
  const text = `${said.join("; ")}.`;
  return text[0]!.toUpperCase() + text.slice(1);
}
