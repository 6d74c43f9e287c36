// Several runs on one page: the key that says which run a point is of, and what lies beside it.

import type { Point } from "./types";

/** As `crates/experiment/src/beside.rs` writes it; keys of scenarios have dots. */
const RUN = "run";

/** Which run a point is of; null where the page has one. */
export function runOf(point: Point): string | null {
  return point[RUN] ?? null;
}

/** The point without its run: what all runs have there is laid over each other. */
export function ofAllRuns(point: Point): Point {
  const { [RUN]: _, ...rest } = point;
  return rest;
}
