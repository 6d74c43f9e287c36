// A chain of segments from one host, with the round trips to each point on it below: the points are where packets turn.

import * as format from "../format";
import { below, tables } from "../scenario";
import { n, shape, type Shape } from "../svg";
import type { ReportData, TestPath, TestRecord } from "../types";

export interface Segment {
  readonly link: string;
  readonly from: string;
  readonly to: string;
  /** The end of the link's label, which is its delay. */
  readonly delay: string;
  /** Chance of a cell to be lost on the way out, as the scenario sets it, and its words for that. */
  readonly loss: number;
  readonly words: string;
}

/** A round trip to one point: what was sent and what came back. */
export interface Loop {
  readonly to: string;
  /** Segments there. */
  readonly length: number;
  readonly rttNs: number;
  readonly sent: number;
  readonly lost: number;
}

const WIDTH = 900;
const MARGIN = 20;
const BOX = [96, 44] as const;
const CHAIN = 96;
const FIRST = 210;
const STEP = 42;
const TURN = 10;
/** Between where a lane turns and its words. */
const NOTE = 18;

/** The longest way of the report, link by link. */
export function segments(data: ReportData): Segment[] {
  const path = [...(data.paths ?? [])].sort((p, q) => q.forward.length - p.forward.length)[0];
  const all = tables(data.scenario.text ?? "");
  return (path?.forward ?? []).map((hop) => {
    const lossy = below(all, hop.link, "forward")[0];
    return {
      link: hop.link, from: hop.from, to: hop.to, loss: Number(lossy?.values["cell_loss"] ?? 0), words: lossy?.above ?? "",
      delay: data.topology?.links.find((link) => link.name === hop.link)?.label.split(" · ").at(-1) ?? "",
    };
  });
}

export function loops(data: ReportData): Loop[] {
  const one = (record: TestRecord): Loop[] => {
    const path = data.paths?.find((p: TestPath) => p.test === record.test);
    const { sent, received, rtt_min_ns: rttNs } = record.metrics;
    if (!path || typeof sent !== "number" || typeof received !== "number" || typeof rttNs !== "number") return [];
    return [{ to: record.to, length: path.forward.length, rttNs, sent, lost: sent - received }];
  };
  return data.document.records.filter((r) => r.origin === "simulated" && r.kind === "ping").flatMap(one)
    .sort((p, q) => p.length - q.length);
}

/** What all links have in common: the label without the delay. */
function common(data: ReportData): string {
  const kinds = new Set((data.topology?.links ?? []).map((link) => link.label.split(" · ").slice(0, -1).join(" · ")));
  return kinds.size === 1 ? [...kinds][0]! : "";
}

function drawSegment(segment: Segment, from: number, to: number): Shape {
  const middle = (from + to) / 2;
  const text = (y: number, words: string, look: string): Shape => shape("text", { class: `${look} halo`, x: n(middle), y, "text-anchor": "middle" }, words);
  return shape("g", {}, shape("path", { class: segment.loss === 0 ? "wire" : "wire bad", d: `M${n(from)},${CHAIN}H${n(to)}` }),
    text(CHAIN - 12, segment.delay, "muted"),
    ...(segment.loss === 0 ? [] : [
      shape("path", { class: "bad", d: `M${n(middle - 6)},${CHAIN - 6}l12,12m0,-12l-12,12` }),
      text(CHAIN + 42, segment.words.split(":")[0]!, "strong"), text(CHAIN + 58, `1 cell in ${format.count(Math.round(1 / segment.loss))}`, "strong"),
    ]));
}

function drawNode(name: string, x: number, host: boolean): Shape {
  const rect = { x: n(x), y: CHAIN - BOX[1] / 2, width: BOX[0], height: BOX[1] };
  return shape("g", {}, shape("rect", host ? { class: "node-host", ...rect, rx: 6 } : { class: "node-box", ...rect, rx: 4 }),
    shape("text", { class: host ? "on-ink" : "strong", x: n(x + BOX[0] / 2), y: CHAIN + 4, "text-anchor": "middle" }, name));
}

/** Out on the upper line, back on the lower one, with a turn under the point. */
function drawLoop(loop: Loop, i: number, from: number, turn: number): Shape {
  const y = FIRST + i * STEP;
  const tone = loop.lost === 0 ? "west" : "east";
  const lost = loop.lost === 0 ? `none of ${format.count(loop.sent)} lost` : `${format.count(loop.lost)} of ${format.count(loop.sent)} lost`;
  const words = `${loop.to}: ${format.delay(loop.rttNs, 3)}, ${lost}`;
  const outside = turn + NOTE + words.length * 6.6 < WIDTH - MARGIN;
  return shape("g", {}, shape("title", {}, words),
    shape("path", { class: `pass ${tone}`, style: "--mix:30%", d: `M${n(from)},${y - TURN}H${n(turn)}a${TURN},${TURN} 0 0 1 0,${2 * TURN}H${n(from + 8)}` }),
    shape("path", { class: `head ${tone}`, style: "--mix:30%", d: `M${n(from)},${y + TURN}l9,-4.5v9Z` }),
    outside ? shape("text", { class: "halo", x: n(turn + NOTE), y: y + 4 }, words)
      : shape("text", { class: "halo", x: n(turn - NOTE), y: y + 4, "text-anchor": "end" }, words));
}

/** The chain with its segments and the loops below; null where the report has none. */
export function drawSegments(data: ReportData, id: string): Shape | null {
  const chain = segments(data);
  const found = loops(data);
  if (chain.length === 0 || found.length === 0) return null;
  const names = [chain[0]!.from, ...chain.map((segment) => segment.to)];
  const step = (WIDTH - 2 * MARGIN - BOX[0]) / chain.length;
  const x = (i: number): number => MARGIN + i * step;
  const hosts = new Set((data.topology?.nodes ?? []).filter((node) => node.kind === "host").map((node) => node.name));
  const start = MARGIN + BOX[0] / 2;
  const height = FIRST + found.length * STEP;
  const said = found.map((loop) => `${loop.to}: ${format.count(loop.lost)} of ${format.count(loop.sent)} lost`).join(", ");
  const guides = found.map((loop, i) => shape("path", { class: "rule-line", d: `M${n(x(loop.length) + BOX[0] / 2)},${CHAIN + BOX[1] / 2}V${FIRST + i * STEP - TURN - 2}` }));
  return shape("svg", {
    class: "figure path-figure", viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height, role: "img", "aria-labelledby": `${id}-title ${id}-desc`,
  },
    shape("title", { id: `${id}-title` }, `From ${names[0]!} to ${names.at(-1)!} in ${chain.length} segments, and the loops over them`),
    shape("desc", { id: `${id}-desc` }, `Pings to ${said}`),
    shape("text", { class: "title", x: MARGIN, y: 40 }, `${chain.length} segments, each ${common(data)}`),
    shape("text", { class: "strong", x: MARGIN, y: FIRST - TURN - 16 }, "pings to each loopback"),
    ...guides, ...chain.map((segment, i) => drawSegment(segment, x(i) + BOX[0], x(i + 1))),
    ...names.map((name, i) => drawNode(name, x(i), hosts.has(name))),
    ...found.map((loop, i) => drawLoop(loop, i, start, x(loop.length) + BOX[0] / 2)));
}
