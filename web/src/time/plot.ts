// A plot over time: uPlot, configured with our colours, units and shared cursor.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { h } from "../dom";
import { exports } from "../drawn";
import { ticks } from "../format";
import { isOnPaper, onRedraw, PAPER_WIDTH } from "../paper";
import { toDom } from "../svg";
import type { Follower, TimeBus } from "./bus";
import { drawTime } from "./drawing";
import { apart, colourOf, dashOf, isDense, isHollow, roomFor, startOf, type TimePlot, type TimeSeries } from "./series";

const HEIGHT = 232;
/** More series have a legend that is scrolled, and pushes nothing away. */
const MANY = 12;

/** A colour of the style sheet, as it is now. */
function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function tint(s: TimeSeries | undefined): string {
  return colour(`--${(s && colourOf(s)) || "muted"}`);
}

function join(series: readonly TimeSeries[]): uPlot.AlignedData {
  const tables = series.map((s): uPlot.AlignedData => [s.t_ns.map((t) => t / 1e9), [...s.v]]);
  return uPlot.join(tables);
}

function line(s: TimeSeries, format: TimePlot["format"]): uPlot.Series {
  const stepped = s.stepped ? uPlot.paths.stepped?.({ align: -1 }) : undefined;
  return {
    label: s.name, width: s.reference ? 1.5 : 2, dash: [...dashOf(s)], stroke: () => tint(s), spanGaps: false,
    points: { show: s.points === true, size: isDense(s) ? 3 : 8, fill: () => (isHollow(s) ? colour("--ground") : tint(s)), width: isDense(s) ? 1 : 2 },
    ...(stepped ? { paths: stepped } : {}),
    ...(s.points ? { paths: () => null } : {}),
    value: (_u, value) => (typeof value === "number" ? format(value) : ""),
  };
}

/** A line's dash as a border of the legend can show it. */
function border(s: TimeSeries | undefined): string {
  if (!s) return "solid";
  return s.points || s.dash % 4 === 2 ? "dotted" : s.dash === 0 && !s.reference ? "solid" : "dashed";
}

function axis(values: (splits: number[]) => string[], size: number, side: 2 | 3): uPlot.Axis {
  return {
    side, size, stroke: () => colour("--muted"), font: "11px system-ui, sans-serif", space: side === 3 ? 32 : 60,
    grid: { stroke: () => colour("--faint"), width: 1 }, ticks: { stroke: () => colour("--rule"), width: 1, size: 5 },
    values: (_u, splits) => values(splits),
  };
}

/** The plot in its frame; it follows the frame's width and the bus. Its file has the span that is shown. */
export function timePlot(given: TimePlot, bus: TimeBus, file: string, title = given.title): HTMLElement {
  const plot = { ...given, series: apart(given.series) };
  const values = plot.series.flatMap((s) => s.v.filter((v): v is number => v !== null));
  // Of very many values, which no call takes as its arguments.
  const ends = [Math.min, Math.max].map((end) => values.reduce((a, b) => end(a, b), values[0] ?? 0));
  const start = startOf(ends, plot.fromZero);
  const hint = [plot.hint, start === "" ? undefined : `Vertical ${start}.`, plot.note].filter((text) => text !== undefined).join(" ");
  const holder = h("div", { class: plot.series.length > MANY ? "time-holder many" : "time-holder" });
  const paper = h("div", { class: "drawing time-paper" });
  const figure = h("figure", { class: "time-plot" }, h("div", { class: "figure-head" }, h("figcaption", {}, plot.title,
    hint === "" ? null : h("span", { class: "plot-hint" }, ` ${hint}`)), exports(file, (width) => drawTime(plot, told, { id: file, width }), title)), holder, paper);
  // uPlot reports a new span later than it is given one; what it was given is not passed on again.
  const data = join(plot.series);
  const [first, last] = bus.whole;
  let told: [number, number] = [first, last];
  // A span of single segments would show nothing of a curve of intervals: some of them stay in sight.
  const least = 8 * Math.min(...plot.series.filter((s) => !s.reference).map((s) => (s.t_ns.at(-1)! - s.t_ns[0]!) / 1e9 / Math.max(1, s.t_ns.length - 1)));
  const wide = ([from, to]: readonly [number, number]): [number, number] => {
    const room = Math.max(0, least - (to - from)) / 2;
    return [from - room, to + room];
  };
  const follower: Follower = {
    cursor(seconds) {
      const left = seconds === null ? -10 : chart.valToPos(seconds, "x");
      chart.setCursor({ left, top: seconds === null ? -10 : 0 }, false);
    },
    span(span) {
      told = span ? wide(span) : [first, last];
      chart.setScale("x", { min: told[0], max: told[1] });
    },
  };
  const range: uPlot.Range.Function = (_u, low, high) => roomFor(low === null || high === null ? [] : [low, high], plot.fromZero);
  const options: uPlot.Options = {
    width: 600, height: HEIGHT, scales: { x: { time: false, min: first, max: last }, y: { range } },
    axes: [axis((splits) => splits.map((v) => `${v} s`), 34, 2), axis((splits) => ticks(splits, plot.format), 84, 3)],
    series: [{ label: "at", value: (_u, v) => (typeof v === "number" ? `${v.toFixed(3)} s` : "") }, ...plot.series.map((s) => line(s, plot.format))],
    cursor: { y: false, points: { size: 8, fill: (_u, i) => tint(plot.series[i - 1]) }, drag: { x: true, y: false },
      bind: { dblclick: () => () => { chart.setScale("x", { min: first, max: last }); return null; } } },
    legend: { markers: { width: 2, dash: (_u, i) => border(plot.series[i - 1]) } },
    hooks: {
      setCursor: [(u) => bus.cursor(follower, u.cursor.left !== undefined && u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null)],
      setScale: [(u, key) => {
        const { min, max } = u.scales["x"] ?? {};
        if (key !== "x" || typeof min !== "number" || typeof max !== "number") return;
        if (min === told[0] && max === told[1]) return;
        told = [min, max];
        bus.span(follower, min <= first && max >= last ? null : told);
      }],
    },
  };
  const chart = new uPlot(options, data, holder);
  bus.join(follower);
  new ResizeObserver(() => resize()).observe(holder);
  const resize = (): void => {
    const width = Math.floor(holder.clientWidth);
    if (width > 0 && width !== chart.width) chart.setSize({ width, height: HEIGHT });
  };
  const redraw = (): void => chart.redraw(false, true);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // A canvas keeps the width it was drawn for: paper has the drawing instead, its title and note in the caption above.
  onRedraw(() => paper.replaceChildren(...(isOnPaper() ? [toDom(drawTime(plot, told, { id: file, width: PAPER_WIDTH, isBare: true }))] : [])));
  chart.root.setAttribute("role", "img");
  chart.root.setAttribute("aria-label", `${plot.title}: ${plot.series.map((s) => s.name).join(", ")}`);
  return figure;
}
