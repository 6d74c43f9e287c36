// Several runs on one page: the key that says which run a point is of, and what lies beside it.

import type { Point, ReportData } from "./types";

/** As `crates/experiment/src/beside.rs` writes it; keys of scenarios have dots. */
export const RUN = "run";

/** Which run a point is of; null where the page has one. */
export function runOf(point: Point): string | null {
  return point[RUN] ?? null;
}

/** The point without its run: what all runs have there is laid over each other. */
export function ofAllRuns(point: Point): Point {
  const { [RUN]: _, ...rest } = point;
  return rest;
}

/** Whether every run of the page has one point alone: then what differs between points differs between runs. */
export function isOneEach({ document, runs = [] }: Pick<ReportData, "document" | "runs">): boolean {
  const first = new Map<string, string>();
  const isSame = ({ point }: { readonly point: Point }): boolean => {
    const [run, here] = [runOf(point) ?? "", JSON.stringify(Object.entries(point).sort())];
    if (!first.has(run)) first.set(run, here);
    return first.get(run) === here;
  };
  return runs.length > 1 && document.records.every(isSame) && document.links.every(isSame);
}

/** Where a point is drawn: what has one place lies over each other, in whichever run. Runs of one point each have one place. */
export function placesOf(data: ReportData): (point: Point | undefined) => Point {
  return isOneEach(data) ? () => ({}) : (point) => ofAllRuns(point ?? {});
}
