// What a plot over time shows, as plain data.

import type { Maybe } from "../types";

export interface TimeSeries {
  readonly name: string;
  readonly t_ns: readonly number[];
  readonly v: readonly Maybe[];
  /** Index into the page's line colours. */
  readonly style: number;
  /** Index into the dashes; among points, odd ones are filled. */
  readonly dash: number;
  /** Each value holds for the interval that ends at its time. */
  readonly stepped?: boolean;
  /** Too few to be a curve: shown as points. */
  readonly points?: boolean;
  /** A predicted constant. */
  readonly reference?: boolean;
}

export interface TimePlot {
  readonly title: string;
  readonly hint?: string;
  readonly series: readonly TimeSeries[];
  /** A value with its unit, with as many digits as are wanted. */
  readonly format: (value: number, significant?: number) => string;
  readonly fromZero: boolean;
}

export const DASHES: readonly number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [12, 4, 4, 4], [3, 6], [1, 2]];
