import { describe, expect, it } from "vitest";

import { drawLegend, type Entry } from "../src/figure/legend";
import { boldWidth, textWidth } from "../src/figure/width";
import { shape, toText } from "../src/svg";

const entry = (text: string): Entry => ({ text, width: 18, draw: (x, y) => shape("path", { d: `M${x},${y}h18` }) });

/** Where each text of a legend ends in DejaVu Sans Bold. */
function ends(texts: readonly string[], width: number): number[] {
  const { shapes } = drawLegend(texts.map(entry), width, 12);
  const found = shapes.map((s) => toText(s)).join("").matchAll(/<text class="strong" x="([\d.]+)"[^>]*>([^<]*)</g);
  return [...found].map((m) => Number(m[1]) + boldWidth(m[2]!));
}

describe("a legend", () => {
  it("breaks an entry that is wider than the figure", () => {
    const long = "reno: not back when the run ends, formula 99.7 s";
    expect(Math.max(...ends([long, "cubic"], 340))).toBeLessThanOrEqual(340);
  });

  it("has room for wide letters", () => {
    // By a mean letter these were two in a row of 170 pixels, and the second was cut.
    const wide = ["WWWWMMMM", "mmmmmmmm"];
    expect(Math.max(...ends(wide, 170))).toBeLessThanOrEqual(170);
    // By the advances in the font, at 12 pixels.
    expect(Math.abs(boldWidth("median, from least to greatest") - 207.9)).toBeLessThan(5);
    expect(textWidth("WWW")).toBeLessThan(boldWidth("WWW"));
  });

  it("of forty entries stays inside the figure and under itself", () => {
    const many = Array.from({ length: 40 }, (_, i) => `bulk stream ${i}, simulated`);
    const { shapes, height } = drawLegend(many.map(entry), 360, 12);
    expect(shapes).toHaveLength(40);
    expect(Math.max(...ends(many, 360))).toBeLessThanOrEqual(360);
    expect(height).toBeGreaterThan(20 * 21 - 21);
  });
});
