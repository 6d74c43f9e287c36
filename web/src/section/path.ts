// The path drawn, and the load it puts on its link.

import { h, plural, scroller, section } from "../dom";
import { describe, distinctPaths, drawPath, type PathGroup } from "../diagram/draw";
import type { Way } from "../diagram/layout";
import { crossings, describeLoad, drawLoad, findLoad } from "../figure/load";
import { drawn, exports, fileName, type Drawn } from "../drawn";
import { toDom } from "../svg";
import type { Hop, ReportData, TestPath, Topology } from "../types";

/** How often a way crosses the link it crosses most, by direction. */
function passes(hops: readonly Hop[]): string {
  const counts = new Map<string, number>();
  for (const hop of hops) counts.set(hop.link, (counts.get(hop.link) ?? 0) + 1);
  const [link, most] = [...counts].sort((p, q) => q[1] - p[1])[0] ?? ["", 0];
  if (most < 2) return plural(hops.length, "hop");
  const on = hops.filter((hop) => hop.link === link);
  const first = on[0]!;
  const along = on.filter((hop) => hop.from === first.from).length;
  return `${most} passes over ${link}: ${along} from ${first.from}, ${most - along} from ${first.to}`;
}

/** Pointing at a direction, or choosing it, dims the other. */
function focusable(drawing: SVGElement, path: TestPath): HTMLElement {
  let held: Way | null = null;
  const set = (way: Way | null): void => {
    const shown = way ?? held;
    if (shown) drawing.dataset["focus"] = shown;
    else delete drawing.dataset["focus"];
  };
  drawing.addEventListener("mouseover", (e) => {
    const lane = e.target instanceof Element ? e.target.closest("[data-way]") : null;
    set((lane?.getAttribute("data-way") as Way | null | undefined) ?? null);
  });
  drawing.addEventListener("mouseleave", () => set(null));
  const button = (way: Way, text: string): HTMLButtonElement => {
    const element = h("button", { type: "button", "aria-pressed": "false", "data-choice": way }, text);
    element.addEventListener("mouseenter", () => set(way));
    element.addEventListener("mouseleave", () => set(null));
    element.addEventListener("click", () => {
      held = held === way ? null : way;
      set(null);
      for (const other of element.parentElement?.querySelectorAll("[data-choice]") ?? []) {
        other.setAttribute("aria-pressed", String(other.getAttribute("data-choice") === held));
      }
    });
    return element;
  };
  return h("div", { class: "buttons" },
    button("forward", `${path.from} → ${path.to}: ${passes(path.forward)}`),
    button("reverse", `${path.to} → ${path.from}: ${passes(path.reverse)}`));
}

/** Nodes and links a path uses, without the rest. */
function used(topology: Topology, path: TestPath): Topology {
  const hops = [...path.forward, ...path.reverse];
  const nodes = new Set(hops.flatMap((hop) => [hop.from, hop.to]));
  const links = new Set(hops.map((hop) => hop.link));
  return { nodes: topology.nodes.filter((node) => nodes.has(node.name)), links: topology.links.filter((link) => links.has(link.name)) };
}

/** How far a picture shrinks before it scrolls: its text can still be read. */
const SHRUNK = 0.7;

/** The picture is shown at its own size, scrolls where that is too wide, and shrinks first: one of two hosts and a link or two is seen whole
 * on a telephone. */
function sized(drawing: SVGElement): SVGElement {
  const width = Number(drawing.getAttribute("width"));
  drawing.style.minWidth = `${Math.min(SHRUNK * width, 860)}px`;
  return drawing;
}

/** The drawing of each way. The whole network is drawn once; the other pictures show a way and nothing else, and of many those
 * alone that cross a link several times. */
export function pathFigures(data: ReportData): Drawn[] {
  const { topology } = data;
  if (!topology || topology.nodes.length === 0) return [];
  return groupsOf(data, topology).drawn.map(({ path, tests }, i) => ({
    file: fileName(data.scenario.name, "path", tests[0] ?? ""), class: "path", draw: () => drawPath(i === 0 ? topology : used(topology, path), path, `path-${i}`),
  }));
}

function figure({ file, draw }: Drawn, { path, tests, backwards }: PathGroup): HTMLElement {
  const drawing = sized(toDom(draw(0)));
  const files = exports(file, draw);
  if (tests.length === 0) return h("figure", { class: "path" }, h("div", { class: "figure-head" }, files), scroller("Drawing of the network", drawing));
  const also = backwards.length === 0 ? "" : `; ${backwards.join(", ")} the other way`;
  return h("figure", { class: "path" }, h("div", { class: "figure-head" },
    h("figcaption", {}, h("strong", {}, "The path of ", tests.join(", "), also), path.forward.length > 4
      ? ". Every pass has a lane of its own; all passes in one direction share one transmitter." : ""), files),
    scroller("Drawing of the path", drawing), focusable(drawing, path),
    h("details", {}, h("summary", {}, "The path in words"), h("p", {}, describe(path))));
}

/** Of more ways than these, those that cross each link once are seen in the drawing of the network. */
const WAYS = 4;

/** Whether a way crosses some link twice in one direction. */
function isFolded({ forward, reverse }: TestPath): boolean {
  return [forward, reverse].some((hops) => new Set(hops.map((hop) => hop.link)).size < hops.length);
}

/** The ways that are drawn, and those that words do for. A network nobody crosses is drawn, too. */
function groupsOf(data: ReportData, topology: Topology): { readonly drawn: PathGroup[]; readonly plain: PathGroup[] } {
  const groups = distinctPaths(data.paths ?? []);
  const first = topology.nodes[0]!.name;
  if (groups.length === 0) return { drawn: [{ path: { test: "", from: first, to: first, forward: [], reverse: [] }, tests: [], backwards: [] }], plain: [] };
  const isDrawn = (group: PathGroup): boolean => groups.length <= WAYS || group === groups[0] || isFolded(group.path);
  return { drawn: groups.filter(isDrawn), plain: groups.filter((group) => !isDrawn(group)) };
}

function inWords(plain: readonly PathGroup[]): HTMLElement | null {
  if (plain.length === 0) return null;
  return h("details", {}, h("summary", {}, `${plural(plain.length, "more path")} in words`),
    ...plain.map(({ path, tests, backwards }) => h("p", {}, h("strong", {}, [...tests, ...backwards].join(", ")), `: ${describe(path)}`)));
}

export function paths(data: ReportData): HTMLElement | null {
  const { topology } = data;
  if (!topology || topology.nodes.length === 0) return null;
  const figures = pathFigures(data);
  const groups = groupsOf(data, topology);
  const [first, ...others] = groups.drawn.map((group, i) => figure(figures[i]!, group));
  const load = loadFigure(data);
  return section("path", "The path", first, load === null ? null : drawn(load), ...others, inWords(groups.plain));
}

/** The load graph, where a path is folded over a link and nothing was swept. */
export function loadFigure(data: ReportData): Drawn | null {
  const found = findLoad(data);
  if (!found || crossings(data, found.link) < 2) return null;
  if (found.directions.some((l) => Object.keys(l.point).length > 0)) return null;
  if (!drawLoad(data, "load")) return null;
  return {
    file: fileName(data.scenario.name, "load", found.link), class: "load", title: `What the path does to ${found.link}`,
    draw: (width) => drawLoad(data, "load", width)!, below: () => [h("figcaption", {}, describeLoad(found))],
  };
}
