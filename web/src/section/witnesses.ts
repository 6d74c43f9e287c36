// Where several origins saw one loss: their windows over each other, and how far they lie apart.

import { section } from "../dom";
import { drawn, fileName } from "../drawn";
import { drawWitnesses } from "../figure/witnesses";
import type { ReportData } from "../types";

export function witnesses(data: ReportData): HTMLElement | null {
  const { records } = data.document;
  const tests = [...new Set(records.filter((r) => typeof r.metrics["cut_s"] === "number").map((r) => r.test))];
  const figures = tests.flatMap((test) => {
    const mine = records.filter((r) => r.test === test);
    const draw = (width: number): ReturnType<typeof drawWitnesses> => drawWitnesses(mine, { id: `witnesses-${test}`, width });
    if (!draw(1040)) return [];
    return [drawn({
      file: fileName(data.scenario.name, test, "witnesses"), class: "sweep", title: `${test}: the window after one lost segment`, draw: (width) => draw(width)!,
    })];
  });
  return figures.length === 0 ? null : section("witnesses", "One loss, several witnesses", ...figures);
}
