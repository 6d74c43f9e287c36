// What a plot over time shows, as plain data.

import type { Maybe } from "../types";

export interface TimeSeries {
  readonly name: string;
  readonly t_ns: readonly number[];
  readonly v: readonly Maybe[];
  /** Index into the page's line colours; of a series that belongs to none, negative. */
  readonly style: number;
  /** Index into the dashes; of few points, which are hollow where the sum of both indices is even. */
  readonly dash: number;
  /** Each value holds for the interval that ends at its time. */
  readonly stepped?: boolean;
  /** Single packets: shown as points, as a line would join those on either side of losses. */
  readonly points?: boolean;
  /** A predicted constant: a fine line. */
  readonly reference?: boolean;
}

export interface TimePlot {
  readonly title: string;
  readonly hint?: string;
  /** What the series do not show of themselves; stands below the title, in files too. */
  readonly note?: string;
  readonly series: readonly TimeSeries[];
  /** A value with its unit, with as many digits as are wanted. */
  readonly format: (value: number, significant?: number) => string;
  readonly fromZero: boolean;
}

export const DASHES: readonly number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [12, 4, 4, 4], [3, 6], [1, 2]];
/** That of a predicted constant, unless its first is taken. */
const FINE: readonly number[] = [3, 4];
/** How many line colours the page has. */
const COLOURS = 8;

/** Where nothing is above zero, how far an axis from zero goes: its ticks are whole units. */
const NOTHING = 10;

/** What of the y axis is shown: the values, with a little air. */
export function roomFor(values: readonly number[], fromZero: boolean): [low: number, high: number] {
  const [low, high] = values.length === 0 ? [0, 0] : [fromZero ? 0 : Math.min(...values), Math.max(...values)];
  if (fromZero && high <= 0) return [0, NOTHING];
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  return [fromZero ? 0 : low - room, high + room];
}

/** Says that an axis does not start at 0; nothing of one that has it. */
export function startOf(values: readonly number[], fromZero: boolean): string {
  return values.length > 0 && roomFor(values, fromZero)[0] > 0 ? "axis not from 0" : "";
}

/** The lengths of a line and its gaps; none of a solid line. */
export function dashOf(s: TimeSeries): readonly number[] {
  const dash = s.dash % DASHES.length;
  return s.reference && dash === 0 ? FINE : DASHES[dash]!;
}

/** More points than this are drawn small. */
const FEW = 100;

/** Whether the points of a series are so many that they are drawn small. */
export function isDense(s: TimeSeries): boolean {
  return s.points === true && s.t_ns.length > FEW;
}

/** Whether the points of a series are drawn as rings; small ones have no room for that. */
export function isHollow(s: TimeSeries): boolean {
  return !isDense(s) && (s.style + s.dash) % 2 === 0;
}

/** The name of its colour in the style sheet. */
export function colourOf(s: TimeSeries): string {
  return s.style < 0 ? "" : `line-${s.style % COLOURS}`;
}

/** What a reader tells a series by. */
function lookOf(s: TimeSeries): string {
  return JSON.stringify([colourOf(s), ...(s.points ? ["points", isHollow(s)] : [s.reference === true, dashOf(s)])]);
}

/** The series so that none is like another: one whose colour and dash are taken has another dash of that colour or, where all of these are
 * taken, of the next. More than 64 are alike again. */
export function apart(series: readonly TimeSeries[]): TimeSeries[] {
  const taken = new Set<string>();
  const others = Array.from({ length: COLOURS * DASHES.length }, (_, k) => [Math.floor(k / DASHES.length), k % DASHES.length] as const);
  return series.map((s) => {
    const own = others.map(([style, dash]): TimeSeries => ({ ...s, style: s.style < 0 ? s.style : s.style + style, dash: s.dash + dash }));
    const found = own.find((one) => !taken.has(lookOf(one))) ?? s;
    taken.add(lookOf(found));
    return found;
  });
}
