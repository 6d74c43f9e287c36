// Where several origins saw one loss: their windows over each other, and how far they lie apart.

import { section } from "../dom";
import { drawn, fileName, type Drawn } from "../drawn";
import { drawWitnesses } from "../figure/witnesses";
import type { ReportData } from "../types";

export function witnessFigures(data: ReportData): Drawn[] {
  const { records } = data.document;
  const tests = [...new Set(records.filter((r) => typeof r.metrics["cut_s"] === "number").map((r) => r.test))];
  return tests.flatMap((test): Drawn[] => {
    const mine = records.filter((r) => r.test === test);
    const draw = (width: number): ReturnType<typeof drawWitnesses> => drawWitnesses(mine, { id: `witnesses-${test}`, width });
    if (!draw(1040)) return [];
    return [{
      file: fileName(data.scenario.name, test, "witnesses"), class: "sweep", title: `${test}: the window after one lost segment`, draw: (width) => draw(width)!,
    }];
  });
}

export function witnesses(data: ReportData): HTMLElement | null {
  const figures = witnessFigures(data).map(drawn);
  return figures.length === 0 ? null : section("witnesses", "One loss, several witnesses", ...figures);
}
