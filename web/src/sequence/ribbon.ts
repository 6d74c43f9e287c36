// Spans of time marked below a time–sequence plot: what limited the sender, and what cost throughput.

import { h } from "../dom";
import type { Ribbon } from "../types";

interface Place {
  readonly x: (t: number) => number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly row: number;
  readonly colour: (name: string) => string;
}

/** The rows in the order of their first spans. */
export function rows(ribbons: readonly Ribbon[]): string[] {
  return [...new Set(ribbons.map((r) => r.row))];
}

/** The span at an instant in a row; null where there is none. */
export function ribbonAt(ribbons: readonly Ribbon[], t: number, row: number): Ribbon | null {
  const name = rows(ribbons)[row];
  return ribbons.find((r) => r.row === name && r.from_ns <= t && t < r.until_ns) ?? null;
}

export function drawRibbons(g: CanvasRenderingContext2D, ribbons: readonly Ribbon[], place: Place): void {
  const names = rows(ribbons);
  g.font = "11px system-ui, sans-serif";
  g.textAlign = "right";
  for (const [i, name] of names.entries()) {
    const y = place.top + i * place.row + 2;
    g.fillStyle = place.colour("--muted");
    g.fillText(name, place.left - 8, y + place.row - 4);
    for (const r of ribbons) {
      if (r.row !== name) continue;
      const [x0, x1] = [Math.max(place.left, place.x(r.from_ns)), Math.min(place.right, Math.max(place.x(r.until_ns), place.x(r.from_ns) + 1))];
      if (x1 <= x0) continue;
      g.fillStyle = place.colour(r.style < 0 ? "--bad" : `--line-${r.style % 8}`);
      g.fillRect(x0, y, x1 - x0, place.row - 3);
    }
  }
}

/** What the colours are, each once. */
export function ribbonKey(ribbons: readonly Ribbon[]): HTMLElement | null {
  if (ribbons.length === 0) return null;
  const seen = new Map(ribbons.map((r) => [`${r.row}: ${r.text.replace(/,.*/, "")}`, r.style]));
  const entry = ([text, style]: [string, number]): HTMLElement => h("li", {}, h("span", { class: `ribbon-key ribbon-${style < 0 ? "bad" : style % 8}`, "aria-hidden": "true" }), text);
  return h("div", { class: "sequence-key" }, h("ul", {}, ...[...seen].map(entry)));
}
