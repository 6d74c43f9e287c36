// How long single answers, flows and connections of a test took: their distribution.

import { h, section } from "../dom";
import { BY_SIZE, timed, type Distribution } from "../distribution";
import { drawn, fileName, type Drawn } from "../drawn";
import { describeDistribution, drawDistribution, nameOfMetric } from "../figure/distribution";
import * as format from "../format";
import type { ReportData } from "../types";

function figure(data: ReportData, of: Distribution): Drawn {
  const at = format.point(of.point);
  const by = of.key === BY_SIZE ? ["by size"] : [];
  const id = fileName("times", of.test, of.metric, at, ...by);
  return {
    file: fileName(data.scenario.name, of.test, of.metric, at, of.over, ...by), class: "repeats",
    title: `${of.test}: ${nameOfMetric(of)} over the ${of.over}${of.key === null ? "" : `, by ${of.key}`}${at === "" ? "" : `, ${at}`}`,
    draw: (width) => drawDistribution(of, id, width),
    below: () => [h("figcaption", {}, `${describeDistribution(of)}.`)],
  };
}

/** A figure for each test that has many answers, flows or connections. */
export function timesFigures(data: ReportData): Drawn[] {
  return timed(data).map((of) => figure(data, of));
}

export function times(data: ReportData): HTMLElement | null {
  const all = timed(data);
  if (all.length === 0) return null;
  const several = data.document.records.some((r) => r.repeat > 0) ? " Of several repeats it is the first." : "";
  return section("times", "Single times",
    h("p", {}, `Each curve says which share of the ${[...new Set(all.map((of) => of.over))].join(" or ")} of one run took at most so long.${several}`),
    h("div", { class: "pairs" }, ...all.map((of) => drawn(figure(data, of)))));
}
