// The path drawn, and the load it puts on its link.

import { h, plural, scroller, section } from "../dom";
import { describe, distinctPaths, drawPath } from "../diagram/draw";
import type { Way } from "../diagram/layout";
import { describeLoad, drawLoad, findLoad } from "../figure/load";
import { toDom } from "../svg";
import type { Hop, ReportData, TestPath } from "../types";

/** How often a way crosses the link it crosses most, by direction. */
function crossings(hops: readonly Hop[]): string {
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
    button("forward", `${path.from} → ${path.to}: ${crossings(path.forward)}`),
    button("reverse", `${path.to} → ${path.from}: ${crossings(path.reverse)}`));
}

export function paths(data: ReportData): HTMLElement | null {
  const { topology } = data;
  if (!topology || topology.nodes.length === 0) return null;
  const groups = distinctPaths(data.paths ?? []);
  if (groups.length === 0) {
    const first = topology.nodes[0]!.name;
    groups.push({ path: { test: "", from: first, to: first, forward: [], reverse: [] }, tests: [] });
  }
  const figures = groups.map(({ path, tests }, i) => {
    const drawing = toDom(drawPath(topology, path, `path-${i}`));
    return h("figure", { class: "path" },
      tests.length > 0 ? h("figcaption", {}, h("strong", {}, "The path of ", tests.join(", ")), path.forward.length > 4
        ? ". Every pass has a lane of its own; all passes in one direction share one transmitter." : "") : null,
      scroller("Drawing of the path", drawing),
      tests.length > 0 ? focusable(drawing, path) : null,
      tests.length > 0 ? h("details", {}, h("summary", {}, "The path in words"), h("p", {}, describe(path))) : null);
  });
  return section("path", "The path", ...figures);
}

/** The load graph, where a link carries both directions. */
export function load(data: ReportData): HTMLElement | null {
  const found = findLoad(data);
  const drawing = drawLoad(data, "load");
  if (!found || !drawing) return null;
  return h("figure", { class: "load" }, h("h3", {}, `What the path does to ${found.link}`),
    scroller("Load graph", toDom(drawing)), h("figcaption", {}, describeLoad(found)));
}
