import { describe, expect, it } from "vitest";

import { distinctPaths, drawPath, facts } from "../src/diagram/draw";
import { boxOf, labels, meet } from "../src/diagram/labels";
import { columns, layout } from "../src/diagram/layout";
import { thinned } from "../src/figure/load";
import { toFile } from "../src/svg";
import type { Hop, TestPath, Topology } from "../src/types";

const TOPOLOGY: Topology = {
  nodes: [{ name: "w05gva", kind: "host" }, { name: "cernh5", kind: "router" }, { name: "ar5-chicago", kind: "router" }, { name: "w05chi", kind: "host" }],
  links: [
    { name: "gva", ends: ["w05gva", "cernh5"], label: "GbE · 10 µs" },
    { name: "stm64", ends: ["cernh5", "ar5-chicago"], label: "STM-64 · 58 ms" },
    { name: "chi", ends: ["ar5-chicago", "w05chi"], label: "GbE · 10 µs" },
  ],
};

/** The tunnel of the document: t1 to t5 from Geneva, r1 to r5 from Chicago. */
function tunnel(test: string): TestPath {
  const way = (letter: string, first: string): Hop[] => Array.from({ length: 5 }, (_, i) => {
    const ends = [["cernh5", "ar5-chicago"], ["ar5-chicago", "cernh5"]];
    const [from, to] = ends[(i + (first === "cernh5" ? 0 : 1)) % 2]!;
    return { link: "stm64", from: from!, to: to!, pass: i + 1, lsp: `${letter}${i + 1}`, via: `stitch-${letter}${i}` };
  });
  const edge = (link: string, from: string, to: string): Hop => ({ link, from, to, pass: 1 });
  return {
    test, from: "w05gva", to: "w05chi",
    forward: [edge("gva", "w05gva", "cernh5"), ...way("t", "cernh5"), edge("chi", "ar5-chicago", "w05chi")],
    reverse: [edge("chi", "w05chi", "ar5-chicago"), ...way("r", "ar5-chicago"), edge("gva", "cernh5", "w05gva")],
  };
}

describe("two circuits that no link joins", () => {
  it("stand one under the other, each from its own host", () => {
    const topology: Topology = {
      nodes: [{ name: "a", kind: "host" }, { name: "b", kind: "host" }, { name: "far-a", kind: "host" }, { name: "far-b", kind: "host" }],
      links: [{ name: "one", ends: ["a", "b"], label: "10GbE" }, { name: "two", ends: ["far-a", "far-b"], label: "10GbE" }],
    };
    expect([...columns(topology, "a")]).toEqual([["a", 0], ["b", 1], ["far-a", 0], ["far-b", 1]]);
    const hop = (link: string, from: string, to: string): Hop => ({ link, from, to, pass: 1 });
    const drawing = layout(topology, { test: "t", from: "a", to: "b", forward: [hop("one", "a", "b")], reverse: [hop("one", "b", "a")] });
    const [one, two] = drawing.bands;
    expect(two!.left.y - one!.left.y).toBeGreaterThan(50);
    expect(two!.left.x).toBeLessThan(two!.right.x);
  });
});

describe("labels of links", () => {
  it("lie over no node and over no other label, where two ways part", () => {
    const topology: Topology = {
      nodes: [{ name: "a", kind: "host" }, { name: "b", kind: "host" }, ...["p1", "p2", "p3"].map((name) => ({ name, kind: "router" as const }))],
      links: [
        { name: "ca", ends: ["a", "p1"], label: "GbE · 1 Gbit/s · 50 µs" }, { name: "cb", ends: ["b", "p3"], label: "GbE · 1 Gbit/s · 50 µs" },
        { name: "short", ends: ["p1", "p3"], label: "STM-16 · 2.39616 Gbit/s · 10 ms" }, { name: "x", ends: ["p1", "p2"], label: "STM-16 · 2.39616 Gbit/s · 30 ms" },
        { name: "y", ends: ["p2", "p3"], label: "STM-16 · 2.39616 Gbit/s · 30 ms" },
      ],
    };
    const hop = (link: string, from: string, to: string, more: Partial<Hop> = {}): Hop => ({ link, from, to, pass: 1, ...more });
    const drawing = layout(topology, {
      test: "t", from: "a", to: "b",
      forward: [hop("ca", "a", "p1"), hop("x", "p1", "p2", { lsp: "ab", via: "A" }), hop("y", "p2", "p3", { lsp: "ab" }), hop("cb", "p3", "b", { via: "B" })],
      reverse: [hop("cb", "b", "p3"), hop("short", "p3", "p1", { lsp: "ba", via: "B" }), hop("ca", "p1", "a", { via: "A" })],
    });
    const boxes = labels(drawing).map(({ words }) => words.map(boxOf));
    expect(boxes).toHaveLength(5);
    const nodes = drawing.nodes.map(({ x, y, width, height }) => ({ left: x, right: x + width, top: y, bottom: y + height }));
    for (const [i, own] of boxes.entries()) {
      const others = [...nodes, ...boxes.slice(i + 1).flat()];
      expect(own.filter((box) => others.some((other) => meet(box, other)))).toEqual([]);
    }
  });

  it("stay around the middle of a link that runs level", () => {
    const gva = labels(layout(TOPOLOGY, tunnel("bulk"))).find(({ band }) => band.link.name === "gva")!;
    const { left, right, height } = gva.band;
    expect(gva.words[0]).toEqual({ text: "gva", strong: true, x: (left.x + right.x) / 2, y: (left.y + right.y) / 2 - height / 2 - 8 });
  });
});

describe("the tunnel's picture", () => {
  const drawing = layout(TOPOLOGY, tunnel("bulk"));
  const trunk = drawing.lanes.filter((lane) => lane.hop.link === "stm64");
  const names = (eastward: boolean): string[] => trunk.filter((lane) => lane.eastward === eastward).map((lane) => lane.hop.lsp!);

  it("has five LSPs from cernh5 and five from ar5-chicago, as the document defines them", () => {
    expect(names(true)).toEqual(["t1", "t3", "t5", "r2", "r4"]);
    expect(names(false)).toEqual(["t2", "t4", "r1", "r3", "r5"]);
    expect(facts(drawing)).toEqual({ link: "stm64", left: "cernh5", right: "ar5-chicago", east: 5, west: 5 });
  });

  it("gives each pass a lane and a shade of its own", () => {
    expect(new Set(trunk.map((lane) => lane.start.y)).size).toBe(10);
    for (const eastward of [true, false]) {
      expect(new Set(trunk.filter((lane) => lane.eastward === eastward).map((lane) => lane.shade)).size).toBe(5);
    }
  });

  it("turns round eight times, four on each way, and passes through at the ends", () => {
    const turns = drawing.joints.filter((joint) => joint.turn);
    expect(turns.map((joint) => joint.way).sort()).toEqual([...Array(4).fill("forward"), ...Array(4).fill("reverse")]);
    expect(drawing.joints).toHaveLength(12);
    expect(turns.filter((joint) => joint.node === "cernh5")).toHaveLength(4);
  });

  it("keeps every lane inside its band and every band on its nodes' sides", () => {
    for (const lane of trunk) {
      const band = drawing.bands.find((b) => b.link.name === "stm64")!;
      expect(Math.abs(lane.start.y - band.left.y)).toBeLessThan(band.height / 2);
      const node = drawing.nodes.find((box) => box.name === lane.hop.from)!;
      expect([node.x, node.x + node.width]).toContain(lane.start.x);
      expect(lane.start.y > node.y && lane.start.y < node.y + node.height).toBe(true);
    }
    expect(drawing.nodes.every((node) => node.x >= 0 && node.y >= 0 && node.x + node.width <= drawing.width)).toBe(true);
  });

  it("is one picture for tests that share a way", () => {
    expect(distinctPaths([tunnel("ping"), tunnel("bulk")]).map((group) => group.tests)).toEqual([["ping", "bulk"]]);
  });

  it("is that of the way back, too, for a test from the other end", () => {
    const there = tunnel("bulk");
    const back: TestPath = { test: "east", from: there.to, to: there.from, forward: there.reverse, reverse: there.forward };
    const groups = distinctPaths([there, back]);
    expect(groups.map(({ tests, backwards }) => [tests, backwards])).toEqual([[["bulk"], ["east"]]]);
  });

  it("has the ends it does not visit beside its own", () => {
    const idle = layout({
      nodes: [...TOPOLOGY.nodes, { name: "p", kind: "host" }, { name: "q", kind: "host" }],
      links: [...TOPOLOGY.links, { name: "pl", ends: ["p", "cernh5"], label: "x" }, { name: "ql", ends: ["ar5-chicago", "q"], label: "x" }],
    }, tunnel("bulk"));
    const x = (name: string): number => idle.nodes.filter((node) => node.name === name).map((node) => node.x + node.width / 2)[0]!;
    expect([x("p"), x("q")]).toEqual([x("w05gva"), x("w05chi")]);
  });

  it("names all ten LSPs in the file and escapes what is written into it", () => {
    const text = toFile(drawPath(TOPOLOGY, { ...tunnel("bulk"), test: "a<b>&\"c" }, "x"), ".a > .b {}");
    for (const name of [...names(true), ...names(false)]) expect(text).toContain(`>${name}<`);
    expect(text).toContain("a&lt;b&gt;&amp;&quot;c");
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe("any topology", () => {
  const wider: Topology = {
    nodes: [...TOPOLOGY.nodes, { name: "star", kind: "router" }, { name: "alone", kind: "host" }],
    links: [...TOPOLOGY.links, { name: "a", ends: ["cernh5", "star"], label: "x" }, { name: "b", ends: ["star", "ar5-chicago"], label: "y" },
      { name: "second", ends: ["w05gva", "cernh5"], label: "z" }],
  };

  it("stands in columns by distance, with nodes out of reach beside the start", () => {
    expect(Object.fromEntries(columns(wider, "w05gva"))).toEqual({ w05gva: 0, cernh5: 1, "ar5-chicago": 2, star: 2, w05chi: 3, alone: 0 });
  });

  it("has no two boxes in one place, and its path runs level", () => {
    const { nodes } = layout(wider, tunnel("bulk"));
    for (const p of nodes) {
      for (const q of nodes) {
        if (p === q) continue;
        const apart = p.x + p.width <= q.x || q.x + q.width <= p.x || p.y + p.height <= q.y || q.y + q.height <= p.y;
        expect(apart, `${p.name} and ${q.name}`).toBe(true);
      }
    }
    const middles = ["w05gva", "cernh5", "ar5-chicago", "w05chi"].map((name) => nodes.find((b) => b.name === name)!).map((b) => b.y + b.height / 2);
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(1e-9);
  });

  it("is drawn without a path, too", () => {
    const text = toFile(drawPath(wider, { test: "", from: "w05gva", to: "w05gva", forward: [], reverse: [] }, "x"), "");
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe("a level stretch", () => {
  it("keeps its ends and loses its middle", () => {
    expect(thinned([[0, 1], [1, 1], [2, 1], [3, 5], [4, 5]], 0.1)).toEqual([[0, 1], [2, 1], [3, 5], [4, 5]]);
  });
});

describe("a dumbbell", () => {
  const pairs = Array.from({ length: 8 }, (_, i) => i);
  const network: Topology = {
    nodes: [{ name: "r1", kind: "router" }, { name: "r2", kind: "router" }, ...pairs.flatMap((i) => [{ name: `s${i}`, kind: "host" as const }, { name: `d${i}`, kind: "host" as const }])],
    links: [
      { name: "neck", ends: ["r1", "r2"], label: "GbE · 1 Gbit/s · 2 ms" },
      ...pairs.flatMap((i): Topology["links"] => [{ name: `a${i}`, ends: [`s${i}`, "r1"], label: "10GbE · 10 Gbit/s · 4 ms" }, { name: `b${i}`, ends: ["r2", `d${i}`], label: "10GbE · 10 Gbit/s · 4 ms" }]),
    ],
  };
  const hop = (link: string, from: string, to: string): Hop => ({ link, from, to, pass: 1 });
  const path: TestPath = {
    test: "t0", from: "s0", to: "d0", forward: [hop("a0", "s0", "r1"), hop("neck", "r1", "r2"), hop("b0", "r2", "d0")],
    reverse: [hop("b0", "d0", "r2"), hop("neck", "r2", "r1"), hop("a0", "r1", "s0")],
  };
  const drawing = layout(network, path);

  it("has its hosts beside its routers, and links that do not climb", () => {
    const [r1] = drawing.nodes.filter((node) => node.name === "r1");
    for (const host of drawing.nodes.filter((node) => node.kind === "host")) {
      const middle = host.y + host.height / 2;
      expect(middle > r1!.y && middle < r1!.y + r1!.height, host.name).toBe(true);
    }
    // Less than from one link's label to the next.
    for (const band of drawing.bands) expect(Math.abs(band.left.y - band.right.y), band.link.name).toBeLessThan(20);
  });

  it("keeps its bands apart, at least as far as their labels are high", () => {
    const ys = drawing.bands.filter((b) => b.link.name.startsWith("a")).map((b) => b.left.y).sort((p, q) => p - q);
    ys.slice(1).forEach((y, i) => { expect(y - ys[i]!).toBeGreaterThan(60); });
  });
});
