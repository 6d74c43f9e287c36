// Everything over time: RTT, goodput, windows; time–sequence traces; links and their queues. One cursor for all.

import { h, scroller, section } from "../dom";
import * as format from "../format";
import { samePoint } from "../results";
import { sequencePlot } from "../sequence/plot";
import { TimeBus } from "../time/bus";
import { timePlot, type TimePlot, type TimeSeries } from "../time/plot";
import type { LinkRecord, Point, ReportData, TestRecord } from "../types";
import { eastward } from "../figure/load";
import { load } from "./path";

/** A series' name: `goodput_bps`, or `stream.3.goodput_bps` for one stream of a parallel test. */
export function seriesKey(name: string): { stream: number | null; metric: string } {
  const match = /^(?:stream[._-]?)(\d+)[._](.+)$/.exec(name);
  return match ? { stream: Number(match[1]), metric: match[2]! } : { stream: null, metric: name };
}

const FAMILIES: readonly { readonly title: string; readonly metrics: RegExp; readonly format: (v: number) => string; readonly fromZero: boolean; readonly reference: string }[] = [
  { title: "Round-trip time", metrics: /^s?rtt(_\w+)?_ns$/, format: (v) => format.delay(v, 5), fromZero: false, reference: "rtt_min_ns" },
  { title: "Goodput", metrics: /^(goodput|sent)_bps$/, format: (v) => format.rate(v, 4), fromZero: true, reference: "goodput_bps" },
  { title: "Window and data in flight", metrics: /^(cwnd|ssthresh|flight|in_flight|window|rwnd)_bytes$/, format: (v) => format.size(v, 4), fromZero: true, reference: "" },
  { title: "One-way delay and jitter", metrics: /^(owd|delay|jitter)_ns$/, format: (v) => format.delay(v, 5), fromZero: false, reference: "" },
];

function named(record: TestRecord, stream: number | null, metric: string, several: boolean): string {
  const what = several ? ` ${metric.replace(/_(ns|bps|bytes)$/, "")}` : "";
  const repeat = record.repeat > 0 ? ` #${record.repeat}` : "";
  return `${record.test}${stream === null ? "" : ` stream ${stream}`}${repeat}${what}, ${record.origin}`;
}

function family(records: readonly TestRecord[], of: (typeof FAMILIES)[number]): TimePlot | null {
  const found: TimeSeries[] = [];
  const metrics = new Set(records.flatMap((r) => Object.keys(r.series).map((k) => seriesKey(k).metric).filter((m) => of.metrics.test(m))));
  for (const record of records) {
    for (const [name, series] of Object.entries(record.series)) {
      const { stream, metric } = seriesKey(name);
      if (!of.metrics.test(metric) || series.t_ns.length === 0) continue;
      found.push({
        dash: found.filter((s) => !s.points).length,
        name: named(record, stream, metric, metrics.size > 1), t_ns: series.t_ns, v: series.v, style: found.length,
        points: record.kind === "ping" && series.t_ns.length <= 60, stepped: metric === "goodput_bps" || metric === "sent_bps",
      });
    }
  }
  if (found.length === 0) return null;
  return { title: of.title, series: [...found, ...references(records, of.reference, found)], format: of.format, fromZero: of.fromZero };
}

/** What was predicted, as a level line over the span of the test's own series. */
function references(records: readonly TestRecord[], metric: string, found: readonly TimeSeries[]): TimeSeries[] {
  return records.filter((r) => r.origin === "predicted").flatMap((r): TimeSeries[] => {
    const value = r.metrics[metric];
    const mine = records.filter((other) => other.test === r.test && other.origin !== "predicted")
      .flatMap((other) => Object.values(other.series)).flatMap((s) => [s.t_ns[0], s.t_ns.at(-1)]).filter((t): t is number => t !== undefined);
    if (typeof value !== "number" || mine.length === 0 || found.length === 0) return [];
    return [{ name: `${r.test}, predicted`, t_ns: [Math.min(...mine), Math.max(...mine)], v: [value, value], style: 0, dash: 0, reference: true }];
  });
}

function pairs(links: readonly LinkRecord[]): Map<string, LinkRecord[]> {
  const map = new Map<string, LinkRecord[]>();
  for (const l of links) {
    const id = l.link;
    map.set(id, [...(map.get(id) ?? []), l]);
  }
  return map;
}

/** Red and solid away from the start of the path, blue and dashed towards it, as in the drawing. */
function look(data: ReportData, l: LinkRecord, i: number): { style: number; dash: number } {
  return i > 1 ? { style: i, dash: i } : eastward(data, l) ? { style: 1, dash: 0 } : { style: 0, dash: 1 };
}

function rates(data: ReportData, links: readonly LinkRecord[], bus: TimeBus): HTMLElement[] {
  return [...pairs(links.filter((l) => l.t_ns.length > 0))].map(([name, both]) => timePlot({
    title: `Rate on ${name}, framing included`, format: (v) => format.rate(v, 4), fromZero: true,
    series: both.map((l, i) => ({ name: label(l, both), t_ns: l.t_ns, v: l.rate_bps, ...look(data, l, i), stepped: true })),
  }, bus));
}

function label(l: LinkRecord, all: readonly LinkRecord[]): string {
  const several = new Set(all.map((x) => x.origin)).size > 1;
  return `${l.direction.replace(">", " → ")}${several ? `, ${l.origin}` : ""}`;
}

function queues(data: ReportData, links: readonly LinkRecord[], bus: TimeBus): HTMLElement[] {
  const known = links.filter((l) => (l.queue_bytes ?? []).length > 0);
  const used = known.filter((l) => l.queue_bytes?.some((v) => v !== null && v > 0));
  if (known.length === 0) return [];
  const quiet = known.length - used.length;
  const words = quiet === 0 ? null : h("p", { class: "hint" }, used.length === 0
    ? "No queue held anything at the end of any interval."
    : `The other ${quiet} link directions had nothing waiting at the end of any interval.`);
  const plots = [...pairs(used)].map(([name, both]) => timePlot({
    title: `Waiting at ${name}`, format: (v) => format.size(v, 4), fromZero: true,
    series: both.map((l, i) => ({ name: label(l, both), t_ns: l.t_ns, v: l.queue_bytes ?? [], ...look(data, l, i) })),
  }, bus));
  return [h("h3", {}, "Queues"), ...(words ? [words] : []), h("div", { class: "grid" }, ...plots)];
}

/** Frames that were dropped, by link, direction and reason. */
function drops(links: readonly LinkRecord[]): HTMLElement[] {
  if (links.length === 0) return [];
  const lossy = links.filter((l) => Object.values(l.drops).some((n) => n > 0));
  if (lossy.length === 0) return [h("h3", {}, "Drops"), h("p", {}, "No frame was dropped on any link.")];
  const reasons = [...new Set(lossy.flatMap((l) => Object.keys(l.drops).filter((k) => (l.drops[k] ?? 0) > 0)))].sort();
  const head = ["link", "direction", "origin", ...reasons, "of frames"];
  const body = lossy.map((l) => h("tr", {},
    h("th", { scope: "row" }, l.link), h("td", {}, l.direction.replace(">", " → ")), h("td", {}, l.origin),
    ...reasons.map((reason) => h("td", { class: "number" }, format.count(l.drops[reason] ?? 0))),
    h("td", { class: "number" }, format.count(l.frames))));
  return [h("h3", {}, "Drops"), scroller("Drops", h("table", { class: "drops" },
    h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...body)))];
}

/** Traces open at once; a parallel test's other streams wait behind a switch. */
const SHOWN = 2;

function more(traces: readonly HTMLElement[]): HTMLElement | null {
  if (traces.length === 0) return null;
  return h("details", {}, h("summary", {}, `${traces.length} more ${traces.length === 1 ? "stream" : "streams"}`), ...traces);
}

function at(data: ReportData, point: Point): HTMLElement {
  const bus = new TimeBus();
  const records = data.document.records.filter((r) => samePoint(r.point, point));
  const links = data.document.links.filter((l) => samePoint(l.point, point));
  const plots = FAMILIES.map((f) => family(records, f)).filter((p): p is TimePlot => p !== null).map((p) => timePlot(p, bus));
  const traces = (data.sequence ?? []).filter((s) => samePoint(s.point ?? {}, point) && s.bursts.length > 0).map((s) => sequencePlot(s, bus));
  const lines = rates(data, links, bus);
  return h("div", {},
    plots.length > 0 ? h("div", { class: "grid wide" }, ...plots) : null,
    traces.length > 0 ? section("sequence", "Time and sequence", ...traces.slice(0, SHOWN), more(traces.slice(SHOWN))) : null,
    lines.length + links.length > 0 ? section("links", "Links", Object.keys(point).length === 0 ? load(data) : null,
      h("div", { class: "grid" }, ...lines), ...queues(data, links, bus), ...drops(links)) : null);
}

export function overTime(data: ReportData): HTMLElement | null {
  const timed = [...data.document.records.filter((r) => Object.keys(r.series).length > 0), ...data.document.links];
  const points: Point[] = [];
  for (const { point } of timed) if (!points.some((p) => samePoint(p, point))) points.push(point);
  const first = points[0];
  if (!first) return null;
  const frame = h("div", {}, at(data, first));
  const hint = h("p", { class: "hint" }, "Drag across a plot to zoom all of them in time; double-click shows everything again.");
  if (points.length === 1) return section("time", "Over time", hint, frame);
  const choice = h("select", { id: "point" }, ...points.map((p, i) => h("option", { value: i }, format.point(p) || "no sweep")));
  choice.addEventListener("change", () => frame.replaceChildren(at(data, points[Number(choice.value)] ?? first)));
  return section("time", "Over time", h("p", {}, h("label", { for: "point" }, "Sweep point "), choice), hint, frame);
}
