// A test bed: hosts and routers in columns, each flow a lane in the colour of its class, and the port where they meet
// with its queues.

import { below, tables, type Table } from "../scenario";
import { n, shape, type Shape } from "../svg";
import type { ReportData, TestPath } from "../types";
import * as format from "../format";

/** What goes from one host to another in one class, of however many tests. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  /** Of the port's queue. */
  readonly queue: string;
  readonly nodes: readonly string[];
}

export interface Queue {
  readonly name: string;
  readonly weight: number;
  readonly offered: number;
  readonly lost: number;
}

interface Box {
  readonly name: string;
  readonly note: string;
  readonly host: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const WIDTH = 900;
const MARGIN = 16;
const TOP = 34;
const ROW = 74;
const HOST = [50, 36] as const;
const ROUTER = [100, 150] as const;
const PITCH = 11;
/** Widths of the gaps to each other: beside a host, between routers, with the port in it. */
const GAPS = { host: 0.8, router: 1.3, port: 2.6 } as const;
/** The queues in their gap: their distance from the node, their size, and how far they stand apart. */
const QUEUE = { x: 44, width: 92, height: 46, gap: 16, server: 42, radius: 20 } as const;
const TONES = ["west", "east"] as const;

/** The queue of a test: `csN` is CoS N, and no class is 0. */
function queueOf(test: Table, classes: readonly Table[]): string {
  const cos = /^cs([0-7])$/.exec(test.values["class"] ?? "cs0")?.[1] ?? "0";
  return classes.find((c) => (c.values["cos"] ?? "").match(/\d/g)?.includes(cos))?.values["name"] ?? "";
}

export function flows(paths: readonly TestPath[], all: readonly Table[], port: string): Flow[] {
  const classes = below(all, port, "forward.class");
  const found = new Map<string, Flow>();
  for (const path of paths) {
    const test = all.find((t) => t.header === "test" && t.values["name"] === path.test);
    if (!test) continue;
    const queue = queueOf(test, classes);
    found.set(`${path.from} ${path.to} ${queue}`, { from: path.from, to: path.to, queue, nodes: [path.from, ...path.forward.map((hop) => hop.to)] });
  }
  return [...found.values()];
}

/** The queues of the link's forward direction with what the run lost of each. */
export function queues(data: ReportData, all: readonly Table[], port: string): Queue[] {
  const counted = data.document.links.filter((l) => l.link === port).flatMap((l) => l.queues ?? []);
  return below(all, port, "forward.class").map((table) => {
    const mine = counted.filter((q) => q.class === table.values["name"]);
    const sum = (of: (q: (typeof mine)[number]) => number): number => mine.reduce((total, q) => total + of(q), 0);
    return {
      name: table.values["name"] ?? "", weight: Number(table.values["weight"] ?? 1),
      offered: sum((q) => q.offered), lost: sum((q) => Object.values(q.drops).reduce((p, d) => p + d, 0)),
    };
  });
}

/** Columns in the order of the flows' nodes; each with its nodes from the top. */
function ranks(data: ReportData, all: readonly Flow[]): string[][] {
  const rank = (name: string): number => Math.max(-1, ...all.map((flow) => flow.nodes.indexOf(name)));
  const rows: string[][] = [];
  for (const { name } of data.topology?.nodes ?? []) {
    const at = rank(name);
    if (at < 0) continue;
    while (rows.length <= at) rows.push([]);
    rows[at]!.push(name);
  }
  return rows;
}

function place(data: ReportData, all: readonly Flow[], words: readonly Table[], port: readonly string[]): Map<string, Box> {
  const rows = ranks(data, all);
  const hosts = new Set((data.topology?.nodes ?? []).filter((node) => node.kind === "host").map((node) => node.name));
  const size = (name: string): readonly [number, number] => (hosts.has(name) ? HOST : ROUTER);
  const widths = rows.map((row) => Math.max(...row.map((name) => size(name)[0])));
  const gaps = rows.slice(1).map((row, i) => {
    if (rows[i]!.includes(port[0] ?? "") && row.includes(port[1] ?? "")) return GAPS.port;
    return [...row, ...rows[i]!].some((name) => hosts.has(name)) ? GAPS.host : GAPS.router;
  });
  const unit = (WIDTH - 2 * MARGIN - widths.reduce((p, w) => p + w, 0)) / Math.max(1, gaps.reduce((p, g) => p + g, 0));
  const most = Math.max(...rows.map((row) => row.length));
  const middle = TOP + Math.max(ROUTER[1], most * ROW) / 2;
  const boxes = new Map<string, Box>();
  let x = MARGIN;
  for (const [c, row] of rows.entries()) {
    for (const [i, name] of row.entries()) {
      const [width, height] = size(name);
      const y = middle + (i - (row.length - 1) / 2) * ROW - height / 2;
      const note = words.find((t) => ["host", "router"].includes(t.header) && t.values["name"] === name)?.beside ?? "";
      boxes.set(name, { name, note, host: hosts.has(name), x, y, width, height });
    }
    x += widths[c]! + (gaps[c] ?? 0) * unit;
  }
  return boxes;
}

function drawBox(box: Box): Shape {
  const middle = n(box.x + box.width / 2);
  const rect = { x: n(box.x), y: n(box.y), width: n(box.width), height: n(box.height) };
  if (box.host) {
    return shape("g", {}, shape("rect", { class: "node-host", ...rect, rx: 6 }),
      shape("text", { class: "on-ink", x: middle, y: n(box.y + box.height / 2 + 4), "text-anchor": "middle" }, box.name));
  }
  return shape("g", {}, shape("rect", { class: "node-box", ...rect, rx: 4 }),
    shape("text", { class: "title", x: middle, y: n(box.y - 26), "text-anchor": "middle" }, box.name),
    shape("text", { class: "muted", x: middle, y: n(box.y - 10), "text-anchor": "middle" }, box.note));
}

/** Where a flow stands among all where they run beside each other. */
function offset(index: number, count: number): number {
  return (index - (count - 1) / 2) * PITCH;
}

/** Where the queues stand, and who serves them. */
interface Port {
  readonly from: string;
  readonly x: number;
  /** Middles of the queues by name. */
  readonly queues: ReadonlyMap<string, number>;
  readonly serverX: number;
  readonly middle: number;
}

function portOf(from: Box, served: readonly Queue[]): Port {
  const x = from.x + from.width + QUEUE.x;
  const middle = from.y + from.height / 2;
  const queues = served.map((q, i) => [q.name, middle + (i - (served.length - 1) / 2) * (QUEUE.height + QUEUE.gap)] as const);
  return { from: from.name, x, queues: new Map(queues), serverX: x + QUEUE.width + QUEUE.server, middle };
}

function curve(x0: number, y0: number, x1: number, y1: number): string {
  const half = (x1 - x0) / 2;
  return `C${n(x0 + half)},${n(y0)} ${n(x1 - half)},${n(y1)} ${n(x1)},${n(y1)}`;
}

function drawFlow(flow: Flow, all: readonly Flow[], boxes: Map<string, Box>, port: Port, tone: string): Shape {
  const through = flow.nodes.flatMap((name) => boxes.get(name) ?? []);
  // A host has but the flows of its own beside each other.
  const y = (box: Box): number => {
    const beside = box.host ? all.filter((f) => f.from === box.name || f.to === box.name) : all;
    return box.y + box.height / 2 + offset(beside.indexOf(flow), beside.length);
  };
  const fellows = all.filter((f) => f.queue === flow.queue);
  const queueY = (port.queues.get(flow.queue) ?? port.middle) + offset(fellows.indexOf(flow), fellows.length);
  let d = `M${n(through[0]!.x + through[0]!.width)},${n(y(through[0]!))}`;
  for (const [i, box] of through.slice(0, -1).entries()) {
    const next = through[i + 1]!;
    const [from, to] = [box.x + box.width, next.x - (i === through.length - 2 ? 7 : 0)];
    d += box.name === port.from ? `${curve(from, y(box), port.x, queueY)}M${n(port.serverX)},${n(y(next))}H${n(to)}` : curve(from, y(box), to, y(next));
    if (i < through.length - 2) d += `H${n(next.x + next.width)}`;
  }
  const end = through.at(-1)!;
  return shape("g", { class: "lane" }, shape("title", {}, `${flow.from} to ${flow.to}, ${flow.queue}`),
    shape("path", { class: `pass ${tone}`, style: "--mix:30%", d }),
    shape("path", { class: `head ${tone}`, style: "--mix:30%", d: `M${n(end.x)},${n(y(end))}l-9,-4.5v9Z` }));
}

/** The queues with their weights, and the one who serves them. */
function drawPort(port: Port, served: readonly Queue[], scheduler: string): Shape {
  const parts = served.flatMap((queue, i) => {
    const middle = port.queues.get(queue.name) ?? port.middle;
    const y = middle - QUEUE.height / 2;
    const look = { class: `pass ${TONES[i % TONES.length]!}`, style: "--mix:30%" };
    const end = port.x + QUEUE.width;
    const bars = [0, 1, 2].map((k) => shape("path", { ...look, d: `M${n(end - 7 - k * 6)},${n(y + 8)}v${QUEUE.height - 16}` }));
    return [
      shape("path", { ...look, d: `M${n(end)},${n(middle)}L${n(port.serverX)},${n(port.middle)}` }),
      shape("rect", { class: "node-box", x: n(port.x), y: n(y), width: QUEUE.width, height: QUEUE.height }), ...bars,
      shape("text", { class: "strong", x: n(port.x + 8), y: n(y + 20) }, queue.name),
      shape("text", { class: "muted", x: n(port.x + 8), y: n(y + 36) }, `weight ${queue.weight}`),
    ];
  });
  return shape("g", {}, ...parts, shape("circle", { class: "node-box", cx: n(port.serverX), cy: n(port.middle), r: QUEUE.radius }),
    shape("text", { class: "strong", x: n(port.serverX), y: n(port.middle + 4), "text-anchor": "middle" }, scheduler.toUpperCase()));
}

/** A label's parts, without a delay that nobody set. */
function partsOf(label: string): string[] {
  return label.split(" · ").filter((part) => !/ ns$/.test(part));
}

/** The links' names over them and their labels under them; hosts' links of one label share it and have no name. */
function linkLabels(data: ReportData, boxes: Map<string, Box>, port: string): Shape[] {
  const seen = new Set<string>();
  return (data.topology?.links ?? []).flatMap((link) => {
    const [a, b] = link.ends.map((end) => boxes.get(end)).sort((p, q) => (p?.x ?? 0) - (q?.x ?? 0));
    if (!a || !b) return [];
    const key = `${a.x} ${b.x} ${link.label}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const router = a.host ? b : a;
    const x = n((a.x + a.width + b.x) / 2);
    const text = (y: number, words: string, look: string): Shape => shape("text", { class: `${look} halo`, x, y: n(y), "text-anchor": "middle" }, words);
    if (link.name === port) return [text(router.y - 26, link.name, "title"), text(router.y - 10, partsOf(link.label).join(" · "), "muted")];
    const edge = a.host || b.host;
    const foot = router.y + router.height / 2 + (edge ? router.height / 2 + 16 : 36);
    return [...(edge ? [] : [text(router.y + router.height / 2 - 26, link.name, "title")]),
      ...partsOf(link.label).map((part, i) => text(foot + i * 16, part, "muted"))];
  });
}

function legend(all: readonly Flow[], served: readonly Queue[], y: number): Shape {
  const entries = served.flatMap((queue, i) => {
    const mine = all.filter((flow) => flow.queue === queue.name);
    const ends = (of: (flow: Flow) => string): string => [...new Set(mine.map(of))].join(", ");
    const lost = queue.lost === 0 ? "none" : format.share(queue.lost / queue.offered);
    const x = MARGIN + i * ((WIDTH - 2 * MARGIN) / served.length);
    const words = `${queue.name}: ${ends((f) => f.from)} to ${ends((f) => f.to)}; ${lost} of ${format.count(queue.offered)} frames lost`;
    return [
      shape("path", { class: `pass ${TONES[i % TONES.length]!}`, style: "--mix:30%", d: `M${n(x)},${n(y)}h34` }),
      shape("text", { x: n(x + 42), y: n(y + 4) }, words),
    ];
  });
  return shape("g", {}, ...entries);
}

/** A sentence on lines of at most `most` letters. */
export function wrapped(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The test bed around the one port of the scenario with a scheduler; null without one. */
export function drawTestbed(data: ReportData, id: string): Shape | null {
  const words = tables(data.scenario.text ?? "");
  const at = words.findIndex((table) => table.header === "link.forward" && table.values["scheduler"] !== undefined);
  const port = words.slice(0, Math.max(0, at)).reverse().find((table) => table.header === "link");
  const link = data.topology?.links.find((l) => l.name === port?.values["name"]);
  if (!port || !link) return null;
  const all = flows(data.paths ?? [], words, link.name);
  const served = queues(data, words, link.name);
  const boxes = place(data, all, words, link.ends);
  const from = boxes.get(link.ends[0]);
  if (!from || served.length === 0) return null;
  const meeting = portOf(from, served);
  const ordered = served.flatMap((queue) => all.filter((flow) => flow.queue === queue.name));
  const tone = (flow: Flow): string => TONES[Math.max(0, served.findIndex((q) => q.name === flow.queue)) % TONES.length]!;
  const bottom = Math.max(...[...boxes.values()].map((box) => box.y + box.height)) + 40;
  const notes = [words.find((table) => table.header === "host")?.above ?? "", port.above].flatMap((text) => wrapped(text, 140));
  const height = bottom + 32 + notes.length * 17;
  return shape("svg", {
    class: "figure path-figure", viewBox: `0 0 ${WIDTH} ${n(height)}`, width: WIDTH, height: n(height),
    role: "img", "aria-labelledby": `${id}-title ${id}-desc`,
  },
    shape("title", { id: `${id}-title` }, `The test bed around ${link.name}`),
    shape("desc", { id: `${id}-desc` }, ordered.map((flow) => `${flow.queue}: ${flow.nodes.join(" to ")}`).join(". ")),
    ...[...boxes.values()].map(drawBox), ...ordered.map((flow) => drawFlow(flow, ordered, boxes, meeting, tone(flow))),
    drawPort(meeting, served, words[at]!.values["scheduler"] ?? ""),
    ...linkLabels(data, boxes, link.name), legend(ordered, served, bottom),
    shape("g", {}, ...notes.map((line, i) => shape("text", { class: "muted", x: MARGIN, y: n(bottom + 30 + i * 17) }, line))));
}
