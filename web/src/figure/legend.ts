// A legend that takes as many rows as it needs: nothing of it is cut.

import { n, shape, type Shape } from "../svg";

export interface Entry {
  readonly text: string;
  /** Of its sign, in pixels; 0 without one. */
  readonly width: number;
  /** Draws the sign from x on, around y. */
  readonly draw: (x: number, y: number) => Shape;
}

/** A 12-pixel letter of the heavier weight, on average, of a wide font such as DejaVu Sans. */
const LETTER = 7.9;
const ROW = 21;
/** From a line of an entry to its next. */
const LINE = 15;
const GAP = 18;

/** A text in lines of at most `letters`, broken at blanks. */
export function wrapped(text: string, letters: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= letters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The entries in rows of at most `width`, the first row's middle at `y`; an entry that is wider has lines. */
export function drawLegend(entries: readonly Entry[], width: number, y: number): { readonly shapes: Shape[]; readonly height: number } {
  let [x, row] = [2, y];
  const shapes = entries.map((entry) => {
    const sign = entry.width === 0 ? 0 : entry.width + 7;
    const taken = sign + entry.text.length * LETTER;
    if (x > 2 && x + taken > width) [x, row] = [2, row + ROW];
    const lines = x + taken > width ? wrapped(entry.text, Math.floor((width - x - sign) / LETTER)) : [entry.text];
    const texts = lines.map((text, i) => shape("text", { class: "strong", x: n(x + sign), y: n(row + 4 + i * LINE) }, text));
    const drawn = shape("g", { class: "legend-entry" }, entry.draw(x, row), ...texts);
    row += (lines.length - 1) * LINE;
    x += taken + GAP;
    return drawn;
  });
  return { shapes, height: entries.length === 0 ? 0 : row + ROW / 2 };
}
