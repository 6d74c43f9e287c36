// What a sweep gives: a figure for each metric that changes, and the windows after a loss event.

import { drawn, fileName, type Drawn } from "../drawn";
import { h, plural, section } from "../dom";
import * as format from "../format";
import { coarse, cutOff, drawRecovery, recoveryKey, windowsInWords, windowsOf } from "../figure/recovery";
import { lawsInWords } from "../figure/law";
import { signsInWords } from "../figure/signs";
import { drawSweep, SPREAD } from "../figure/sweep";
import { METRICS } from "../registry";
import { FAIRNESS, FOUND } from "../results";
import { groupRecords, linkRecords, MEMBER, ranged, ratioRecords, sweepOf, sweepOfRecords, sweptKeys, type Look, type Sweep } from "../sweep";
import type { ReportData, TestRecord } from "../types";

/** Metrics whose figures are shown without being asked for, where they change. */
const MAIN: readonly string[] = [
  ...FOUND, "goodput_bps", "rtt_avg_ns", "rtt_p99_ns", "delay_avg_ns", "delay_p99_ns", "loss_ratio", "recovery_s", "completion_ns", "response_avg_ns",
  "response_p99_ns", "flow_time_avg_ns", "flow_time_p99_ns", "jain_index", "retransmits", "jitter_ns",
];
/** Those of one direction of a link. */
const OF_LINKS: readonly string[] = ["drops", "rate_mean_bps", "queue_max_bytes", "queue_p99_bytes"];

/** What the signs of a figure mean, and where it has gaps. */
export function captionOf(sweep: Sweep): string {
  const marks = sweep.panels.flatMap((p) => p.marks);
  const says = marks.some((m) => m.y !== null) ? "Diamonds: what the source states, where its words name one figure." : "";
  const allowed = marks.some((m) => m.low !== null && m.high !== null) ? "Brackets: the allowed band." : "";
  const spread = sweep.panels.some((p) => p.series.some((s) => s.cells.some((c) => c && c.low < c.high))) ? `Points and upright lines: ${SPREAD[sweep.bars]} of the repeats.` : "";
  const cut = sweep.log && sweep.panels.some((p) => p.series.some((s) => s.cells.some((c) => c && c.low <= 0 && c.y > 0))) ? "Arrows: on to 0 or less, where a logarithmic axis does not reach." : "";
  const invalid = sweep.panels.some((p) => p.series.some((s) => s.cells.some((c) => c?.invalid))) ? `${sweep.x.numbers === null && !sweep.log ? "Dashed outlines" : "Hollow and crossed"}: INVALID, the certificate failed.` : "";
  const together = sweep.x.numbers !== null && sweep.x.keys.length > 1 ? `Together: ${sweep.x.steps.map((step) => format.unbroken(format.point(step))).join("; ")}.` : "";
  const few = sweep.rare.length === 0 ? "" : `Left out, for fewer than half of the repeats have it: ${sweep.rare.join("; ")}.`;
  const gaps = sweep.missing.length === 0 ? "" : `Nothing was found for: ${sweep.missing.join("; ")}.`;
  return [signsInWords(sweep), together, says, allowed, spread, cut, invalid, few, gaps].filter((t) => t !== "").join(" ");
}

/** Whether there is anything to draw: all points may be left out, where few repeats have the metric. */
const hasPoints = (sweep: Sweep): boolean => sweep.panels.some((p) => p.series.some((s) => s.cells.some((c) => c != null)));

function figure(data: ReportData, sweep: Sweep | null, look: Look = {}): Drawn[] {
  if (!sweep || !hasPoints(sweep)) return [];
  const { test: name, metric } = sweep;
  const beside = [sweep.colour?.name, ...(sweep.panels.length > 1 ? ["panels"] : [])].length;
  const by = sweep.colour === null ? "" : `, by ${sweep.colour.name}`;
  return [{
    file: fileName(data.scenario.name, name, metric), class: `sweep keys-${beside}`,
    title: `${format.called(name)}: ${format.metricName(metric)} against ${sweep.x.name}${by}`,
    draw: (width, on = look.laws ?? [], range) => drawSweep(range === undefined ? sweep : ranged(sweep, range), { id: fileName("sweep", name, metric), width, laws: on }),
    kind: format.kindOfMetric(metric),
    below: () => [h("figcaption", {}, captionOf(sweep))],
    ...(sweep.laws.length === 0 ? {} : { over: { name: "Laws", of: sweep.laws.map((law) => ({ ...law, hint: `${law.formula} (${law.source})` })), words: (on) => lawsInWords(sweep, on) } }),
  }];
}

/** Where algorithms were swept and a loss was repaired: their windows over each other. */
function windows(data: ReportData, test: string, records: readonly TestRecord[]): Drawn[] {
  const key = recoveryKey(records.filter((r) => typeof r.metrics["recovery_s"] === "number").map((r) => r.point));
  if (key === null || sweptKeys(records).some((other) => other !== key)) return [];
  const draw = (width: number): ReturnType<typeof drawRecovery> => drawRecovery(data, { id: `recovery-${test}`, test, key, width, height: 400 });
  if (!draw(1000)) return [];
  const hidden = coarse(data, test, key);
  const short = cutOff(data, test, key);
  const { caption } = windowsInWords(windowsOf(data, test, key).curves);
  return [{
    file: fileName(data.scenario.name, test, "windows"), class: "sweep windows", title: `${test}: windows after one loss event`, draw: (width) => draw(width)!,
    below: () => [h("figcaption", {}, caption), short === null ? null : h("p", { class: "note" }, short), hidden === null ? null : h("p", { class: "note" }, `${hidden.words} `, ...(hidden.command === null ? [] : [h("code", {}, hidden.command)]))],
  }];
}

/** Whether a metric says no more than what was asked for: the time of tests that a clock ended, or the bytes of those that have carried
 * all they were given. */
function asked(metric: string, records: readonly TestRecord[]): boolean {
  const having = records.filter((r) => typeof r.metrics[metric] === "number");
  if (metric === "completion_ns") return having.every((r) => r.kind === "tcp" && r.duration_ns > 0 && r.metrics[metric]! > r.duration_ns);
  return metric === "bytes" && having.every((r) => format.quantity(r.point[`test.${r.test}.bytes`] ?? "")?.value === r.metrics[metric]! / Math.max(1, r.streams.length));
}

/** The metrics of records in the order of the page: first those that are shown without being asked for. */
function metricsOf(records: readonly TestRecord[]): string[] {
  const present = new Set(records.flatMap((r) => Object.keys(r.metrics)));
  return [...MAIN, ...[...METRICS.keys()].filter((m) => !MAIN.includes(m) && !FAIRNESS.includes(m))].filter((m) => present.has(m) && !asked(m, records));
}

/** The figures of a sweep: those that are shown, and the others. */
interface Figures {
  readonly main: Drawn[];
  readonly more: Drawn[];
}

const BY_CONNECTIONS = "group_streams_jain_index";

/** Where each test has one connection, fairness by connections is that by tests. */
function byConnections(records: readonly TestRecord[], metric: string): readonly TestRecord[] {
  if (metric !== BY_CONNECTIONS || !records.some((r) => metric in r.metrics)) return records;
  return records.map((r) => (metric in r.metrics ? r : { ...r, metrics: { ...r.metrics, [metric]: r.metrics[FAIRNESS[0]!] } }) as TestRecord);
}

/** The tests of each group in one figure a metric, after their fairness. */
function groups(data: ReportData, look: Look): { readonly figures: Drawn[]; readonly drawn: ReadonlySet<string> } {
  const first = new Map(data.document.records.flatMap((r) => (r.group === undefined ? [] : [[r.group, r.test] as const])).reverse());
  const drawn = new Set<string>();
  const figures = [...first].reverse().flatMap(([group, test]) => {
    const name = `group ${group}`;
    const first = data.document.records.filter((r) => r.test === test);
    const fairness = FAIRNESS.flatMap((metric) => figure(data, sweepOfRecords(data, byConnections(first, metric), metric, name, look)));
    const together = groupRecords(data, group) ?? [];
    return fairness.concat(metricsOf(together).filter((m) => MAIN.includes(m) && m !== "jain_index").flatMap((metric) => {
      const one = figure(data, sweepOfRecords(data, together, metric, name, { ...look, colour: MEMBER }));
      if (one.length > 0) for (const r of data.document.records) if (r.group === group) drawn.add(`${r.test}.${metric}`);
      return one;
    }));
  });
  return { figures, drawn };
}

function links(data: ReportData, look: Look): Drawn[] {
  // Their means over the repeats are in no report.
  const own: Look = { ...look, bars: "range" };
  // Where series are those of the first repeat, later ones have counters alone.
  const having = (records: readonly TestRecord[], metric: string): TestRecord[] => records.filter((r) => typeof r.metrics[metric] === "number");
  return linkRecords(data).flatMap(({ name, records }) => OF_LINKS.flatMap((metric) => figure(data, sweepOfRecords(data, having(records, metric), metric, name, own))));
}

/** A record of one stream without its fairness: it is as fair as can be to itself. */
function ofSeveral(record: TestRecord): TestRecord {
  const { jain_index: alone, ...metrics } = record.metrics;
  return alone === undefined || record.streams.length !== 1 ? record : { ...record, metrics };
}

/** A figure for each metric that changes: of groups, of tests, of links. What a group's figure shows has no other without being asked for. */
function figuresOf(whole: ReportData, look: Look): Figures {
  const data = { ...whole, document: { ...whole.document, records: whole.document.records.map(ofSeveral) } };
  const { records } = data.document;
  const of = groups(data, look);
  const main = [...of.figures];
  const more: Drawn[] = [];
  for (const test of new Set(records.map((r) => r.test))) {
    const mine = records.filter((r) => r.test === test);
    if (sweptKeys(mine).length === 0) continue;
    main.push(...windows(data, test, mine));
    for (const metric of metricsOf(mine)) {
      const shown = MAIN.includes(metric) && !of.drawn.has(`${test}.${metric}`);
      (shown ? main : more).push(...figure(data, sweepOf(data, test, metric, test, look), look));
    }
  }
  for (const { metric, records: mine } of ratioRecords(data)) {
    if (sweptKeys(mine).length > 0) main.push(...figure(data, sweepOfRecords(data, mine, metric, mine[0]!.test, look)));
  }
  if (sweptKeys(data.document.links).length > 0) main.push(...links(data, look));
  return { main, more };
}

export function sweepFigures(data: ReportData, look: Look = {}): Drawn[] {
  const { main, more } = figuresOf(data, look);
  return [...main, ...more];
}

/** The others are drawn when they are asked for. */
function folded(more: readonly Drawn[]): HTMLElement | null {
  if (more.length === 0) return null;
  const details = h("details", { class: "more" }, h("summary", {}, plural(more.length, "more figure")));
  details.addEventListener("toggle", () => { if (details.children.length === 1) details.append(...more.map(drawn)); });
  return details;
}

/** What `1bdp` is, where points have it. */
export function ofBdp({ document }: ReportData): string | null {
  return format.ofBdp(document.records.flatMap((r) => Object.values(r.point)));
}

export function sweeps(data: ReportData): HTMLElement | null {
  const { main, more } = figuresOf(data, {});
  const bdp = ofBdp(data);
  return main.length + more.length === 0 ? null : section("sweep", "Sweep", bdp === null ? null : h("p", {}, bdp), ...main.map(drawn), folded(more));
}
