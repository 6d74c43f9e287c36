// What repeats with other seeds give: the distribution of each metric that they change.

import { h, plural, section } from "../dom";
import { drawn, fileName, type Drawn } from "../drawn";
import { distributions, LEAST, type Distribution } from "../distribution";
import { describeDistribution, drawDistribution } from "../figure/distribution";
import * as format from "../format";
import { FOUND } from "../results";
import type { ReportData } from "../types";

/** Metrics shown without being asked for; those of which something is expected are too. */
const MAIN: readonly string[] = [...FOUND, "goodput_bps", "rtt_avg_ns", "delay_avg_ns", "loss_ratio", "recovery_s", "retransmits", "response_avg_ns", "flow_time_avg_ns"];

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

/** Sentences of so many metrics and points are written out; of more it is said how many. */
const MIXED = 6;

/** Where the repeats of a metric are of two kinds, with none between: how many are near which value. */
export function mixtures(data: ReportData): string[] {
  const expected = new Set(data.document.expectations.map((e) => e.metric));
  const shown = (data.document.repeats?.metrics ?? []).filter((m) => MAIN.includes(m.metric) || expected.has(`${m.test}.${m.metric}`));
  const said = shown.flatMap(({ test, metric, origin, point, two_kinds: kinds }) => {
    if (kinds === undefined) return [];
    const words = kinds.map((kind) => `${kind.n} near ${format.metric(metric, kind.mean)}`).join(", ");
    return [`${[`${test} ${format.metricName(metric)}`, origin, format.point(point)].filter((t) => t !== "").join(", ")}: ${words}.`];
  });
  return said.length > MIXED ? [...said.slice(0, MIXED), `And ${said.length - MIXED} more.`] : said;
}

/** The same as one paragraph; none of repeats of one kind. */
function mixed(data: ReportData): HTMLElement | null {
  const said = mixtures(data);
  return said.length === 0 ? null : h("p", { class: "note" }, `Two kinds of run, with none between, so that a mean is like neither. ${said.join(" ")}`);
}

export function repeats(data: ReportData): HTMLElement | null {
  const all = distributions(data);
  const kinds = mixed(data);
  if (all.length === 0) return kinds === null ? null : section("repeats", "Repeats", kinds);
  const expected = new Set(data.document.expectations.map((e) => e.metric));
  const main = all.filter((d) => MAIN.includes(d.metric) || expected.has(`${d.test}.${d.metric}`));
  const rest = all.filter((d) => !main.includes(d));
  const make = (list: readonly Distribution[]): HTMLElement => h("div", { class: "pairs" }, ...list.map((of) => drawn(figure(data, of))));
  const most = Math.max(...all.flatMap((d) => d.samples.map((s) => s.values.length)));
  return section("repeats", "Repeats",
    h("p", {}, `Each curve rises by one step at the result of each repeat: at least ${LEAST} are needed, and here there are ${most}. A dotted line is an origin with one result for all of them. The values of a swept key have a curve each, and such results are in the words below.`),
    kinds,
    make(main),
    rest.length === 0 ? null : h("details", {}, h("summary", {}, plural(rest.length, "more metric")), make(rest)));
}
