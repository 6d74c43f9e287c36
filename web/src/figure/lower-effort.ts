// What less than best effort loses and what best effort keeps, against the load of the former.

import * as format from "../format";
import { shape, type Shape } from "../svg";
import type { ReportData, TestRecord } from "../types";
import { drawChart, type Chart, type Curve, type Mark } from "./chart";

const WIDTH = 900;
const UPPER = 330;
const LOWER = 190;
const NAMES = 208;

export interface LowerEffort {
  /** The swept test whose loss is drawn. */
  readonly flood: string;
  /** What best effort leaves of the port, bit/s. */
  readonly leftBps: number;
}

type Points = [x: number, y: number][];

/** The swept load of a record, bit/s. */
function load(record: TestRecord): number | null {
  const written = Object.entries(record.point).find(([key]) => key.split(".").at(-1) === "rate")?.[1];
  return written === undefined ? null : format.quantity(written)?.value ?? null;
}

function against(records: readonly TestRecord[], metric: string): Points {
  return records.flatMap((record): Points => {
    const [x, y] = [load(record), record.metrics[metric]];
    return x !== null && typeof y === "number" ? [[x, y]] : [];
  }).sort((p, q) => p[0] - q[0]);
}

/** The losses a document prints, as diamonds: "from A % to B %" belongs to the least and the greatest load. */
export function printed(data: ReportData, test: string, loads: readonly number[]): Mark[] {
  const both = /([\d.]+)\s*% to ([\d.]+)\s*%/;
  const found = data.document.expectations.filter((e) => e.metric === `${test}.loss_ratio`)
    .flatMap((e) => both.exec(e.stated ?? "") ?? [])[0];
  const [, least, most] = both.exec(found ?? "") ?? [];
  if (least === undefined || most === undefined || loads.length === 0) return [];
  return ([[Math.min(...loads), least], [Math.max(...loads), most]] as const).map(([x, percent]): Mark =>
    ({ x, y: Number(percent) / 100, title: `printed: ${percent} %`, name: `${percent}\u202f%` }));
}

/** The formula: all beyond what is left is lost. */
export function law(leftBps: number, from: number, to: number): Points {
  return Array.from({ length: 61 }, (_, i) => from + ((to - from) * i) / 60).map((x) => [x, Math.max(0, 1 - leftBps / x)]);
}

function kept(data: ReportData, flood: string): Curve[] {
  const records = data.document.records.filter((r) => r.origin === "simulated" && r.kind === "tcp" && r.test !== flood);
  return [...new Set(records.map((r) => r.test))].map((test, i): Curve => {
    const points = against(records.filter((r) => r.test === test), "goodput_bps");
    const rates = points.map((p) => p[1] / 1e6);
    const [low, high] = [Math.min(...rates).toFixed(1), Math.max(...rates).toFixed(1)];
    const marks = i % 2 === 0 ? "square" as const : "round" as const;
    // Streams that get the same are named in their order.
    const labelAt = Math.max(...rates) * 1e6 * (1 - i / 100);
    return { name: test, detail: `${low === high ? low : `${low} to ${high}`}\u202fMbit/s, ${marks === "square" ? "squares" : "dots"}`, points, tone: "west", marks, labelAt };
  });
}

/** Loss above, best effort's goodput below, over one axis; null without a sweep over the flood's rate. */
export function drawLowerEffort(data: ReportData, { flood, leftBps }: LowerEffort, id: string): Shape | null {
  const lost = against(data.document.records.filter((r) => r.origin === "simulated" && r.test === flood), "loss_ratio");
  const streams = kept(data, flood);
  if (lost.length < 2 || streams.length === 0) return null;
  const loads = lost.map((p) => p[0]);
  const marks = printed(data, flood, loads);
  const formula = law(leftBps, loads[0]!, loads.at(-1)!);
  const left = (leftBps / 1e6).toFixed(1);
  const common = {
    width: WIDTH, xTicks: loads, namesWidth: NAMES, xFormat: (v: number) => format.compact((v / 1e6).toFixed(2)),
  };
  const upper: Chart = {
    ...common, id: `${id}-loss`, title: "Loss of less than best effort", describe: "", height: UPPER, marks, xName: "",
    curves: [
      { name: `1 − ${left} / load`, detail: "what best effort leaves", points: formula, tone: "plain-way", dashed: true, labelAt: 0.58 },
      { name: "less than best effort", detail: "simulated", points: lost, tone: "east", marks: "round", bare: true },
    ],
    yName: "lost: dots simulated, dashed the formula, diamonds printed in the slides", yFormat: (v) => `${format.compact((v * 100).toFixed(1))}\u202f%`,
  };
  const lower: Chart = {
    ...common, id: `${id}-kept`, title: "Goodput of best effort", describe: "", height: LOWER, curves: streams, xName: "load of less than best effort, Mbit/s",
    yName: "goodput of each stream of best effort", yFormat: (v) => format.rate(v, 3),
  };
  const beneath = drawChart(lower);
  const said = lost.map(([x, y]) => `${format.rate(x)} ${format.share(y)}`).join(", ");
  return shape("svg", {
    class: "figure chart-figure", viewBox: `0 0 ${WIDTH} ${UPPER + LOWER}`, width: WIDTH, height: UPPER + LOWER,
    role: "img", "aria-labelledby": `${id}-title ${id}-desc`,
  },
    shape("title", { id: `${id}-title` }, "Loss of less than best effort against its load, and what best effort keeps"),
    shape("desc", { id: `${id}-desc` }, `Lost: ${said}. ${streams.map((c) => `${c.name}: ${c.detail ?? ""}`).join(". ")}`),
    drawChart(upper), { ...beneath, attributes: { ...beneath.attributes, y: UPPER } });
}
