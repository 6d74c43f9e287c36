// Where several origins saw one loss: their windows over each other, and how far they lie apart.

import { h, scroller, section } from "../dom";
import { drawWitnesses } from "../figure/witnesses";
import { toDom } from "../svg";
import type { ReportData } from "../types";

export function witnesses(data: ReportData): HTMLElement | null {
  const { records } = data.document;
  const tests = [...new Set(records.filter((r) => typeof r.metrics["cut_s"] === "number").map((r) => r.test))];
  const figures = tests.flatMap((test) => {
    const drawing = drawWitnesses(records.filter((r) => r.test === test), { id: `witnesses-${test}`, width: 1040 });
    if (!drawing) return [];
    const title = `${test}: the window after one lost segment`;
    return [h("figure", { class: "sweep" }, h("h3", {}, title), scroller(title, toDom(drawing)))];
  });
  return figures.length === 0 ? null : section("witnesses", "One loss, several witnesses", ...figures);
}
