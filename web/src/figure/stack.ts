// Shares of a whole as one bar, each named inside it where there is room and in its list where there is not.

import { n, shape, type Shape } from "../svg";

export interface Share {
  readonly key: string;
  readonly name: string;
  readonly ratio: number;
}

const HEIGHT = 34;
/** A 12-pixel letter of the heavier weight, on average: of DejaVu Sans, the widest of the fonts. */
const LETTER = 8;

/** A bar, `whole` pixels wide; `tones` gives each key its fill, so that bars beside each other agree. */
export function drawStack(shares: readonly Share[], title: string, tones: ReadonlyMap<string, number>, whole: number): Shape {
  let x = 0;
  const parts: Shape[] = [shape("title", {}, title)];
  for (const share of shares) {
    const width = share.ratio * whole;
    const tone = (tones.get(share.key) ?? 0) % 6;
    parts.push(shape("g", {},
      shape("title", {}, `${share.name}: ${(share.ratio * 100).toFixed(1)} %`),
      shape("rect", { class: `share share-${tone}`, x: n(x), y: 0, width: n(Math.max(0, width - 1)), height: HEIGHT })));
    const text = `${share.name} ${(share.ratio * 100).toFixed(0)} %`;
    if (width > text.length * LETTER + 16) {
      parts.push(shape("text", { class: `share-text share-text-${tone}`, x: n(x + 8), y: HEIGHT / 2 + 4 }, text));
    }
    x += width;
  }
  return shape("svg", { class: "figure stack-figure", viewBox: `0 0 ${n(whole)} ${HEIGHT}`, width: n(whole), height: HEIGHT, role: "img", "aria-label": title }, ...parts);
}
