// A sweep drawn: lines over a quantity, bars over words; a colour for each value of the second key, a panel for each of the third.

import { scaleLinear, scaleLog } from "d3-scale";
import { line } from "d3-shape";

import * as format from "../format";
import { n, shape, type Shape } from "../svg";
import { MEMBER, outside, type Bars, type Cell, type Key, type Sweep, type SweepMark, type SweepPanel, type SweepSeries } from "../sweep";
import { ORIGINS } from "../types";
import { drawLaws, lawEntries } from "./law";
import { drawLegend, wrapped, type Entry } from "./legend";
import { barOf, colourSample, dashOf, originSample, SAMPLE, signOf, tone, untrusted } from "./signs";
import { textWidth } from "./width";

/** Panels are at least this wide, and at most this many stand side by side. */
const PANEL = 300;
const COLUMNS = 3;
const HEIGHT = 300;
const ALONE = 340;
const TOP = 34;
/** An 11-pixel digit or letter, on average. */
const LETTER = 6.2;
/** The size of a label at a tick, and how much wider than in others the space before its unit is in some fonts, in pixels. */
const TICK = 11;
const GAP = 5;
/** Labels along x that would touch each other are turned. */
const TURN = 35;
/** Room between the ends of the x axis and its first and last value. */
const INSET = 16;
/** Where zero stands beside a logarithmic axis. */
const ZERO = 26;

/** The fairness of what is nearly fair cannot be seen on an axis from 0. */
const FAIR = 0.8;

/** Points and their upright lines, in words. */
export const SPREAD: Readonly<Record<Bars, string>> = { range: "median, from least to greatest", ci95: "mean, 95 % confidence interval" };

export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Scale {
  readonly at: (value: number) => number;
  /** Whether a value lies below the axis. */
  readonly cut: (value: number) => boolean;
  readonly ticks: readonly number[];
  readonly labels: readonly string[];
}

/** The colours by their values, then what tells the origins apart. */
function entries(sweep: Sweep, bars: boolean): Entry[] {
  const { colour, origins } = sweep;
  const used = (i: number): boolean => sweep.panels.some((p) => p.series.some((s) => s.colour === i && s.cells.some((c) => c)));
  const width = bars ? 18 : SAMPLE;
  const colours = (colour?.steps ?? []).flatMap((step, i): Entry[] => (used(i) ? [{
    text: step[MEMBER] === undefined ? format.point(step) : format.called(step[MEMBER]), width, draw: (x, y) => colourSample(sweep, i, bars, x, y),
  }] : []));
  const names = origins.map((origin): Entry => ({ text: format.called(origin), width, draw: (x, y) => originSample(sweep, origin, bars, x, y) }));
  // One origin in several colours has no look of its own.
  const plain = colour === null || origins.length > 1 ? names : names.filter((e) => e.text !== "").map((e) => ({ text: `all ${e.text}`, width: 0, draw: () => shape("g", {}) }));
  const cells = sweep.panels.flatMap((p) => p.series.flatMap((s) => s.cells.flatMap((cell) => (cell ? [{ cell, origin: s.origin }] : []))));
  const invalid = cells.find(({ cell }) => cell.invalid);
  const marks = sweep.panels.flatMap((p) => p.marks);
  const stated: Entry[] = marks.some((m) => m.y !== null) ? [{ text: "stated by the source", width: 20, draw: (x, y) => diamond(x + 10, y) }] : [];
  const allowed: Entry[] = marks.some((m) => m.low !== null && m.high !== null) ? [{ text: "allowed band", width: 14, draw: (x, y) => bracket(x + 7, y - 8, y + 8) }] : [];
  const doubt: Entry[] = invalid ? [{ text: "INVALID certificate", width: 16, draw: (x, y) => (bars && !sweep.log ? shape("rect", { class: "bar invalid ink", x: n(x), y: n(y - 6), width: 16, height: 12 }) : untrusted(sweep, { colour: 0, origin: invalid.origin }, "ink", x + 8, y)) }] : [];
  const spread: Entry[] = cells.some(({ cell }) => cell.low < cell.high) ? [{ text: `${SPREAD[sweep.bars]}${repeatsOf(cells.map(({ cell }) => cell))}`, width: 10, draw: (x, y) => shape("path", { class: "whisker ink", d: `M${n(x + 5)},${n(y - 8)}v16m-4,0h8m-8,-16h8` }) }] : [];
  return [...colours, ...plain, ...spread, ...stated, ...allowed, ...doubt];
}

/** Of how many repeats points are, where they are of several: `, n = 4`. */
function repeatsOf(cells: readonly Cell[]): string {
  const several = cells.filter((cell) => cell.of > 1);
  const most = Math.max(...several.map((cell) => cell.of));
  if (several.length === 0) return "";
  return `, n = ${most}${several.some((cell) => cell.n < most) ? " where nothing else is said" : ""}`;
}

function cellsOf(sweep: Sweep): Cell[] {
  return sweep.panels.flatMap((p) => p.series.flatMap((s) => s.cells)).filter((c): c is Cell => c !== null && c !== undefined);
}

/** Where a logarithmic axis ends: the least of 1, 2 and 5 of a decade that is not below `high`. */
function endOf(high: number): number {
  const decade = 10 ** Math.floor(Math.log10(high));
  return [1, 2, 5].map((m) => m * decade).find((v) => v >= high * (1 - 1e-9)) ?? 10 * decade;
}

/** Decades up to the axis's end, and between them 2 and 5 where there are few. */
function decades(low: number, high: number): number[] {
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const between = to - from <= 2 ? [1, 2, 5] : [1];
  const all = Array.from({ length: to - from + 1 }, (_, i) => between.map((m) => m * 10 ** (from + i))).flat();
  const kept = all.filter((v) => v <= endOf(high) * 1.0001);
  const step = Math.ceil(kept.length / 9);
  return kept.filter((_, i) => i % step === 0);
}

function yScale(sweep: Sweep, { top, bottom }: Frame): Scale {
  const marks = sweep.panels.flatMap((p) => p.marks.flatMap((m) => [m.y, m.high])).filter((v): v is number => v !== null);
  const values = cellsOf(sweep).flatMap((c) => [c.low, c.high]);
  const most = sweep.yRange?.[1] ?? Math.max(...values);
  const write = (v: number, digits: number): string => writeTick(sweep.metric, v, digits, sweep.log ? v : most);
  if (sweep.yRange !== undefined && (!sweep.log || sweep.yRange[0] > 0)) return partScale(sweep.yRange, sweep.log, { top, bottom }, write);
  if (!sweep.log) {
    const fair = sweep.metric.endsWith("jain_index") && sweep.x.numbers !== null && Math.min(...values) > FAIR;
    const scale = scaleLinear().domain([fair ? Math.min(...values) : Math.min(0, ...values), Math.max(...values, ...marks, Number.MIN_VALUE)]).nice(5).range([bottom, top]);
    const ticks = scale.ticks(5);
    return { at: scale, cut: () => false, ticks, labels: format.ticks(ticks, write) };
  }
  const points = cellsOf(sweep).map((c) => c.y);
  // Down to the least point, and the least of its repeats. An interval of confidence may reach a decade below it, and is cut there.
  const least = sweep.bars === "ci95" ? Math.min(...points.filter((v) => v > 0)) / 10 : 0;
  const positive = [...points, ...values].filter((v) => v > 0 && v >= least);
  const end = sweep.yRange?.[1];
  const greatest = Math.max(...positive, ...marks);
  // What is stated or allowed below all points is seen where it is.
  const lowest = Math.min(...positive, ...marks.filter((v) => v > 0));
  const ticks = decades(lowest, end ?? greatest).filter((v) => end === undefined || v <= end);
  const zero = hasFoot(sweep);
  const foot = zero ? bottom - ZERO : bottom;
  const low = 10 ** Math.floor(Math.log10(lowest));
  const scale = scaleLog().domain([low, end ?? Math.max(endOf(greatest), greatest)]).range([foot, top]);
  const at = (v: number): number => (v <= 0 ? bottom : Math.min(foot, scale(v)));
  const labels = format.ticks(ticks, write);
  const cut = (v: number): boolean => v < low && !(zero && v === 0);
  return zero ? { at, cut, ticks: [0, ...ticks], labels: ["0", ...labels] } : { at, cut, ticks, labels };
}

/** The scale of a part of y, whose ends are those asked for: what lies beyond them is cut. */
function partScale([low, high]: readonly [number, number], log: boolean, { top, bottom }: Pick<Frame, "top" | "bottom">, write: (v: number, digits: number) => string): Scale {
  const scale = (log ? scaleLog() : scaleLinear()).domain([low, high]).range([bottom, top]);
  const ticks = log ? decades(low, high).filter((v) => v >= low && v <= high) : scale.ticks(5);
  return { at: (v) => (log && v <= 0 ? 2 * bottom : scale(v)), cut: (v) => v < low, ticks, labels: format.ticks(ticks, write) };
}

/** A tick in the metric's unit, of times in the one that suits `like`. */
function writeTick(metric: string, value: number, digits: number, like: number): string {
  switch (format.dimension(metric)) {
    case "rate": return format.rate(value, digits);
    case "time": return format.delayLike(value, like, digits);
    case "size": return format.size(value, digits);
    case "seconds": return format.delayLike(value * 1e9, like * 1e9, digits);
    case "share": return format.percentLike(value, digits);
    case "ratio": return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(digits - 1) : value.toPrecision(Math.min(digits, 12)).replace(/e.*$/, "");
    case "count": return format.count(value);
  }
}

/** Where each value of x stands. */
function xPlaces(x: Key, frame: Frame): number[] {
  const { left, right } = frame;
  if (x.numbers === null) {
    const band = (right - left) / x.values.length;
    return x.values.map((_, i) => left + band * (i + 0.5));
  }
  return x.numbers.map(xScale(x, x.numbers, frame));
}

/** Where a quantity stands along x. */
function xScale(x: Key, all: readonly number[], { left, right }: Frame): (value: number) => number {
  const [from, to] = [left + INSET, right - INSET];
  const { log } = x;
  const numbers = log ? all.filter((v) => v > 0) : all;
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const zero = log && all.some((v) => v === 0);
  const scale = (log ? scaleLog() : scaleLinear()).domain([low, high]).range([zero ? from + 1.4 * ZERO : from, to]);
  return (v) => (log && v === 0 ? from : scale(v));
}

/** From a row of labels to the one below it. */
const LOWER = 13;

/** The row of each label along x, 0 or 1; null where neither has room. The last value is always named. */
export function labelRows(places: readonly number[], widths: readonly number[]): (0 | 1 | null)[] {
  const ends: [number, number] = [-Infinity, -Infinity];
  const rows = places.map((p, i): 0 | 1 | null => {
    const from = p - widths[i]! / 2;
    const row = from >= ends[0] ? 0 : from >= ends[1] ? 1 : null;
    if (row !== null) ends[row] = p + widths[i]! / 2;
    return row;
  });
  const last = places.length - 1;
  if (rows[last] === null) {
    const from = places[last]! - widths[last]! / 2;
    rows.forEach((row, i) => { if (row === 1 && places[i]! + widths[i]! / 2 > from) rows[i] = null; });
    rows[last] = 1;
  }
  return rows;
}

/** How the labels along x are set: the room they take below the axis, and those that have room. */
function xLabels(raw: Key, places: readonly number[]): { readonly room: number; readonly shapes: (bottom: number) => Shape[] } {
  const x = { ...raw, values: raw.values.map((v) => format.micro(format.called(v))) };
  const widths = x.values.map((v) => v.length * LETTER + 8);
  const touch = places.some((p, i) => i > 0 && p - widths[i]! / 2 < places[i - 1]! + widths[i - 1]! / 2);
  const tick = (p: number, foot: number): Shape => shape("path", { class: "axis-line", d: `M${n(p)},${n(foot)}v5` });
  if (!touch) {
    return { room: 22, shapes: (foot) => places.flatMap((p, i) => [tick(p, foot), shape("text", { class: "tick", x: n(p), y: n(foot + 17), "text-anchor": "middle" }, x.values[i]!)]) };
  }
  if (x.numbers !== null) {
    // Of values that stand too close some are named below the others; where that is too close, only some. Each has its tick.
    const rows = labelRows(places, widths);
    return {
      room: rows.includes(1) ? 22 + LOWER : 22,
      shapes: (foot) => places.flatMap((p, i) => [tick(p, foot), ...(rows[i] === null ? [] : [shape("text", { class: "tick", x: n(p), y: n(foot + 17 + rows[i]! * LOWER), "text-anchor": "middle" }, x.values[i]!)])]),
    };
  }
  const longest = Math.max(...x.values.map((v) => v.length)) * LETTER;
  return {
    room: Math.sin((TURN * Math.PI) / 180) * longest + 20,
    shapes: (foot) => places.flatMap((p, i) => [tick(p, foot), shape("text", {
      class: "tick", x: n(p + 4), y: n(foot + 15), "text-anchor": "end", transform: `rotate(-${TURN} ${n(p + 4)} ${n(foot + 15)})`,
    }, x.values[i]!)]),
  };
}

function title(sweep: Sweep, s: SweepSeries, i: number, cell: Cell): Shape {
  const at = format.point({ ...sweep.x.steps[i], ...sweep.colour?.steps[s.colour] });
  const around = sweep.bars === "ci95" ? "95 % interval" : "repeats";
  const doubt = cell.invalid ? ", INVALID: the certificate failed" : "";
  const count = cell.n === cell.of ? "" : `, of ${cell.n} of ${cell.of} repeats`;
  const repeats = cell.low < cell.high ? `, ${around} ${format.metric(sweep.metric, cell.low)} to ${format.metric(sweep.metric, cell.high)}` : "";
  return shape("title", {}, `${s.origin}, ${at}: ${format.metric(sweep.metric, cell.y)}${repeats}${count}${doubt}`);
}

/** From the least to the greatest, with a foot or, where it goes on below the axis, an arrow. */
function whisker(cell: Cell, cls: string, x: number, y: Scale): Shape[] {
  if (cell.low === cell.high) return [];
  const [foot, head] = [y.at(cell.low), y.at(cell.high)];
  const end = y.cut(cell.low) ? `M${n(x - 4)},${n(foot - 6)}l4,6l4,-6` : `M${n(x - 4)},${n(foot)}h8`;
  return [shape("path", { class: `whisker ${cls}`, style: "--mix:30%", d: `M${n(x)},${n(foot)}V${n(head)}m-4,0h8${end}` })];
}

/** How many repeats a point is of, where not all have it. */
function countLabel(cell: Cell, x: number, y: number, anchor: "start" | "middle"): Shape[] {
  return cell.n === cell.of ? [] : [shape("text", { class: "tick halo", x: n(x), y: n(y), "text-anchor": anchor }, `n = ${cell.n}`)];
}

/** Points that lie no further apart than this cover each other, in pixels. */
const NEAR = 2;
/** By how much of its size a sign grows for each that covers it, and a curve in pixels; and of how many at most. */
const GROWTH = 0.3;
const WIDER = 2;
const GROWN = 2;

/** How many series that are drawn later lie over a series: at each of its values, and all along it. */
export function covered(s: SweepSeries, later: readonly SweepSeries[], at: (value: number) => number): { readonly points: readonly number[]; readonly curve: number } {
  const over = later.map((other) => s.cells.map((cell, i) => {
    const above = other.cells[i];
    return cell && above ? Math.abs(at(cell.y) - at(above.y)) <= NEAR : null;
  }));
  const all = over.filter((one) => one.every((is, i) => is === true || !s.cells[i]));
  return { points: s.cells.map((_, i) => Math.min(GROWN, over.filter((one) => one[i] === true).length)), curve: Math.min(GROWN, all.length) };
}

/** A curve with a mark at each value; it is broken where a value is missing or invalid, and at zero of a logarithmic axis. What others
 * cover is drawn larger, so that it is seen around them. */
function drawSeries(sweep: Sweep, s: SweepSeries, later: readonly SweepSeries[], places: readonly number[], y: Scale): Shape[] {
  const cls = tone(sweep, s);
  const { log } = sweep.x;
  const under = covered(s, later, y.at);
  const run = s.cells.map((cell, i) => ({ cell, i })).filter(({ cell }) => cell !== undefined);
  const broken = ({ cell, i }: (typeof run)[number]): boolean => cell === null || cell?.invalid === true || (log && sweep.x.numbers![i] === 0);
  const path = line<(typeof run)[number]>().defined((p) => !broken(p)).x((p) => places[p.i]!).y((p) => y.at(p.cell?.y ?? 0)).digits(2);
  const d = path(run) ?? "";
  // At the right edge it stands left of its point.
  const last = Math.max(...places);
  const beside = (cell: Cell, i: number): Shape[] => countLabel(cell, places[i]! + (places[i] === last ? -40 : 8), y.at(cell.y) - 6, "start");
  const sign = (cell: Cell, i: number): Shape => (cell.invalid ? untrusted(sweep, s, cls, places[i]!, y.at(cell.y)) : signOf(sweep, s, cls, places[i]!, y.at(cell.y), 1 + GROWTH * under.points[i]!));
  const wide = under.curve === 0 ? "" : `;stroke-width:${2 + WIDER * under.curve}`;
  return [
    shape("path", { class: `curve ${cls}`, style: `--mix:30%${wide}`, "stroke-dasharray": dashOf(sweep, s), d }),
    ...run.flatMap(({ cell, i }) => (cell ? [...whisker(cell, cls, places[i]!, y), shape("g", { class: "point" }, title(sweep, s, i, cell), sign(cell, i)), ...beside(cell, i)] : [])),
  ];
}

/** Bars side by side for each word of x, on a logarithmic axis points; and a dash where there is none. */
function drawBars(sweep: Sweep, panel: SweepPanel, places: readonly number[], y: Scale, frame: Frame): Shape[] {
  const band = ((frame.right - frame.left) / places.length) * 0.84;
  const each = Math.min(46, band / panel.series.length);
  const start = -(each * panel.series.length) / 2;
  return panel.series.flatMap((s, k) => s.cells.flatMap((cell, i): Shape[] => {
    if (cell === undefined) return [];
    const x = places[i]! + start + k * each;
    if (cell === null) return [shape("text", { class: "muted missing", x: n(x + each / 2), y: n(frame.bottom - 4), "text-anchor": "middle" }, shape("title", {}, `${s.origin}: no value`), "–")];
    const [top, gap] = [y.at(cell.y), each > 8 ? 1.5 : 0.5];
    const height = Math.max(frame.bottom - top, 1);
    const above = Math.min(top - (sweep.log ? 5 : 0), y.at(cell.high)) - 5;
    const value = each > 38 ? [shape("text", { class: "tick halo", x: n(x + each / 2), y: n(above), "text-anchor": "middle" }, brief(sweep, cell.y))] : [];
    const cls = tone(sweep, s);
    // The length of a bar is its value, which a logarithmic axis has not.
    const mark = sweep.log ? [(cell.invalid ? untrusted : signOf)(sweep, s, cls, x + each / 2, top)]
      : barOf(sweep, s, cls, { x: x + gap, y: frame.bottom - height, width: each - 2 * gap, height }, cell.invalid === true);
    const point = shape("g", { class: "point" }, title(sweep, s, i, cell), ...mark);
    // In its own colour it would not be seen on its bar.
    const spread = whisker(cell, sweep.log ? cls : "ink", x + each / 2, y);
    return [...(sweep.log ? [...spread, point] : [point, ...spread]), ...value, ...countLabel(cell, x + each / 2, above - (each > 38 ? 12 : 0), "middle")];
  }));
}

/** Significant digits of a number on a bar: the fewest that tell it from all of what it is a part of. */
const DIGITS: readonly number[] = [3, 4, 5, 6, 7];

/** A value without its unit where that is the axis's; on a logarithmic axis units differ and are written. */
function brief(sweep: Sweep, value: number): string {
  const most = Math.max(...cellsOf(sweep).map((c) => c.high));
  const figure = (v: number, digits: number): string => format.compact(writeTick(sweep.metric, v, digits, sweep.log ? v : most));
  // What is just below all of it is not all of it: a fairness of 0.9999 is not 1.
  const dimension = format.dimension(sweep.metric);
  const all = dimension === "ratio" ? 1 : dimension === "share" ? 100 : Infinity;
  const isAll = (v: number, digits: number): boolean => v < 1 && Number.parseFloat(figure(v, digits)) >= all;
  const written = (v: number): string => figure(v, DIGITS.find((digits) => !isAll(v, digits)) ?? DIGITS.at(-1)!);
  const unit = (text: string): string => /\u202f\D.*$/.exec(text)?.[0] ?? "";
  const text = written(value);
  return sweep.log || unit(text) !== unit(written(most)) ? text : text.replace(unit(text), "");
}

/** What a source states: an open diamond, so that the point of a value like it is seen inside. */
function diamond(x: number, y: number): Shape {
  return shape("path", { class: "stated", d: `M${n(x)},${n(y - 9)}l9,9l-9,9l-9,-9Z` });
}

/** What is allowed, from `high` down to `low`. */
function bracket(x: number, high: number, low: number): Shape {
  return shape("path", { class: "allowed", fill: "none", d: `M${n(x - 7)},${n(high)}h14m-7,0V${n(low)}m-7,0h14` });
}

function drawMark(m: SweepMark, x: number, y: Scale): Shape {
  const band = m.low === null || m.high === null ? [] : [bracket(x, y.at(m.high), y.at(m.low))];
  const stated = m.y === null ? [] : [diamond(x, y.at(m.y))];
  return shape("g", { class: "stated-mark" }, shape("title", {}, m.title), ...band, ...stated);
}

/** Models first, reality last: what is drawn later lies above. */
function byReality(series: readonly SweepSeries[]): SweepSeries[] {
  return ORIGINS.flatMap((origin) => series.filter((s) => s.origin === origin));
}

/** A 12-pixel letter of the heavier weight, on average, and from a line of a panel's name to its next. */
const NAME_LETTER = 8;
const NAME_LINE = 15;
/** At most so many pixels a letter of an axis's name. */
const AXIS_LETTER = 7;

/** A panel's name in lines; none of one without a name. */
function panelName(panel: SweepPanel, width: number): string[] {
  return panel.name === "" ? [] : wrapped(panel.name, Math.floor(width / NAME_LETTER));
}

/** What lies within a frame, and a sign's width around it: of a part of y no more is seen. */
function within({ left, right, top, bottom }: Frame, id: string, parts: readonly Shape[]): Shape[] {
  const rect = shape("rect", { x: n(left - 8), y: n(top - 8), width: n(right - left + 60), height: n(bottom - top + 8) });
  return [shape("clipPath", { id }, rect), shape("g", { "clip-path": `url(#${id})` }, ...parts)];
}

function drawPanel(sweep: Sweep, panel: SweepPanel, frame: Frame, y: Scale, on: readonly string[], clip: string): Shape[] {
  const places = xPlaces(sweep.x, frame);
  const { left, right, bottom } = frame;
  const marks = panel.marks.map((m) => drawMark(m, places[m.x]!, y));
  // Marks never cover a point, nor does what a formula says; over a bar they would not be seen below it.
  const data = sweep.x.numbers === null ? [...drawBars(sweep, panel, places, y, frame), ...marks] : [...marks, ...byReality(panel.series).flatMap((s, i, all) => drawSeries(sweep, s, all.slice(i + 1), places, y))];
  const laws = sweep.x.numbers === null ? { curves: [], letters: [] } : drawLaws(sweep, panel, on, { ...frame, x: xScale(sweep.x, sweep.x.numbers, frame), y });
  return [
    ...panelName(panel, right - left).map((text, i, all) => shape("text", { class: "panel-name", x: n(left), y: n(frame.top - 12 - (all.length - 1 - i) * NAME_LINE) }, text)),
    ...y.ticks.flatMap((tick, i) => [
      shape("path", { class: "grid", d: `M${n(left)},${n(y.at(tick))}H${n(right)}` }),
      shape("text", { class: "tick", x: n(left - 7), y: n(y.at(tick) + 4), "text-anchor": "end" }, y.labels[i]!),
    ]),
    shape("path", { class: "axis-line", d: `M${n(left)},${n(bottom)}H${n(right)}` }),
    ...xLabels(sweep.x, places).shapes(bottom),
    ...laws.curves,
    ...(sweep.yRange === undefined ? data : within(frame, clip, data)),
    ...laws.letters,
  ];
}

/** What the drawing says, in words. */
export function describeSweep(sweep: Sweep): string {
  const said = sweep.panels.flatMap((p) => p.series.map((s) => {
    const of = [s.origin, p.name, format.point(sweep.colour?.steps[s.colour])].filter((t) => t !== "").join(", ");
    return `${of}: ${s.cells.map((c, i) => (c ? `${sweep.x.values[i]!} ${format.metric(sweep.metric, c.y)}` : "")).filter((t) => t !== "").join(", ")}`;
  }));
  return said.join(". ");
}

/** The keys that advance together with the quantity of an axis, by name. */
function withOthers(x: Key): string {
  const others = x.numbers === null ? [] : x.keys.map(format.keyName).filter((name) => name !== x.name);
  return others.length === 0 ? "" : `, together with ${others.join(", ")}`;
}

/** What is counted by keys whose values are plain numbers. */
const BARE: ReadonlyMap<string, string> = new Map([
  ["mtu", "bytes"], ["size", "bytes"], ["initial_window", "segments"], ["initial_ssthresh", "segments"], ["delayed_ack", "segments"],
]);

/** The unit of an axis whose values are written without one: ` in bytes` of an MTU. */
function bareUnit(x: Key): string {
  const key = x.numbers === null ? undefined : x.keys.find((k) => format.keyName(k) === x.name);
  const unit = BARE.get(key?.split(".").at(-1) ?? "");
  const plain = x.values.every((v) => /^[\d_.]+$/.test(v));
  return unit === undefined || !plain || x.name.includes(unit) ? "" : ` in ${unit}`;
}

/** Whether a logarithmic axis has 0 one step below its least decade. */
function hasFoot(sweep: Sweep): boolean {
  return sweep.log && (sweep.yRange === undefined || sweep.yRange[0] <= 0) && cellsOf(sweep).some((c) => c.y <= 0);
}

/** What a part of y leaves out. */
function partInWords(sweep: Sweep): string {
  if (sweep.yRange === undefined) return "";
  const left = outside(sweep);
  return left === 0 ? ", a part of the axis" : `, a part of the axis: ${left} of ${cellsOf(sweep).length} values lie outside`;
}

/** Where an axis begins that does not begin at 0, and of which nothing else says so. */
function startInWords(sweep: Sweep, ticks: readonly number[]): string {
  const least = ticks[0] ?? 0;
  return sweep.log || sweep.yRange !== undefined || least <= 0 ? "" : ", axis not from 0";
}

export interface SweepOptions {
  readonly id: string;
  readonly width: number;
  /** Names of the laws that are drawn. */
  readonly laws?: readonly string[];
}

/** The panels in a grid under one legend. */
export function drawSweep(sweep: Sweep, { id, width, laws = [] }: SweepOptions): Shape {
  const bars = sweep.x.numbers === null;
  const columns = Math.max(1, Math.min(COLUMNS, sweep.panels.length, Math.floor(width / PANEL)));
  const legend = drawLegend([...entries(sweep, bars), ...lawEntries(sweep, laws)], width, 12);
  const each = width / columns;
  const probe = yScale(sweep, { left: 0, right: 1, top: TOP, bottom: 200 });
  // Wide letters as in "300 MB" take more than the average, and some fonts have a wide space before a unit.
  const left = Math.max(34, ...probe.labels.map((label) => Math.max(label.length * LETTER, textWidth(label, TICK) + GAP))) + 10;
  // The last label of a quantity stands around the last value, which lies `INSET` from the axis's end.
  const after = bars ? 10 : Math.max(10, (sweep.x.values.at(-1)!.length * LETTER) / 2 - INSET + 4);
  const at = (column: number): Pick<Frame, "left" | "right"> => ({ left: column * each + left, right: (column + 1) * each - after });
  const below = xLabels(sweep.x, xPlaces(sweep.x, { ...at(0), top: 0, bottom: 0 })).room;
  const lines = Math.max(1, ...sweep.panels.map((panel) => panelName(panel, at(0).right - at(0).left).length));
  const names = 26 + (lines - 1) * NAME_LINE;
  const height = (sweep.panels.length === 1 ? ALONE : HEIGHT) - 56 + below + names - 26;
  const logs = [...(sweep.log ? ["y"] : []), ...(sweep.x.log ? ["x"] : [])];
  const broken = (axis: string): string[] => wrapped(axis, Math.floor(width / AXIS_LETTER));
  const above = broken(`${format.metricName(sweep.metric)}${sweep.log ? ", logarithmic axis" : ""}${hasFoot(sweep) ? " with 0 below it" : ""}${partInWords(sweep)}${startInWords(sweep, probe.ticks)}`);
  const under = broken(`${sweep.x.name}${bareUnit(sweep.x)}${withOthers(sweep.x)}${sweep.x.log ? ", logarithmic axis" : ""}`);
  const head = legend.height + 32 + (above.length - 1) * NAME_LINE;
  const rows = Math.ceil(sweep.panels.length / columns);
  const foot = head + rows * height + 22 + (under.length - 1) * NAME_LINE;
  const panels = sweep.panels.map((panel, i) => {
    const top = head + Math.floor(i / columns) * height + (panel.name === "" ? 4 : names);
    const frame: Frame = { ...at(i % columns), top, bottom: head + (Math.floor(i / columns) + 1) * height - below - 6 };
    return shape("g", { class: "panel", "data-panel": panel.name }, ...drawPanel(sweep, panel, frame, yScale(sweep, frame), laws, `${id}-part-${i}`));
  });
  const name = `${format.called(sweep.test)}: ${format.metricName(sweep.metric)} against ${sweep.x.name}`;
  return shape("svg", {
    class: "figure sweep-figure", viewBox: `0 0 ${n(width)} ${n(foot)}`, width: n(width), height: n(foot), role: "img",
    "aria-labelledby": `${id}-title ${id}-desc`, "data-log": logs.join(" "),
  },
    shape("title", { id: `${id}-title` }, name), shape("desc", { id: `${id}-desc` }, describeSweep(sweep)), ...legend.shapes,
    ...above.map((line, i) => shape("text", { class: "axis-name", x: 2, y: n(legend.height + 18 + i * NAME_LINE) }, line)),
    ...panels,
    ...under.map((line, i, all) => shape("text", { class: "axis-name", x: n(Math.max(width / 2, 0)), y: n(foot - 6 - (all.length - 1 - i) * NAME_LINE), "text-anchor": "middle" }, line)));
}
