// Where a path is drawn: nodes in columns, each link a band between two nodes, each crossing of a link a lane of its
// own in that band, and inside the nodes the curves that join one crossing to the next.

import type { Hop, TestPath, Topology, TopologyLink } from "../types";

export type Way = "forward" | "reverse";

export interface NodeBox {
  readonly name: string;
  readonly kind: "host" | "router";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An end of a lane at a node's side. `outward` is +1 where the side faces right. */
export interface Port {
  readonly x: number;
  readonly y: number;
  readonly outward: 1 | -1;
}

export interface Lane {
  readonly hop: Hop;
  readonly way: Way;
  /** Position of the hop on its way, from 0. */
  readonly index: number;
  readonly start: Port;
  readonly end: Port;
  /** Whether it leaves the link's left end: the two directions have a colour each. */
  readonly eastward: boolean;
  /** 0 for the first crossing in this direction to 1 for the last. */
  readonly shade: number;
  /** A link that is crossed once is not news: it is drawn in grey. */
  readonly plain: boolean;
}

export interface Band {
  readonly link: TopologyLink;
  readonly left: Port;
  readonly right: Port;
  readonly height: number;
  readonly lanes: number;
  /** The label, one entry a line. A wide band has it above, a narrow one its name above and the rest below. */
  readonly text: readonly string[];
}

/** The curve inside a node from the end of one lane to the start of the next. */
export interface Joint {
  readonly node: string;
  readonly way: Way;
  readonly from: Lane;
  readonly to: Lane;
  readonly turn: boolean;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly NodeBox[];
  readonly bands: readonly Band[];
  readonly lanes: readonly Lane[];
  readonly joints: readonly Joint[];
}

const PITCH = 26;
const NARROW_PITCH = 15;
/** Between the lanes there and the lanes back. */
const WAY_GAP = 16;
const BLOCK_GAP = 10;
const LINE = 14;
const NODE_GAP = 64;
const HOST_HEIGHT = 40;
/** Hosts with one plain link each, of which a column has more than `FEW`, stand as close as the labels of their links allow. */
const CLOSE_GAP = 40;
const FEW = 3;
const MARGIN = 24;
const TOP = 44;
const ROUTER_WIDTH = 120;
/** Room for the names of cross-connects beside the turns. */
const STITCHED_WIDTH = 200;
const LETTER = 7.2;

interface Crossing {
  readonly hop: Hop;
  readonly way: Way;
  readonly index: number;
}

/** A link with what crosses it, there first, then back. */
interface Block {
  readonly link: TopologyLink;
  readonly crossings: readonly Crossing[];
  readonly pitch: number;
  readonly height: number;
  readonly text: readonly string[];
  /** Room for text over and under the band. */
  readonly above: number;
  readonly below: number;
  /** Offset of each lane from the middle of the block. */
  readonly offsets: readonly number[];
  readonly leftNode: string;
  readonly rightNode: string;
  /** Both ends in one column: the band leaves and returns on the right. */
  readonly loop: boolean;
}

/** Columns: steps from the node the path starts at. What it cannot reach has steps of its own, from its first host. */
export function columns(topology: Topology, start: string): Map<string, number> {
  const column = new Map<string, number>();
  const reach = (from: string): void => {
    column.set(from, 0);
    for (let edge = [from]; edge.length > 0;) {
      const next: string[] = [];
      for (const node of edge) {
        for (const link of topology.links) {
          const other = link.ends[0] === node ? link.ends[1] : link.ends[1] === node ? link.ends[0] : null;
          if (other === null || column.has(other)) continue;
          column.set(other, column.get(node)! + 1);
          next.push(other);
        }
      }
      edge = next;
    }
  };
  reach(start);
  for (const kind of ["host", "router"]) {
    for (const node of topology.nodes) if (node.kind === kind && !column.has(node.name)) reach(node.name);
  }
  return column;
}

/** Ends the path does not visit stand outside, above and below its own ends, not in its way. */
function outside(topology: Topology, column: Map<string, number>, onPath: ReadonlySet<string>): void {
  const last = Math.max(0, ...[...onPath].map((name) => column.get(name) ?? 0));
  for (const { name } of topology.nodes) {
    const links = topology.links.filter((link) => link.ends.includes(name));
    const other = links[0]?.ends.find((end) => end !== name);
    const at = other === undefined ? undefined : column.get(other);
    if (onPath.has(name) || links.length !== 1 || at === undefined || !onPath.has(other!) || at === 0 || at === last) continue;
    column.set(name, at <= last / 2 ? at - 1 : at + 1);
  }
}

/** The band that runs level: the wide one, or else the only one that is crossed. */
function level(blocks: readonly Block[]): Block | undefined {
  const crossed = blocks.filter((b) => b.crossings.length > 0);
  return blocks.find((b) => b.pitch === PITCH) ?? (crossed.length === 1 ? crossed[0] : undefined);
}

function block(link: TopologyLink, path: TestPath, column: Map<string, number>): Block {
  const on = (way: Way): Crossing[] =>
    path[way].map((hop, index) => ({ hop, way, index })).filter((crossing) => crossing.hop.link === link.name);
  const there = on("forward");
  const back = on("reverse");
  const crossings = [...there, ...back];
  const wide = crossings.length > 2 || crossings.some((crossing) => crossing.hop.lsp !== undefined);
  const pitch = wide ? PITCH : NARROW_PITCH;
  const gap = wide && there.length > 0 && back.length > 0 ? WAY_GAP : 0;
  const height = Math.max(1, crossings.length) * pitch + gap + (wide ? 10 : 0);
  const text = wide ? [link.label] : folded(link.label);
  const offsets = crossings.map((crossing, i) =>
    -height / 2 + pitch * (i + 0.5) + (wide ? 7 : 0) + (crossing.way === "reverse" ? gap : 0));
  const [a, b] = link.ends;
  const left = column.get(a) ?? 0;
  const right = column.get(b) ?? 0;
  const [leftNode, rightNode] = left <= right ? [a, b] : [b, a];
  const [above, below] = wide ? [2 * LINE + 8, 0] : [LINE + 6, text.length * LINE + 6];
  return { link, crossings, pitch, height, text, above, below, offsets, leftNode, rightNode, loop: left === right };
}

/** A label on at most two lines, broken at a middle dot. */
function folded(label: string): string[] {
  const parts = label.split(" · ");
  const half = Math.ceil(parts.length / 2);
  return [parts.slice(0, half).join(" · "), parts.slice(half).join(" · ")].filter((line) => line !== "");
}

function stacked(blocks: readonly Block[]): number {
  return blocks.reduce((sum, b) => sum + b.above + b.height + b.below + BLOCK_GAP, -BLOCK_GAP);
}

/** Room a side of a node needs, its blocks from the top. The path's band stands in the middle of its side, so that it runs level. */
function sideHeight(blocks: readonly Block[]): number {
  const main = level(blocks);
  if (!main) return stacked(blocks);
  const at = blocks.indexOf(main);
  const room = (some: readonly Block[]): number => (some.length === 0 ? 0 : stacked(some) + BLOCK_GAP);
  return main.height + 2 * Math.max(room(blocks.slice(0, at)) + main.above, room(blocks.slice(at + 1)) + main.below);
}

function nodeWidth(name: string, kind: "host" | "router", blocks: readonly Block[]): number {
  const stitched = blocks.some((b) => b.pitch === PITCH && (b.leftNode === name || b.rightNode === name)
    && b.crossings.some((c) => c.hop.via !== undefined));
  return kind === "router" ? Math.max(stitched ? STITCHED_WIDTH : ROUTER_WIDTH, name.length * LETTER + 16) : name.length * LETTER + 28;
}

/** Room a link wants between its columns: for its label, and for the names of its lanes. */
function span(b: Block): number {
  const label = Math.max(b.link.name.length, ...b.text.map((line) => line.length)) * 6.4 + 24;
  const lanes = Math.max(0, ...b.crossings.map((c) => (c.hop.lsp?.length ?? 0) * 6.8 + 96));
  return Math.max(110, label, b.crossings.length > 2 ? 340 : 0, lanes);
}

/** Nodes of each column from the top: each near the middle of its neighbours to the left. */
function order(topology: Topology, column: Map<string, number>, blocks: readonly Block[], onPath: ReadonlySet<string>): string[][] {
  const rows: string[][] = [];
  for (const node of topology.nodes) {
    const c = column.get(node.name) ?? 0;
    while (rows.length <= c) rows.push([]);
    rows[c]!.push(node.name);
  }
  for (let c = 1; c < rows.length; c++) {
    const before = rows[c - 1]!;
    const weight = (name: string): number => {
      const places = blocks.filter((b) => b.rightNode === name && before.includes(b.leftNode))
        .map((b) => before.indexOf(b.leftNode));
      return places.length === 0 ? before.length : places.reduce((sum, p) => sum + p, 0) / places.length;
    };
    const weights = new Map(rows[c]!.map((name) => [name, weight(name)]));
    rows[c]!.sort((p, q) => weights.get(p)! - weights.get(q)!);
  }
  return rows.map((row) => centred(row, onPath));
}

/** A column with the path's node in its middle, as many of the others above as below. */
function centred(row: readonly string[], onPath: ReadonlySet<string>): string[] {
  const at = row.findIndex((name) => onPath.has(name));
  if (at < 0) return [...row];
  const others = row.filter((_, i) => i !== at);
  const middle = Math.floor(others.length / 2);
  return [...others.slice(0, middle), row[at]!, ...others.slice(middle)];
}

function placeNodes(topology: Topology, rows: string[][], blocks: readonly Block[], onPath: ReadonlySet<string>): Map<string, NodeBox> {
  const kinds = new Map(topology.nodes.map((node) => [node.name, node.kind]));
  const boxes = new Map<string, NodeBox>();
  const ranks = new Map(rows.flatMap((row) => row.map((name, i) => [name, i] as const)));
  const inOrder = (name: string, some: readonly Block[]): Block[] => {
    const rank = (b: Block): number => ranks.get(b.leftNode === name ? b.rightNode : b.leftNode) ?? 0;
    return [...some].sort((p, q) => rank(p) - rank(q));
  };
  let x = MARGIN;
  for (const [c, row] of rows.entries()) {
    const widest = Math.max(0, ...row.map((name) => nodeWidth(name, kinds.get(name) ?? "router", blocks)));
    const of = (name: string): Block[] => blocks.filter((b) => b.leftNode === name || b.rightNode === name);
    const leaf = (name: string): boolean => kinds.get(name) === "host" && of(name).length === 1 && of(name)[0]!.pitch === NARROW_PITCH;
    const close = row.length > FEW && row.every(leaf);
    const gap = close ? CLOSE_GAP : NODE_GAP;
    const heights = row.map((name) => {
      if (close) return HOST_HEIGHT;
      const left = sideHeight(inOrder(name, blocks.filter((b) => b.rightNode === name && !b.loop)));
      const right = sideHeight(inOrder(name, blocks.filter((b) => b.leftNode === name || (b.loop && b.rightNode === name))));
      return Math.max(kinds.get(name) === "host" ? HOST_HEIGHT : 64, Math.max(left, right) + 8);
    });
    // The path runs level: its node of each column stands in the middle, the others above and below.
    const middle = Math.max(0, row.findIndex((name) => onPath.has(name)));
    let y = -heights.slice(0, middle).reduce((sum, h) => sum + h + gap, 0) - (heights[middle] ?? 0) / 2;
    for (const [i, name] of row.entries()) {
      const kind = kinds.get(name) ?? "router";
      const width = nodeWidth(name, kind, blocks);
      boxes.set(name, { name, kind, x: x + (widest - width) / 2, y, width, height: heights[i]! });
      y += heights[i]! + gap;
    }
    const between = blocks.filter((b) => row.includes(b.leftNode) || (b.loop && row.includes(b.rightNode)));
    x += widest + (c + 1 < rows.length ? Math.max(110, ...between.map(span)) : 0);
  }
  return boxes;
}

/** Middles of the blocks at one side of a node, ordered so that bands do not cross. */
function ports(box: NodeBox, side: 1 | -1, blocks: readonly Block[], boxes: Map<string, NodeBox>): Map<Block, Port> {
  const here = blocks.filter((b) => side === 1
    ? b.leftNode === box.name || (b.loop && b.rightNode === box.name)
    : b.rightNode === box.name && !b.loop);
  const otherY = (b: Block): number => {
    const other = boxes.get(b.leftNode === box.name ? b.rightNode : b.leftNode);
    return other ? other.y + other.height / 2 : 0;
  };
  const sorted = here.map((b, i) => ({ b, i, y: otherY(b) })).sort((p, q) => p.y - q.y || p.i - q.i);
  const main = level(here);
  const at = sorted.findIndex(({ b }) => b === main);
  const over = sorted.slice(0, Math.max(0, at)).reduce((sum, { b }) => sum + b.above + b.height + b.below + BLOCK_GAP, 0);
  const half = main ? main.above + main.height / 2 : 0;
  let y = box.y + box.height / 2 - (main ? over + half : stacked(here) / 2);
  const found = new Map<Block, Port>();
  for (const { b } of sorted) {
    found.set(b, { x: side === 1 ? box.x + box.width : box.x, y: y + b.above + b.height / 2, outward: side });
    y += b.above + b.height + b.below + BLOCK_GAP;
  }
  return found;
}

function lanesOf(b: Block, left: Port, right: Port, anyWide: boolean): Lane[] {
  const eastward = (c: Crossing): boolean => c.hop.from === b.leftNode;
  return b.crossings.map((crossing, i) => {
    const shift = (port: Port): Port => ({ ...port, y: port.y + b.offsets[i]! });
    const alike = b.crossings.filter((other) => eastward(other) === eastward(crossing));
    const east = eastward(crossing);
    return {
      ...crossing,
      start: shift(east ? left : right),
      end: shift(east ? right : left),
      eastward: east,
      shade: alike.length < 2 ? 0.35 : alike.indexOf(crossing) / (alike.length - 1),
      plain: anyWide && b.pitch !== PITCH,
    };
  });
}

function jointsOf(lanes: readonly Lane[]): Joint[] {
  const joints: Joint[] = [];
  for (const way of ["forward", "reverse"] as const) {
    const inOrder = lanes.filter((lane) => lane.way === way).sort((p, q) => p.index - q.index);
    for (const [i, to] of inOrder.entries()) {
      const from = inOrder[i - 1];
      if (!from || from.hop.to !== to.hop.from) continue;
      joints.push({ node: to.hop.from, way, from, to, turn: from.end.outward === to.start.outward });
    }
  }
  return joints;
}

export function layout(topology: Topology, path: TestPath): Layout {
  const column = columns(topology, path.from);
  const onPath = new Set([path.from, ...path.forward.map((hop) => hop.to)]);
  outside(topology, column, onPath);
  const blocks = topology.links.map((link) => block(link, path, column));
  const rows = order(topology, column, blocks, onPath);
  const boxes = placeNodes(topology, rows, blocks, onPath);
  const sides = new Map([...boxes.values()].map((box) =>
    [box.name, { right: ports(box, 1, blocks, boxes), left: ports(box, -1, blocks, boxes) }] as const));
  const anyWide = blocks.some((b) => b.pitch === PITCH);
  const bands: Band[] = [];
  const lanes: Lane[] = [];
  for (const b of blocks) {
    const left = sides.get(b.leftNode)?.right.get(b);
    const right = b.loop ? sides.get(b.rightNode)?.right.get(b) : sides.get(b.rightNode)?.left.get(b);
    if (!left || !right) continue;
    bands.push({ link: b.link, left, right, height: b.height, lanes: b.crossings.length, text: b.text });
    lanes.push(...lanesOf(b, left, right, anyWide));
  }
  return shifted({ width: 0, height: 0, nodes: [...boxes.values()], bands, lanes, joints: jointsOf(lanes) });
}

/** The same drawing with its top at the margin. */
function shifted(drawing: Layout): Layout {
  const top = Math.min(...drawing.nodes.map((node) => node.y), ...drawing.bands.map((b) => b.left.y - b.height / 2 - 24));
  const bottom = Math.max(...drawing.nodes.map((node) => node.y + node.height));
  const dy = TOP - top;
  const port = (p: Port): Port => ({ ...p, y: p.y + dy });
  const lanes = drawing.lanes.map((lane) => ({ ...lane, start: port(lane.start), end: port(lane.end) }));
  return {
    width: Math.max(...drawing.nodes.map((node) => node.x + node.width)) + MARGIN,
    height: bottom + dy + MARGIN,
    nodes: drawing.nodes.map((node) => ({ ...node, y: node.y + dy })),
    bands: drawing.bands.map((b) => ({ ...b, left: port(b.left), right: port(b.right) })),
    lanes,
    joints: jointsOf(lanes),
  };
}
