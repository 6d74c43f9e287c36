// Keys of a sweep that do not touch a test: its rows stand in the table once, as in the terminal.

import type { Row } from "./results";
import type { Point, ReportData, TestRecord } from "./types";

/** Stands for every value of such a key. */
export const ANY = "any";

/** A point without a key, as text. */
function without(point: Point, key: string): string {
  return JSON.stringify(Object.entries(point).filter(([k]) => k !== key).sort());
}

/** Things by a text of theirs, in their order. */
function by<T>(all: readonly T[], name: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(name(one), [...(groups.get(name(one)) ?? []), one]);
  return [...groups.values()];
}

/** What is found of a test in a run, as text. */
function found({ metrics, limited_by, valid, notes }: TestRecord): string {
  return JSON.stringify([Object.entries(metrics).sort(), limited_by, valid, notes]);
}

function said({ values, untrusted, stated, limitedBy, notes, expectations }: Row): string {
  return JSON.stringify([[...values], untrusted ?? [], stated, limitedBy, notes, expectations.map(({ origin, min, max, actual, pass }) => [origin, min, max, actual, pass])]);
}

/** How many values of a key a test was run at, where there are several and its records say the same at each; else 0. */
function valuesOf(records: readonly TestRecord[], key: string): number {
  const count = new Set(records.flatMap((r) => r.point[key] ?? [])).size;
  const groups = by(records, (r) => JSON.stringify([r.origin, r.repeat, without(r.point, key)]));
  return count > 1 && groups.every((g) => g.length === count && g.every((r) => found(r) === found(g[0]!))) ? count : 0;
}

/** Rows of tests of which every figure, by each origin and in each repeat, is the same at all values of a key: once. */
export function folded(data: ReportData, rows: readonly Row[]): Row[] {
  const records = data.document.records.filter((r) => r.kind !== "search");
  return (data.keys ?? []).reduce<Row[]>((left, { key }) => by(left, (row) => row.test).flatMap((mine) => {
    const count = valuesOf(records.filter((r) => r.test === mine[0]!.test), key);
    const groups = by(mine, (row) => JSON.stringify([row.metric, without(row.point, key)]));
    const same = count > 1 && groups.every((g) => g.length === count && g.every((row) => said(row) === said(g[0]!)));
    return same ? groups.map(([row]) => ({ ...row!, point: { ...row!.point, [key]: ANY } })) : mine;
  }), [...rows]);
}
