// Ticks of a logarithmic axis: as many as have room for their labels.

import { textWidth } from "./width";

/** The size of a label, a letter of it on average, and the least room between two, in pixels. */
const SIZE = 11;
const LETTER = 6.4;
const GAP = 8;

/** Which ticks come first: powers of ten, then their twos and fives, then all others. */
function rank(tick: number): number {
  const power = Math.floor(Math.log10(tick) + 1e-9);
  const first = Math.round(tick / 10 ** power);
  return first === 1 ? 0 : first === 2 || first === 5 ? 1 : 2;
}

/** Those of positive ticks, in order, whose labels touch none of each other and end before `end`, in pixels. */
export function roomy(ticks: readonly number[], x: (tick: number) => number, label: (tick: number) => string, end: number): number[] {
  const half = (tick: number): number => Math.max(textWidth(label(tick), SIZE), label(tick).length * LETTER) / 2;
  const kept: number[] = [];
  for (const tick of [...ticks].sort((p, q) => rank(p) - rank(q) || p - q)) {
    const apart = kept.every((other) => Math.abs(x(tick) - x(other)) >= half(tick) + half(other) + GAP);
    if (apart && x(tick) + half(tick) <= end) kept.push(tick);
  }
  return kept.sort((p, q) => p - q);
}
