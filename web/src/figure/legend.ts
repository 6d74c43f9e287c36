// A legend that takes as many rows as it needs: nothing of it is cut.

import { n, shape, type Shape } from "../svg";

export interface Entry {
  readonly text: string;
  /** Of its sign, in pixels. */
  readonly width: number;
  /** Draws the sign from x on, around y. */
  readonly draw: (x: number, y: number) => Shape;
}

/** A 12-pixel letter of the heavier weight, on average. */
const LETTER = 7.1;
const ROW = 21;
const GAP = 18;

/** The entries in rows of at most `width`, the first row's middle at `y`. */
export function drawLegend(entries: readonly Entry[], width: number, y: number): { readonly shapes: Shape[]; readonly height: number } {
  let [x, row] = [2, y];
  const shapes = entries.map((entry) => {
    const taken = entry.width + 7 + entry.text.length * LETTER;
    if (x > 2 && x + taken > width) [x, row] = [2, row + ROW];
    const drawn = shape("g", { class: "legend-entry" }, entry.draw(x, row), shape("text", { class: "strong", x: n(x + entry.width + 7), y: n(row + 4) }, entry.text));
    x += taken + GAP;
    return drawn;
  });
  return { shapes, height: entries.length === 0 ? 0 : row + ROW / 2 };
}
