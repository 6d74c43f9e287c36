// Every figure of a run as SVG, drawn without a browser: farpath carries this script and runs it for `farpath figures`.

import style from "./src/figure.css?raw";
import { filesWith, nameRun, titleInFile, type Drawn } from "./src/drawn";
import { entitled, toStandalone } from "./src/export";
import { loadFigure, pathFigures } from "./src/section/path";
import { repeatFigures } from "./src/section/repeats";
import { timesFigures } from "./src/section/times";
import { sweepFigures } from "./src/section/sweep";
import { timedPoints, timeEnds, timeFigures } from "./src/section/time";
import { witnessFigures } from "./src/section/witnesses";
import { nameKeys, notMet, quantity, rangeOf, renameTexts, type Range } from "./src/format";
import { keyOf, sweptKeys, type Bars, type Look } from "./src/sweep";
import type { ReportData } from "./src/types";

/** As wide as those that a page gives, in pixels. */
const WIDTH = 960;

/** How the figures are to be drawn; what is left out is decided here. */
interface Options {
  readonly bars: Bars;
  /** In pixels; text keeps its size. */
  readonly width?: number;
  /** On the ground of a dark page; on white otherwise. */
  readonly dark?: boolean;
  /** Above every figure; empty for none. */
  readonly title?: string;
  /** What of the figures over time is drawn, in seconds since the start of the run. */
  readonly from?: number;
  readonly to?: number;
  readonly log?: Look["log"];
  /** Of quantities along x, as texts. */
  readonly range?: readonly [low: string, high: string];
  /** Of metrics along y, as texts. */
  readonly yRange?: readonly [low: string, high: string];
  /** Other words for names and values of axes, legends and titles. */
  readonly rename?: readonly (readonly [text: string, as: string])[];
  /** Names of the laws that are drawn over a sweep's figures, where they can be; `all` for those of its connections. */
  readonly laws?: readonly string[];
  /** Only figures whose names contain this are drawn, or those of the metric that it is but for its unit; the others have a name alone. */
  readonly name?: string;
}

interface Figures {
  readonly figures: readonly { readonly name: string; readonly svg: string }[];
  /** Why there are none, if what was asked for cannot be. */
  readonly refused?: string;
}

/** The span over time that was asked for; a text says why there is none. */
function spanOf(data: ReportData, { from, to }: Options): readonly [number, number] | undefined | string {
  if (from === undefined && to === undefined) return undefined;
  const end = timeEnds(data);
  if (end === 0) return "the run has no figure over time";
  const [low, high] = [from ?? 0, Math.min(to ?? end, end)];
  return low < high ? [low, high] : `what is drawn over time ends at ${end.toPrecision(4)} s`;
}

/** The range between two texts; a text says why there is none. */
function quantities(texts: readonly [low: string, high: string]): Range | string {
  if (texts.some((text) => quantity(text) === null)) return `${texts.join("..")} are not two quantities`;
  return rangeOf(...texts) ?? `${texts.join("..")} is no range of one kind from less to more`;
}

/** The range of y that was asked for; a text says why there is none. */
function yRangeOf(data: ReportData, { yRange, name }: Options): Look["yRange"] | string {
  if (yRange === undefined) return undefined;
  const found = quantities(yRange);
  if (typeof found === "string") return found;
  if (found[0].value === found[1].value) return `${yRange.join("..")} is no range: its ends are one`;
  if (sweptKeys(data.document.records).length === 0) return "nothing was swept";
  const figured = sweepFigures(data);
  const files = filesWith(name, figured.map((d) => d.file));
  const kinds = figured.filter((d) => files.has(d.file)).flatMap((d) => d.kind ?? []);
  return kinds.includes(found[0].kind) ? found : `no figure of the sweep${name === undefined ? "" : ` with ${name} in its name`} has such values along y: there are ${[...new Set(kinds)].join(", ") || "none"}`;
}

/** The range of x that was asked for; a text says why there is none. */
function xRangeOf(data: ReportData, { range }: Options): Look["range"] | string {
  if (range === undefined) return undefined;
  const found = quantities(range);
  if (typeof found === "string") return found;
  const { kind } = found[0];
  const { records } = data.document;
  const keys = sweptKeys(records).map((key) => keyOf([key], records));
  if (keys.length === 0) return "nothing was swept";
  const like = keys.some((k) => k.numbers !== null && k.values.some((v, i) => k.numbers![i] !== 0 && quantity(v)?.kind === kind));
  return like ? found : `no key of the sweep has such values: ${keys.map((k) => `${k.keys.join()} has ${k.values.slice(0, 3).join(", ")}`).join("; ")}`;
}

/** The law that asks for no losses. */
const WINDOW = "window";

/** The laws that were asked for; a text says why one of them is in no figure. */
function lawsOf(data: ReportData, { laws: asked, name }: Options): readonly string[] | undefined | string {
  if (asked === undefined || asked.length === 0) return undefined;
  const swept = sweptKeys(data.document.records);
  if (swept.length === 0) return "nothing was swept, and a law is drawn over a swept loss, delay, MTU or window";
  if ((data.runs ?? []).length > 0) return "a page of several runs has no laws: draw the figures of one run";
  const over = `the sweep of ${swept.join(", ")}`;
  if (data.laws === undefined) return `${over} changes none: laws are of the goodput of \`tcp\` tests over loss, delay, MTU or window (a run of an earlier version of farpath has none, either)`;
  const look: Look = { bars: "range" };
  const figured = sweepFigures(data, look);
  const files = filesWith(name, figured.map((d) => d.file));
  const offered = figured.flatMap((d) => (files.has(d.file) ? d.over?.of ?? [] : []));
  const known = [...new Set(offered.map((law) => law.name))];
  if (known.length === 0) return `no figure${name === undefined ? "" : ` with ${name} in its name`} has one: they are drawn over goodput_bps where that changes, against ${[...new Set(data.laws.map((l) => l.key))].join(", ")}`;
  const missing = asked.filter((law) => law !== "all" && !known.includes(law));
  if (missing.length > 0) {
    const none = missing.some((law) => law !== WINDOW) ? ", or has no value there, as a law of losses where nothing is lost" : "";
    return `${missing.join(", ")} does not change over ${over}${none}; what does is ${known.join(", ")}`;
  }
  if (!asked.includes("all")) return asked;
  const own = known.filter((law) => asked.includes(law) || offered.some((one) => one.name === law && one.apart !== true));
  if (own.length > 0) return own;
  const none = known.every((law) => law === WINDOW)
    ? `no law of losses changes over ${over} or has a value there, which takes losses, as \`loss\` or \`lose_every\` of a link; and no window is set`
    : "no connection has the congestion control of a law, or a window that is set";
  return `${none}; by name there are ${known.join(", ")}`;
}

function all(data: ReportData, look: Look, span: readonly [number, number] | undefined): Drawn[] {
  const load = loadFigure(data);
  return [
    ...pathFigures(data), ...(load === null ? [] : [load]), ...witnessFigures(data), ...sweepFigures(data, look), ...repeatFigures(data), ...timesFigures(data),
    ...timedPoints(data).flatMap((point) => timeFigures(data, point, span)),
  ];
}

function refusal(refused: string): string {
  return JSON.stringify({ figures: [], refused } satisfies Figures);
}

/** The figures with names of their own. */
function named(figures: readonly Drawn[]): (Drawn & { readonly name: string })[] {
  const taken = new Map<string, number>();
  return figures.map((one) => {
    const times = (taken.get(one.file) ?? 0) + 1;
    taken.set(one.file, times);
    return { ...one, name: times === 1 ? one.file : `${one.file}-${times}` };
  });
}

/** The figures of a report's JSON, as JSON of `Figures`; `options` are those of `Options`. */
function figures(report: string, options: string): string {
  const data = JSON.parse(report) as ReportData;
  const asked = JSON.parse(options) as Options;
  nameKeys(data.keys);
  nameRun(data.scenario.name);
  const [span, range, yRange, laws] = [spanOf(data, asked), xRangeOf(data, asked), yRangeOf(data, asked), lawsOf(data, asked)];
  if (typeof span === "string") return refusal(span);
  if (typeof range === "string") return refusal(range);
  if (typeof yRange === "string") return refusal(yRange);
  if (typeof laws === "string") return refusal(laws);
  const look: Look = { bars: asked.bars, ...(asked.log === undefined ? {} : { log: asked.log }), ...(range === undefined ? {} : { range }), ...(yRange === undefined ? {} : { yRange }), ...(laws === undefined ? {} : { laws }) };
  renameTexts(asked.rename ?? []);
  const every = named(all(data, look, span));
  const wanted = filesWith(asked.name, every.map(({ name }) => name));
  const drawn = every.map(({ name, draw, title }) => {
    if (!wanted.has(name)) return { name, svg: "" };
    const drawing = draw(asked.width ?? WIDTH);
    return { name, svg: toStandalone(entitled(drawing, asked.title ?? titleInFile(drawing, title)), style, asked.dark) };
  });
  const unknown = notMet();
  if (unknown.length > 0 && drawn.some((d) => d.svg !== "")) return refusal(`no figure of a sweep has the text ${unknown.join(", nor ")}`);
  return JSON.stringify({ figures: drawn } satisfies Figures);
}

Object.assign(globalThis, { farpathFigures: figures });
