// One cut, and the window each origin saw: a panel for each sweep point, its curves laid over each other from the cut on.

import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";

import * as format from "../format";
import { n, shape, type Shape } from "../svg";
import { ORIGINS, type Certificate, type LinkRecord, type Origin, type TestRecord } from "../types";

type Corner = readonly [seconds: number, bytes: number];

/** A congestion window from its cut to the end of the recovery, no more than the old window of it. */
export interface Seen {
  readonly origin: Origin;
  readonly points: readonly Corner[];
  readonly old: number;
}

export interface Panel {
  readonly name: string;
  readonly seen: readonly Seen[];
  /** What is said below the name: how far the curves lie apart. */
  readonly apart: readonly string[];
  /** How far the emulated run may be believed. */
  readonly belief: string;
  readonly cause: Cause;
  /** Where more than one segment was lost, or none: what was sent again. */
  readonly again: string;
}

/** What cut the windows: a segment that the scenario names is the same for all, one that was lost alone is one for each. */
export type Cause = "the same lost segment" | "one lost segment" | "a cut";

/** What counts as back at the old window. */
const WHOLE = 0.999;
/** Changes smaller than this share of the old window are not drawn. */
const FINE = 1 / 300;
const NAMES: Readonly<Record<Origin, string>> = {
  predicted: "formula", simulated: "model", emulated: "kernel", measured: "measured", captured: "captured",
};
const TONES: Readonly<Record<Origin, string>> = { predicted: "plain-way dashed", simulated: "west", emulated: "east", measured: "line-2", captured: "line-4" };

/** What a record saw of the loss; null where its window was not cut just once. */
export function seen(record: TestRecord): Seen | null {
  const series = record.series["cwnd_bytes"];
  const [cut, old] = [record.metrics["cut_s"], record.metrics["cwnd_before_bytes"]];
  if (!series || typeof cut !== "number" || typeof old !== "number") return null;
  const together = 2 * (record.metrics["rtt_min_ns"] ?? 0) / 1e9;
  const all = series.t_ns.map((t, i): Corner => [t / 1e9 - cut, Math.min(series.v[i] ?? 0, old)]).filter(([t]) => t >= -1e-9);
  const back = all.findIndex(([t, v]) => t >= together && v >= old * WHOLE);
  return { origin: record.origin, old, points: thinned(back < 0 ? all : all.slice(0, back + 1), old * FINE) };
}

/** The corners of a curve: what changes by less than `step` since the last one is left out. */
export function thinned(points: readonly Corner[], step: number): Corner[] {
  const kept: Corner[] = [];
  points.forEach((point, i) => {
    const [last, before, next] = [kept.at(-1), points[i - 1], points[i + 1]];
    const moved = last === undefined || Math.abs(point[1] - last[1]) >= step;
    // Where a level stretch ends its last point is a corner.
    if (moved && last !== undefined && before !== undefined && before !== last && Math.abs(point[1] - before[1]) >= step / 2) kept.push(before);
    if (moved || next === undefined) kept.push(point);
  });
  return kept;
}

/** What the certificate says, in a line that fits under a panel. */
export function believed(c: Certificate): string {
  const drops = Object.values(c.unordered_drops).reduce((sum, v) => sum + v, 0);
  return `certificate ${c.valid ? "valid" : "INVALID"}: lateness p99 ${(c.lateness_p99_ns / 1e6).toFixed(3)} ms, ${drops} unordered drops`;
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(2)} %`;
}

/** NRMSE of each origin against each before it: `to the formula: model 0.52 %, kernel 0.90 %`. */
function distances(records: readonly TestRecord[]): string[] {
  return ORIGINS.flatMap((reference) => {
    const to = records.flatMap((r) => {
      const nrmse = r.metrics[`cwnd_nrmse_${reference}_ratio`];
      return typeof nrmse === "number" ? [`${NAMES[r.origin]} ${percent(nrmse)}`] : [];
    });
    return to.length === 0 ? [] : [`NRMSE to the ${NAMES[reference]}: ${to.join(", ")}`];
  });
}

function idOf(point: TestRecord["point"]): string {
  return JSON.stringify(Object.entries(point).sort());
}

/** The links of the run that a record is of. */
function beside(record: TestRecord, links: readonly LinkRecord[]): LinkRecord[] {
  return links.filter((l) => l.origin === record.origin && (l.repeat ?? 0) === record.repeat && idOf(l.point) === idOf(record.point));
}

/** How many segments a connection lost, as far as that is known: one where its links dropped one frame, or else what was sent again. */
function lostBy(record: TestRecord, links: readonly LinkRecord[]): number | null {
  const dropped = beside(record, links).flatMap((l) => Object.values(l.drops)).reduce((sum, v) => sum + v, 0);
  return dropped === 1 ? 1 : (record.metrics["retransmits"] ?? null);
}

/** What cut the windows of these records; a formula's is that of the others. */
function causeOf(records: readonly TestRecord[], links: readonly LinkRecord[]): Cause {
  if (records.length === 0 || records.some((r) => lostBy(r, links) !== 1)) return "a cut";
  const scripted = (r: TestRecord): boolean => beside(r, links).some((l) => (l.drops["scripted"] ?? 0) > 0);
  return records.every(scripted) ? "the same lost segment" : "one lost segment";
}

/** `sent again in the whole test: model 317, kernel 290 segments`; nothing where it is not known. */
function sentAgain(records: readonly TestRecord[]): string {
  const known = records.flatMap((r) => {
    const again = r.metrics["retransmits"];
    return typeof again === "number" ? [`${NAMES[r.origin]} ${again}`] : [];
  });
  return known.length === 0 ? "" : `sent again in the whole test: ${known.join(", ")} segments`;
}

/** A panel for each sweep point at which at least two origins saw one cut. */
export function panels(records: readonly TestRecord[], links: readonly LinkRecord[] = []): Panel[] {
  const points: TestRecord["point"][] = [];
  for (const { point } of records) if (!points.some((p) => idOf(p) === idOf(point))) points.push(point);
  return points.flatMap((point): Panel[] => {
    const mine = records.filter((r) => idOf(r.point) === idOf(point) && r.repeat === 0);
    const all = mine.flatMap((r) => seen(r) ?? []).sort((p, q) => ORIGINS.indexOf(p.origin) - ORIGINS.indexOf(q.origin));
    if (all.length < 2) return [];
    const certificate = mine.find((r) => r.certificate)?.certificate;
    const ran = mine.filter((r) => r.origin !== "predicted" && seen(r) !== null);
    const cause = causeOf(ran, links);
    return [{
      name: Object.values(point).join(" ") || (mine[0]?.test ?? ""), seen: all, apart: distances(mine), belief: certificate ? believed(certificate) : "",
      cause, again: cause === "a cut" ? sentAgain(ran) : "",
    }];
  });
}

/** What cut the windows of all panels. */
export function causeOfAll(all: readonly Panel[]): Cause {
  const [first, ...others] = [...new Set(all.map((p) => p.cause))];
  return first === undefined || others.length > 0 ? "a cut" : first;
}

/** Two panels stand side by side where each is at least this wide. */
const PANEL = 330;
const HEIGHT = 276;
const LEFT = 58;
const TOP = 64;
const BOTTOM = 58;
const RIGHT = 18;
/** From one line below a panel to the next; the first has its place in the height. */
const LINE = 15;
/** In narrower panels sentences begin at the edge, left of the axis. */
const SLIM = 420;
/** A 12-pixel letter, on average. */
const LETTER = 6.2;

function axes(x: (v: number) => number, y: (v: number) => number, ticks: readonly [readonly number[], readonly number[]], right: number): Shape[] {
  const bottom = HEIGHT - BOTTOM;
  return [
    ...ticks[1].flatMap((tick) => [
      shape("path", { class: "grid", d: `M${LEFT},${n(y(tick))}H${n(right)}` }),
      shape("text", { class: "tick", x: LEFT - 6, y: n(y(tick) + 4), "text-anchor": "end" }, tick === 0 ? "0" : format.compact(format.size(tick, 2))),
    ]),
    shape("path", { class: "axis-line", d: `M${LEFT},${n(bottom)}H${n(right)}` }),
    ...ticks[0].flatMap((tick) => [
      shape("path", { class: "axis-line", d: `M${n(x(tick))},${n(bottom)}v4` }),
      shape("text", { class: "tick", x: n(x(tick)), y: n(bottom + 16), "text-anchor": "middle" }, `${tick} s`),
    ]),
  ];
}

/** Where a panel's sentences begin. */
function startOf(width: number): number {
  return width < SLIM ? 2 : LEFT;
}

/** What stands below a panel, in lines that fit. */
function below(panel: Panel, width: number): string[] {
  const letters = Math.floor((width - RIGHT - startOf(width)) / LETTER);
  return [panel.belief, panel.again].filter((text) => text !== "").flatMap((text) => wrapped(text, letters));
}

function draw(panel: Panel, width: number): Shape[] {
  const right = width - RIGHT;
  const start = startOf(width);
  const last = Math.max(...panel.seen.flatMap((s) => s.points.map((p) => p[0])));
  const top = Math.max(...panel.seen.map((s) => s.old));
  const x = scaleLinear().domain([0, last]).range([LEFT, right]);
  const y = scaleLinear().domain([0, top]).nice(3).range([HEIGHT - BOTTOM, TOP]);
  const curve = line<Corner>().x((p) => x(p[0])).y((p) => y(p[1])).digits(1);
  const widths: Partial<Record<Origin, number>> = { emulated: 5, simulated: 2, predicted: 1.4 };
  // The kernel lies lowest and widest, so that what covers it can be seen through.
  const strokes = [...panel.seen].reverse().map((s) => shape("path", {
    class: `curve ${TONES[s.origin]}`, style: `--mix:60%;stroke-width:${widths[s.origin] ?? 2}`, d: curve(s.points as Corner[]) ?? "",
  }));
  return [
    shape("text", { class: "title", x: LEFT, y: 18 }, panel.name),
    ...panel.apart.map((text, i) => shape("text", { class: "muted", x: start, y: 35 + 15 * i }, text)),
    ...axes(x, y, [x.ticks(5), y.ticks(3)], right), ...strokes,
    ...below(panel, width).map((text, i) => shape("text", { class: "tick", x: start, y: HEIGHT - BOTTOM + 34 + LINE * i }, text)),
  ];
}

/** The words in lines of at most `letters`. */
export function wrapped(text: string, letters: number): string[] {
  return text.split(" ").reduce<string[]>((lines, word) => {
    const last = lines.at(-1);
    return last === undefined || last.length + 1 + word.length > letters ? [...lines, word] : [...lines.slice(0, -1), `${last} ${word}`];
  }, []);
}

function legend(origins: readonly Origin[], cause: Cause, width: number): Shape[] {
  const rows = origins.map((origin, i) => shape("g", {},
    shape("path", { class: `curve ${TONES[origin]}`, style: `--mix:60%;stroke-width:${origin === "emulated" ? 5 : 2}`, d: `M${LEFT},${TOP + 22 * i}h40` }),
    shape("text", { class: "strong", x: LEFT + 50, y: TOP + 4 + 22 * i }, NAMES[origin]),
    shape("text", { class: "muted", x: LEFT + 120, y: TOP + 4 + 22 * i }, origin)));
  const from = TOP + 22 * origins.length + 14;
  const lines = wordsOf(cause).flatMap((text) => wrapped(text, Math.min(60, Math.floor((width - LEFT) / LETTER))));
  return [shape("g", {}, ...rows), ...lines.map((text, i) => shape("text", { class: "muted", x: LEFT, y: from + 16 * i }, text))];
}

export interface Options {
  readonly id: string;
  readonly width: number;
  /** What the links of the run dropped tells whether one segment was lost, and whether the scenario names it. */
  readonly links: readonly LinkRecord[];
}

function wordsOf(cause: Cause): string[] {
  return [
    `Congestion window after ${cause}, from the cut until all are back at the old window or the run ends.`,
    "NRMSE: root of the mean squared difference over that time, as a share of the old window.",
  ];
}

/** Panels side by side with one legend; null where no two origins saw one cut. */
export function drawWitnesses(records: readonly TestRecord[], { id, width, links }: Options): Shape | null {
  const all = panels(records, links);
  if (all.length === 0) return null;
  const cause = causeOfAll(all);
  const columns = width < 2 * PANEL ? 1 : 2;
  const each = width / columns;
  const origins = ORIGINS.filter((o) => all.some((p) => p.seen.some((s) => s.origin === o)));
  const rows = Math.ceil((all.length + 1) / columns);
  const height = HEIGHT + LINE * (Math.max(1, ...all.map((p) => below(p, each).length)) - 1);
  const cell = (i: number, ...children: Shape[]): Shape =>
    shape("g", { transform: `translate(${n((i % columns) * each)},${n(Math.floor(i / columns) * height)})` }, ...children);
  const describe = all.map((p) => [p.name, ...p.apart, p.belief, p.again].filter((text) => text !== "").join("; ")).join(". ");
  return shape("svg", {
    class: "figure witnesses", viewBox: `0 0 ${width} ${rows * height}`, width, height: rows * height, role: "img", "aria-labelledby": `${id}-title ${id}-desc`,
  },
    shape("title", { id: `${id}-title` }, `Windows after ${cause === "a cut" ? cause : "one lost segment"}, by formula, model and kernel`), shape("desc", { id: `${id}-desc` }, describe),
    ...all.map((panel, i) => cell(i, ...draw(panel, each))), cell(all.length, ...legend(origins, cause, each)));
}
