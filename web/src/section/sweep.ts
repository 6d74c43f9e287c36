// What a sweep gives: a figure for each metric that changes, and the windows after a loss.

import { drawn, fileName, type Drawn } from "../drawn";
import { h, section } from "../dom";
import * as format from "../format";
import { coarse, drawRecovery, hasFormula, recoveryKey } from "../figure/recovery";
import { drawSweep, SPREAD } from "../figure/sweep";
import { sweepOf, sweptKeys, type Look, type Sweep } from "../sweep";
import type { ReportData, TestRecord } from "../types";

/** Metrics that have a figure where they change; how long a `tcp` test took is its `duration`. */
const METRICS: readonly string[] = [
  "highest_bps", "goodput_bps", "rtt_avg_ns", "delay_avg_ns", "loss_ratio", "recovery_s", "completion_ns", "response_avg_ns", "flow_time_avg_ns",
  "jain_index", "retransmits", "jitter_ns",
];

/** What the signs of a figure mean, and where it has gaps. */
export function captionOf(sweep: Sweep): string {
  const bars = sweep.x.numbers === null;
  const predicted = sweep.origins.includes("predicted") && sweep.origins.length > 1 ? (bars ? "Predicted: outlined bars." : "Predicted: dashed, open squares.") : "";
  const marks = sweep.panels.flatMap((p) => p.marks);
  const says = marks.some((m) => m.y !== null) ? "Diamonds: what the source states, where its words name one figure." : "";
  const allowed = marks.some((m) => m.low !== null && m.high !== null) ? "Brackets: the allowed band." : "";
  const spread = sweep.panels.some((p) => p.series.some((s) => s.cells.some((c) => c && c.low < c.high))) ? `Points and upright lines: ${SPREAD[sweep.bars]} of the repeats.` : "";
  const invalid = sweep.panels.some((p) => p.series.some((s) => s.cells.some((c) => c?.invalid))) ? "Hollow and crossed: INVALID, the certificate failed." : "";
  const together = sweep.x.numbers !== null && sweep.x.keys.length > 1 ? `Together: ${sweep.x.steps.map(format.point).join("; ")}.` : "";
  const few = sweep.rare.length === 0 ? "" : `Left out, for fewer than half of the repeats have it: ${sweep.rare.join("; ")}.`;
  const gaps = sweep.missing.length === 0 ? "" : `Nothing was found for: ${sweep.missing.join("; ")}.`;
  const bdp = format.ofBdp([...sweep.x.values, ...(sweep.colour?.values ?? []), ...sweep.panels.map((p) => p.name)]) ?? "";
  return [predicted, together, says, allowed, spread, invalid, few, gaps, bdp].filter((t) => t !== "").join(" ");
}

function figure(data: ReportData, look: Look, test: string, metric: string, name = test): Drawn[] {
  const sweep = sweepOf(data, test, metric, name, look);
  if (!sweep) return [];
  const beside = [sweep.colour?.name, ...(sweep.panels.length > 1 ? ["panels"] : [])].length;
  const by = sweep.colour === null ? "" : `, by ${sweep.colour.name}`;
  return [{
    file: fileName(data.scenario.name, name, metric), class: `sweep keys-${beside}`,
    title: `${name}: ${format.metricName(metric)} against ${sweep.x.name}${by}`,
    draw: (width) => drawSweep(sweep, { id: fileName("sweep", name, metric), width }),
    below: () => [h("figcaption", {}, captionOf(sweep))],
  }];
}

/** Where algorithms were swept and a loss was repaired: their windows over each other. */
function windows(data: ReportData, test: string, records: readonly TestRecord[]): Drawn[] {
  const key = recoveryKey(records.filter((r) => typeof r.metrics["recovery_s"] === "number").map((r) => r.point));
  if (key === null || sweptKeys(records).some((other) => other !== key)) return [];
  const draw = (width: number): ReturnType<typeof drawRecovery> => drawRecovery(data, { id: `recovery-${test}`, test, key, width, height: 400 });
  if (!draw(1000)) return [];
  const hidden = coarse(data, test, key);
  const origins = `${hasFormula(data, test) ? "Dashed: the formula, round by round; solid: the simulation" : "The simulation"}, at the end of each interval.`;
  return [{
    file: fileName(data.scenario.name, test, "windows"), class: "sweep windows", title: `${test}: windows after one loss`, draw: (width) => draw(width)!,
    below: () => [h("figcaption", {}, origins), hidden === null ? null : h("p", { class: "note" }, `${hidden.words} `, h("code", {}, hidden.command))],
  }];
}

/** A figure for each metric that changes, group by group and test by test. */
export function sweepFigures(data: ReportData, look: Look = {}): Drawn[] {
  const { records } = data.document;
  const tests = [...new Set(records.map((r) => r.test))];
  const figures = tests.flatMap((test) => {
    const mine = records.filter((r) => r.test === test);
    if (sweptKeys(mine).length === 0) return [];
    return windows(data, test, mine).concat(METRICS.filter((metric) => mine.some((r) => typeof r.metrics[metric] === "number" && !(metric === "completion_ns" && r.kind === "tcp"))).flatMap((metric) => figure(data, look, test, metric)));
  });
  const groups = new Map(records.flatMap((r) => (r.group === undefined ? [] : [[r.group, r.test] as const])).reverse());
  for (const [group, test] of [...groups].reverse()) figures.unshift(...figure(data, look, test, "group_jain_index", `group ${group}`));
  return figures;
}

export function sweeps(data: ReportData): HTMLElement | null {
  const figures = sweepFigures(data);
  return figures.length === 0 ? null : section("sweep", "Sweep", ...figures.map(drawn));
}
