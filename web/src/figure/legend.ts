// A legend that takes as many rows as it needs: nothing of it is cut.

import { n, shape, type Shape } from "../svg";
import { boldWidth } from "./width";

export interface Entry {
  readonly text: string;
  /** Of its sign, in pixels; 0 without one. */
  readonly width: number;
  /** Draws the sign from x on, around y. */
  readonly draw: (x: number, y: number) => Shape;
}

const ROW = 21;
/** From a line of an entry to its next. */
const LINE = 15;
const GAP = 18;

/** A text in lines of at most `letters`, broken at blanks. */
export function wrapped(text: string, letters: number): string[] {
  return linesOf(text, letters, (line) => line.length);
}

/** A text in lines that are as long as `most` by a measure, broken at blanks. */
function linesOf(text: string, most: number, long: (line: string) => number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && long(`${last} ${word}`) <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The entries in rows of at most `width`, the first row's middle at `y`; an entry that is wider has lines. */
export function drawLegend(entries: readonly Entry[], width: number, y: number): { readonly shapes: Shape[]; readonly height: number } {
  let [x, row] = [2, y];
  const shapes = entries.map((entry) => {
    const sign = entry.width === 0 ? 0 : entry.width + 7;
    const taken = sign + boldWidth(entry.text);
    if (x > 2 && x + taken > width) [x, row] = [2, row + ROW];
    const lines = x + taken > width ? linesOf(entry.text, width - x - sign, (line) => boldWidth(line)) : [entry.text];
    const texts = lines.map((text, i) => shape("text", { class: "strong", x: n(x + sign), y: n(row + 4 + i * LINE) }, text));
    const drawn = shape("g", { class: "legend-entry" }, entry.draw(x, row), ...texts);
    row += (lines.length - 1) * LINE;
    x += taken + GAP;
    return drawn;
  });
  return { shapes, height: entries.length === 0 ? 0 : row + ROW / 2 };
}
