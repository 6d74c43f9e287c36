// What repeats with other seeds give: the distribution of each metric that they change.

import { h, plural, section } from "../dom";
import { drawn, fileName, type Drawn } from "../drawn";
import { distributions, LEAST, type Distribution } from "../distribution";
import { describeDistribution, drawDistribution } from "../figure/distribution";
import * as format from "../format";
import type { ReportData } from "../types";

/** Metrics shown without being asked for; those of which something is expected are too. */
const MAIN: readonly string[] = ["highest_bps", "goodput_bps", "rtt_avg_ns", "delay_avg_ns", "loss_ratio", "recovery_s", "retransmits", "response_avg_ns", "flow_time_avg_ns"];

function figure(data: ReportData, of: Distribution): Drawn {
  const at = format.point(of.point);
  const id = fileName("repeats", of.test, of.metric, at);
  return {
    file: fileName(data.scenario.name, of.test, of.metric, at, "repeats"), class: "repeats",
    title: `${of.test}: ${format.metricName(of.metric)} over the repeats${of.key === null ? "" : `, by ${of.key}`}${at === "" ? "" : `, ${at}`}`,
    draw: (width) => drawDistribution(of, id, width),
    below: () => [h("figcaption", {}, `${describeDistribution(of)}.`)],
  };
}

/** A figure for each metric that differs between repeats, where there are enough of them. */
export function repeatFigures(data: ReportData): Drawn[] {
  return distributions(data).map((of) => figure(data, of));
}

export function repeats(data: ReportData): HTMLElement | null {
  const all = distributions(data);
  if (all.length === 0) return null;
  const expected = new Set(data.document.expectations.map((e) => e.metric));
  const main = all.filter((d) => MAIN.includes(d.metric) || expected.has(`${d.test}.${d.metric}`));
  const rest = all.filter((d) => !main.includes(d));
  const make = (list: readonly Distribution[]): HTMLElement => h("div", { class: "pairs" }, ...list.map((of) => drawn(figure(data, of))));
  const most = Math.max(...all.flatMap((d) => d.samples.map((s) => s.values.length)));
  return section("repeats", "Repeats",
    h("p", {}, `Each curve rises by one step at the result of each repeat: at least ${LEAST} are needed, and here there are ${most}. A dotted line is an origin with one result for all of them. The values of a swept key have a curve each, and such results are in the words below.`),
    make(main),
    rest.length === 0 ? null : h("details", {}, h("summary", {}, plural(rest.length, "more metric")), make(rest)));
}
