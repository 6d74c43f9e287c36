// Where several origins saw one cut: their windows over each other, and how far they lie apart.

import { section } from "../dom";
import { drawn, fileName, type Drawn } from "../drawn";
import { causeOfAll, drawWitnesses, panels } from "../figure/witnesses";
import type { ReportData, TestRecord } from "../types";

/** The records of each test with a cut that two origins saw. */
function cutTests({ document: { records, links } }: ReportData): Map<string, readonly TestRecord[]> {
  const tests = [...new Set(records.filter((r) => typeof r.metrics["cut_s"] === "number").map((r) => r.test))];
  const all = tests.map((test) => [test, records.filter((r) => r.test === test)] as const);
  return new Map(all.filter(([, mine]) => panels(mine, links).length > 0));
}

/** Whether one segment was lost, for each who saw it. */
function isOneLoss(mine: readonly TestRecord[], { document: { links } }: ReportData): boolean {
  return causeOfAll(panels(mine, links)) !== "a cut";
}

export function witnessFigures(data: ReportData): Drawn[] {
  const { links } = data.document;
  return [...cutTests(data)].map(([test, mine]): Drawn => ({
    file: fileName(data.scenario.name, test, "witnesses"), class: "sweep",
    title: `${test}: the window after ${isOneLoss(mine, data) ? "one lost segment" : "a cut"}`,
    draw: (width) => drawWitnesses(mine, { id: `witnesses-${test}`, width, links })!,
  }));
}

export function witnesses(data: ReportData): HTMLElement | null {
  const figures = witnessFigures(data).map(drawn);
  if (figures.length === 0) return null;
  const one = [...cutTests(data).values()].every((mine) => isOneLoss(mine, data));
  return section("witnesses", `One ${one ? "loss" : "cut"}, several witnesses`, ...figures);
}
