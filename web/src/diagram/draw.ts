// The drawing of a path: red leaves the left end of a link, blue the right one, each crossing in a shade of its own.

import type { TestPath, Topology } from "../types";
import { n, shape, type Shape } from "../svg";
import { labels, reach, type Word } from "./labels";
import { layout, type Band, type Joint, type Lane, type Layout, type NodeBox, type Port, type Way } from "./layout";

const HEAD = 9;
const BADGE = 9;
/** Where a lane's shade is unknown to a viewer without colour-mix, these stand in: first and last of each direction. */
const STATIC = { east: [[125, 21, 40], [221, 91, 68]], west: [[18, 58, 128], [63, 143, 214]] } as const;

function hue(lane: Lane): "east" | "west" | "plain-way" {
  return lane.plain ? "plain-way" : lane.eastward ? "east" : "west";
}

function fallback(lane: Lane): string {
  if (lane.plain) return "#6b7480";
  const [a, b] = STATIC[lane.eastward ? "east" : "west"];
  const channel = (i: 0 | 1 | 2): number => Math.round(a[i] + (b[i] - a[i]) * lane.shade);
  return `rgb(${channel(0)},${channel(1)},${channel(2)})`;
}

function mix(lane: Lane): string {
  return `--mix:${Math.round(lane.shade * 100)}%`;
}

/** Horizontal at both ends; straight when the ends are level. */
function ribbon(from: Port, to: Port): string {
  const level = reach(from, to);
  return `M${n(from.x)},${n(from.y)}C${n(from.x + from.outward * level)},${n(from.y)} `
    + `${n(to.x + to.outward * level)},${n(to.y)} ${n(to.x)},${n(to.y)}`;
}

function drawBand(band: Band): Shape {
  const { left, right, height } = band;
  if (band.lanes === 0) return shape("path", { class: "wire", d: ribbon(left, right) });
  const up = (port: Port): Port => ({ ...port, y: port.y - height / 2 });
  const down = (port: Port): Port => ({ ...port, y: port.y + height / 2 });
  const lower = ribbon(down(right), down(left)).replace(/^M/, "L");
  return shape("path", { class: "band", d: `${ribbon(up(left), up(right))}${lower}Z` });
}

function bandLabel(words: readonly Word[]): Shape {
  return shape("g", {}, ...words.map((word) => shape("text", {
    class: word.strong ? "strong halo" : "muted halo", x: n(word.x), y: n(word.y), "text-anchor": "middle",
  }, word.text)));
}

function drawNode(node: NodeBox): Shape {
  const { x, y, width, height } = node;
  const middle = n(x + width / 2);
  if (node.kind === "host") {
    return shape("g", {},
      shape("rect", { class: "node-host", x: n(x), y: n(y), width: n(width), height: n(height), rx: 6 }),
      shape("text", { class: "on-ink", x: middle, y: n(y + height / 2 + 4), "text-anchor": "middle" }, node.name));
  }
  return shape("g", {},
    shape("rect", { class: "node-box", x: n(x), y: n(y), width: n(width), height: n(height), rx: 4 }),
    shape("text", { class: "title", x: middle, y: n(y - 10), "text-anchor": "middle" }, node.name));
}

function passTitle(lane: Lane): string {
  const what = lane.hop.lsp ?? lane.hop.link;
  return `${lane.way === "forward" ? "there" : "back"}, pass ${lane.hop.pass}: ${what}, ${lane.hop.from} to ${lane.hop.to}`;
}

/** A round badge on the way there, a square one on the way back: the two differ without colour. */
function badge(lane: Lane, x: number, y: number): Shape {
  const colour = { class: `badge ${hue(lane)}`, style: mix(lane), fill: fallback(lane) };
  const mark = lane.way === "forward"
    ? shape("circle", { ...colour, cx: n(x), cy: n(y), r: BADGE })
    : shape("rect", { ...colour, x: n(x - BADGE + 1), y: n(y - BADGE + 1), width: 2 * BADGE - 2, height: 2 * BADGE - 2, rx: 2.5 });
  return shape("g", {}, mark, shape("text", { class: "badge-text", x: n(x), y: n(y + 4) }, String(lane.hop.pass)));
}

function drawLane(lane: Lane): Shape {
  const { start, end } = lane;
  const direction = -end.outward;
  const tip: Port = { ...end, x: end.x - direction * (HEAD - 2) };
  const head = `M${n(end.x)},${n(end.y)}l${n(-direction * HEAD)},${-HEAD / 2}v${HEAD}Z`;
  const badgeX = start.x + start.outward * 18;
  const level = Math.abs(start.y - end.y) < 4;
  const parts: Shape[] = [
    shape("title", {}, passTitle(lane)),
    shape("path", { class: `pass ${hue(lane)}`, style: mix(lane), stroke: fallback(lane), d: ribbon(start, tip) }),
    shape("path", { class: `head ${hue(lane)}`, style: mix(lane), fill: fallback(lane), d: head }),
  ];
  if (!lane.plain) {
    parts.push(badge(lane, badgeX, start.y));
    const name = lane.hop.lsp;
    if (name !== undefined && level) {
      parts.push(shape("text", {
        class: "code", x: n((start.x + end.x) / 2), y: n(start.y - 5), "text-anchor": "middle",
      }, name));
    }
  }
  return shape("g", { "data-way": lane.way, class: "lane" }, ...parts);
}

function curve(joint: Joint, node: NodeBox): string {
  const width = node.width;
  const middle = node.y + node.height / 2;
  const a = joint.from.end;
  const b = joint.to.start;
  const turn = Math.min(width * 0.7, 14 + Math.abs(b.y - a.y) * 0.7);
  // A curve that passes through climbs on the side away from the bundle, where the turns and their names are.
  const far = joint.from.plain === joint.to.plain ? Math.abs(a.y - middle) > Math.abs(b.y - middle) : !joint.from.plain;
  const [out, into] = joint.turn ? [turn, turn] : far ? [width * 0.95, width * 0.2] : [width * 0.2, width * 0.95];
  return `M${n(a.x)},${n(a.y)}C${n(a.x - a.outward * out)},${n(a.y)} `
    + `${n(b.x - b.outward * into)},${n(b.y)} ${n(b.x)},${n(b.y)}`;
}

function drawJoint(joint: Joint, node: NodeBox, id: string): Shape[] {
  const a = joint.from.end;
  const b = joint.to.start;
  const stop = (lane: Lane, offset: number): Shape =>
    shape("stop", { offset, class: hue(lane), style: mix(lane), "stop-color": fallback(lane) });
  // A gradient along a level curve would have no length, hence the small step.
  const gradient = shape("linearGradient", {
    id, gradientUnits: "userSpaceOnUse", x1: n(a.x), y1: n(a.y), x2: n(b.x + (joint.turn ? 0 : 0.1)), y2: n(b.y + 0.1),
  }, stop(joint.from, 0), stop(joint.to, 1));
  const title = joint.to.hop.via === undefined
    ? `${joint.node}: pass ${joint.from.hop.pass} joined to ${joint.to.hop.pass}`
    : `${joint.node}: ${joint.to.hop.via}`;
  const line = shape("path", { class: "pass", stroke: `url(#${id})`, d: curve(joint, node) }, shape("title", {}, title));
  return [gradient, shape("g", { "data-way": joint.way }, line)];
}

/** What stitches two lanes, written beside the turn where there is room. */
function jointLabel(joint: Joint): Shape[] {
  if (!joint.turn || joint.to.hop.via === undefined) return [];
  const a = joint.from.end;
  const depth = 16 + Math.abs(joint.to.start.y - a.y) * 0.55;
  return [shape("text", {
    class: "code muted", "data-way": joint.way, x: n(a.x - a.outward * depth), y: n((a.y + joint.to.start.y) / 2 + 4),
    "text-anchor": a.outward === 1 ? "end" : "start",
  }, joint.to.hop.via)];
}

export interface PathFacts {
  readonly link: string;
  readonly left: string;
  readonly right: string;
  readonly east: number;
  readonly west: number;
}

/** Of the link crossed most: how many passes leave each end, there and back together. */
export function facts(drawing: Layout): PathFacts | null {
  const busiest = [...drawing.bands].sort((p, q) => q.lanes - p.lanes)[0];
  if (!busiest || busiest.lanes < 3) return null;
  const on = drawing.lanes.filter((lane) => lane.hop.link === busiest.link.name);
  const east = on.filter((lane) => lane.eastward);
  const sample = on[0]!;
  const [left, right] = sample.eastward ? [sample.hop.from, sample.hop.to] : [sample.hop.to, sample.hop.from];
  return { link: busiest.link.name, left, right, east: east.length, west: on.length - east.length };
}

function legend(drawing: Layout, known: PathFacts): Shape {
  const y = drawing.height + 6;
  const lane = (eastward: boolean): Lane | undefined =>
    drawing.lanes.find((l) => l.hop.link === known.link && l.eastward === eastward);
  const noun = drawing.lanes.some((l) => l.hop.lsp !== undefined) ? "LSPs" : "passes";
  const entry = (x: number, eastward: boolean, count: number, from: string): Shape[] => {
    const l = lane(eastward);
    if (!l) return [];
    return [
      shape("path", { class: `pass ${hue(l)}`, style: "--mix:30%", stroke: fallback(l), d: `M${n(x)},${n(y)}h34` }),
      shape("text", { x: n(x + 42), y: n(y + 4) }, `${count} ${noun} from ${from}`),
    ];
  };
  const step = 210;
  const x = (drawing.width - 2 * step - 285) / 2;
  return shape("g", {},
    ...entry(x, true, known.east, known.left), ...entry(x + step, false, known.west, known.right),
    shape("circle", { class: "node-host", cx: n(x + 2 * step + 8), cy: n(y), r: 6 }),
    shape("text", { x: n(x + 2 * step + 20), y: n(y + 4) }, "pass on the way there"),
    shape("rect", { class: "node-host", x: n(x + 2 * step + 168), y: n(y - 6), width: 12, height: 12, rx: 2 }),
    shape("text", { x: n(x + 2 * step + 187), y: n(y + 4) }, "on the way back"));
}

/** A path in words, for those who cannot see it. */
export function describe(path: TestPath): string {
  const way = (hops: TestPath["forward"]): string =>
    hops.map((hop) => `${hop.from} to ${hop.to}${hop.lsp === undefined ? "" : ` on ${hop.lsp}`}`).join(", ");
  return `There: ${way(path.forward)}. Back: ${way(path.reverse)}.`;
}

/** The picture of a path. `id` must be unique in the document. */
export function drawPath(topology: Topology, path: TestPath, id: string): Shape {
  const drawing = layout(topology, path);
  const known = facts(drawing);
  const boxes = new Map(drawing.nodes.map((node) => [node.name, node]));
  const height = drawing.height + (known ? 28 : 0);
  // A far shade lies beneath a near one; the joints lie over the boxes of the nodes.
  const joints = drawing.joints.flatMap((joint, i) => {
    const node = boxes.get(joint.node);
    return node ? drawJoint(joint, node, `${id}-joint-${i}`) : [];
  });
  return shape("svg", {
    class: "figure path-figure", viewBox: `0 0 ${n(drawing.width)} ${n(height)}`, width: n(drawing.width), height: n(height),
    role: "img", "aria-labelledby": `${id}-title ${id}-desc`,
  },
    shape("title", { id: `${id}-title` }, `The path of ${path.test} from ${path.from} to ${path.to}`),
    shape("desc", { id: `${id}-desc` }, describe(path)),
    ...drawing.bands.map(drawBand),
    ...drawing.nodes.map(drawNode), ...joints,
    ...drawing.joints.flatMap(jointLabel), ...drawing.lanes.map(drawLane), ...labels(drawing).map(({ words }) => bandLabel(words)),
    ...(known ? [legend(drawing, known)] : []));
}

export interface PathGroup {
  readonly path: TestPath;
  readonly tests: string[];
  /** Tests that take the same way from the other end. */
  readonly backwards: string[];
}

/** Paths drawn once each: tests that take the same way share a picture; the longest way first. */
export function distinctPaths(paths: readonly TestPath[]): PathGroup[] {
  const groups = new Map<string, PathGroup>();
  for (const path of paths) {
    const hops = (way: Way): string => path[way].map((hop) => `${hop.from}/${hop.link}/${hop.lsp ?? ""}`).join(" ");
    const [there, back] = [hops("forward"), hops("reverse")];
    const [same, turned] = [groups.get(`${there} | ${back}`), groups.get(`${back} | ${there}`)];
    if (same) same.tests.push(path.test);
    else if (turned) turned.backwards.push(path.test);
    else groups.set(`${there} | ${back}`, { path, tests: [path.test], backwards: [] });
  }
  return [...groups.values()].sort((p, q) => q.path.forward.length - p.path.forward.length);
}
