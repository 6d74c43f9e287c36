// Where the labels of links stand: beside their bands, and over no node, no band and no other label.

import type { Band, Layout, NodeBox, Port } from "./layout";

/** A line of a label, around the middle `x` on the base line `y`. */
export interface Word {
  readonly text: string;
  /** The link's name; the rest says what it is. */
  readonly strong: boolean;
  readonly x: number;
  readonly y: number;
}

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

type Point = readonly [x: number, y: number];

const LINE = 14;
/** Letters of both weights, on average, and how far they reach over and under their base line. */
const [STRONG, PLAIN] = [7.2, 6.4];
const [OVER, UNDER] = [9, 2];
/** Where along its band a label may stand that has no room at its middle, and how far from it. */
const PLACES = [0.5, 0.35, 0.65, 0.2, 0.8];
const GAPS = [6, 20, 40, 70];
/** Points of a band that are asked about. */
const STEPS = 40;

/** How far the ends of a band run level. */
export function reach(from: Port, to: Port): number {
  return from.outward === to.outward ? 90 : Math.abs(to.x - from.x) / 2;
}

/** A point of a band's middle, from 0 at its left end to 1 at its right one. */
function along({ left, right }: Band, t: number): Point {
  const r = reach(left, right);
  const u = 1 - t;
  const at = (a: number, b: number, c: number, d: number): number => u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
  return [at(left.x, left.x + left.outward * r, right.x + right.outward * r, right.x), at(left.y, left.y, right.y, right.y)];
}

/** The room that a line takes. */
export function boxOf({ text, strong, x, y }: Word): Box {
  const half = (text.length * (strong ? STRONG : PLAIN)) / 2;
  return { left: x - half, right: x + half, top: y - OVER, bottom: y + UNDER };
}

/** Whether two rooms have a part in common. */
export function meet(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** A node's room, and that of a router's name above it. */
function roomOf({ name, kind, x, y, width, height }: NodeBox): Box[] {
  const box = { left: x, right: x + width, top: y, bottom: y + height };
  return kind === "host" ? [box] : [box, boxOf({ text: name, strong: true, x: x + width / 2, y: y - 10 })];
}

/** A label where bands that run level have it: around the middle, its name above and the rest below; of a wide band all is above. */
function plain(band: Band): Word[] {
  const loop = band.left.outward === band.right.outward;
  const x = loop ? band.left.x + 80 : (band.left.x + band.right.x) / 2;
  const middle = (band.left.y + band.right.y) / 2;
  const wide = band.lanes > 2;
  const y = middle - band.height / 2 - 8;
  const rest = band.text.map((text, i) => ({ text, strong: false, x, y: wide ? y : middle + band.height / 2 + 16 + i * LINE }));
  return [{ text: band.link.name, strong: true, x, y: wide ? y - 16 : y }, ...rest];
}

/** Its lines one under the other, around that middle and from there down. */
function stacked(band: Band, x: number, top: number): Word[] {
  return [band.link.name, ...band.text].map((text, i) => ({ text, strong: i === 0, x, y: top + OVER + 2 + i * LINE }));
}

/** All places that a label may have, the best first: above, below, right and left of points of its band. */
function candidates(band: Band): Word[][] {
  const words = stacked(band, 0, 0);
  const half = Math.max(...words.map((word) => boxOf(word).right));
  const [height, away] = [words.length * LINE, band.height / 2];
  const beside = GAPS.flatMap((gap) => PLACES.flatMap((t) => {
    const [x, y] = along(band, t);
    return [
      stacked(band, x, y - away - gap - height), stacked(band, x, y + away + gap),
      stacked(band, x + away + gap + half, y - height / 2), stacked(band, x - away - gap - half, y - height / 2),
    ];
  }));
  return [plain(band), ...beside];
}

/** The labels of all bands, level ones first. Where no place is free, it is the one that covers least. */
export function labels(drawing: Layout): { readonly band: Band; readonly words: readonly Word[] }[] {
  const edges = drawing.bands.flatMap((band) => Array.from({ length: STEPS + 1 }, (_, i) => along(band, i / STEPS))
    .flatMap(([x, y]) => [-band.height / 2, 0, band.height / 2].map((by): Point => [x, y + by])));
  const taken: Box[] = drawing.nodes.flatMap(roomOf);
  const covers = (boxes: readonly Box[], first: boolean): number => {
    const others = taken.reduce((sum, box) => sum + boxes.filter((own) => meet(own, box)).length, 0);
    const points = boxes.reduce((sum, b) => sum + edges.filter(([x, y]) => b.left < x && x < b.right && b.top < y && y < b.bottom).length, 0);
    const outside = (b: Box): boolean => b.left < 0 || b.right > drawing.width || b.top < 0 || b.bottom > drawing.height;
    return points + 20 * others + (first ? 0 : 50 * boxes.filter(outside).length);
  };
  const climbs = ({ left, right }: Band): number => Number(Math.abs(left.y - right.y) > 4);
  return [...drawing.bands].sort((p, q) => climbs(p) - climbs(q)).map((band) => {
    let best: { readonly words: Word[]; readonly covered: number } | null = null;
    for (const [i, words] of candidates(band).entries()) {
      const covered = covers(words.map(boxOf), i === 0);
      if (best === null || covered < best.covered) best = { words, covered };
      if (covered === 0) break;
    }
    const words = best?.words ?? plain(band);
    taken.push(...words.map(boxOf));
    return { band, words };
  });
}
