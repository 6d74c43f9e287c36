// The page of one captured connection: the answer, the segments, everything over time, and the other connections.

import { h, plural, scroller, section } from "../dom";
import { fileName } from "../drawn";
import * as format from "../format";
import { LIMITS } from "../registry";
import { sequencePlot } from "../sequence/plot";
import { TimeBus } from "../time/bus";
import { timePlot } from "../time/plot";
import type { TimePlot } from "../time/series";
import type { Ribbon, Sequence, TraceConnection, TraceData, TraceDirection } from "../types";

export const SCHEMA = "farpath.trace-page/1";

/** A colour for each limit, the same in every page. */
const STYLES = [...LIMITS.keys()];
/** No limit has the colour of a glitch, however many there are. */
const GLITCH = -1;
const PLACES: Readonly<Record<string, (c: TraceConnection) => string>> = {
  sender_of_a: (c) => `at ${c.a}`, sender_of_b: (c) => `at ${c.b}`, middle: () => "between the ends",
};

function drawn(data: TraceData): { connection: TraceConnection; direction: TraceDirection; ends: readonly [string, string] } {
  const connection = data.document.connections[0];
  if (!connection) throw new Error("the page has no connection");
  const [direction, ends] = data.direction === "a2b" ? [connection.a2b, [connection.a, connection.b] as const] : [connection.b2a, [connection.b, connection.a] as const];
  return { connection, direction, ends };
}

/** A limit, or a cause of glitches that is none. */
function limit(word: string): string {
  if (word === "probe_rtt") return "BBR's ProbeRTT";
  if (word === "ecn_marks") return "ECN marks";
  return LIMITS.get(word) ?? word.replace(/_/g, " ");
}

export function traceHeader(data: TraceData): HTMLElement {
  const { connection, direction, ends } = drawn(data);
  const share = direction.limited_by ? direction.limit_shares?.[direction.limited_by] : undefined;
  const facts: [string, string][] = [
    ["goodput", format.rate(direction.goodput_bps)], ["new data", format.size(direction.unique_bytes)],
    ["segments sent again", format.count(direction.retransmitted_segments)],
    ...(direction.rtt_min_ns ? [["shortest round trip at the capture", format.delay(direction.rtt_min_ns, 4)] as [string, string]] : []),
    ...(direction.limited_by ? [[`limited it${share === undefined ? "" : `, ${Math.round(share * 100)} % of the time`}`, limit(direction.limited_by)] as [string, string]] : []),
  ];
  const place = PLACES[connection.vantage]?.(connection) ?? "where is unknown";
  const files = data.document.files.map((f) => `${f.name}, ${format.count(f.packets)} ${f.packets === 1 ? "packet" : "packets"}`).join("; ");
  const name = connection.name ? `, ${connection.name}` : "";
  return h("header", { class: "masthead" }, h("p", { class: "eyebrow" }, "farpath trace"), h("h1", {}, `${ends[0]} to ${ends[1]}`),
    h("p", { class: "summary" }, `Connection ${connection.id}${name}, ${format.seconds(connection.duration_ns / 1e9)}, captured ${place}.`), h("p", { class: "source" }, files),
    h("dl", { class: "facts" }, ...facts.map(([text, value]) => h("div", { class: "fact" }, h("dt", {}, text), h("dd", {}, value)))),
    ...[...(connection.notes ?? []), ...(data.document.notes ?? [])].map((note) => h("p", { class: "note" }, note)));
}

/** What is drawn of the connection: its trail, what was sent again, its window, and the rows below. */
export function merged(data: TraceData): Sequence {
  const { direction } = drawn(data);
  const again = Object.entries(data.again).flatMap(([name, bursts]) => bursts.map((b) => ({ ...b, label: name.replace(/_/g, " ") })));
  const limits = data.limits.map((l): Ribbon => ({ row: "limit", from_ns: l.from_ns, until_ns: l.until_ns, text: limit(l.limit), style: STYLES.indexOf(l.limit) }));
  const glitches = (direction.glitches ?? []).map((g): Ribbon => ({
    row: "glitch", from_ns: g.start_ns, until_ns: g.start_ns + g.duration_ns, style: GLITCH,
    text: `${g.kind.replace(/_/g, " ")}, cost ${format.size(g.cost_bytes)}, cause: ${limit(g.cause)}`,
  }));
  // A window far above the data would press these together: the line is drawn as far as it is near.
  const top = Math.max(0, ...data.sequence.bursts.map((b) => b.seq + (b.seq_step ?? 0)));
  const edges = data.edges.filter((b) => b.seq <= top * 1.02).map((b) => ({ ...b, kind: "window" as const }));
  return { ...data.sequence, bursts: [...data.sequence.bursts, ...edges, ...again], ribbons: [...limits, ...glitches] };
}

function plots(data: TraceData): TimePlot[] {
  const line = (name: string, text: string, style: number, dash = 0, stepped = false): TimePlot["series"] => {
    const s = data.series[name];
    return s ? [{ name: text, t_ns: s.t_ns, v: s.v, style, dash, stepped }] : [];
  };
  const all: TimePlot[] = [
    { title: "Round-trip time", format: format.delay, fromZero: false, hint: "The shortest in each interval, the way to a far sender included.", series: line("rtt_ns", "round trip", 0) },
    { title: "Flight and window", format: format.size, fromZero: true, series: [...line("flight_bytes", "most in flight", 0), ...line("window_bytes", "receiver's window", 3, 1)] },
    { title: "Rates", format: format.rate, fromZero: true, series: [...line("goodput_bps", "acknowledged", 2, 0, true), ...line("sent_bps", "new data", 1, 1, true)] },
  ];
  return all.filter((p) => p.series.length > 0);
}

/** The time–sequence plot and all plots over time, with one cursor. */
export function traceOverTime(data: TraceData): HTMLElement {
  const { connection, direction } = drawn(data);
  const bus = new TimeBus([0, Math.max(connection.duration_ns, 1) / 1e9]);
  const file = (text: string): string => fileName("trace", String(connection.id), text);
  const classes = Object.entries(direction.retransmissions).filter(([, n]) => n > 0).map(([name, n]) => `${format.count(n)} ${name.replace(/_/g, " ")}`);
  return h("div", {},
    section("sequence", "Segment by segment", classes.length > 0 ? h("p", {}, `Sent again: ${classes.join(", ")}.`) : null,
      sequencePlot(merged(data), `connection ${connection.id}`, bus, file("segments"))),
    section("time", "Over time", h("p", { class: "hint" }, "Drag across a plot to zoom all of them in time; double-click shows everything again."),
      h("div", { class: "plots wide" }, ...plots(data).map((p) => timePlot(p, bus, file(p.title))))));
}

export function traceGlitches(data: TraceData): HTMLElement | null {
  const glitches = drawn(data).direction.glitches ?? [];
  if (glitches.length === 0) return null;
  const head = ["start", "lasted", "what", "cost", "cause", "sent again"];
  const body = glitches.map((g) => h("tr", {}, ...[format.seconds(g.start_ns / 1e9), format.seconds(g.duration_ns / 1e9), g.kind.replace(/_/g, " "), format.size(g.cost_bytes), limit(g.cause),
    format.count(g.retransmitted_segments ?? 0)].map((text) => h("td", {}, text))));
  return section("glitches", "Glitches", scroller("Glitches", h("table", {}, h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...body))));
}

export function traceOthers(data: TraceData): HTMLElement | null {
  if (data.others.length === 0) return null;
  const rows = data.others.map((o) => h("tr", {}, h("td", { class: "number" }, String(o.id)), h("td", {}, `${o.a} and ${o.b}${o.name ? ` (${o.name})` : ""}`), h("td", { class: "number" }, format.size(o.bytes))));
  return section("others", "Other connections", h("p", {}, "Draw one of them: ", h("code", {}, "farpath trace FILE --out DIR --connection N")),
    scroller("Other connections", h("table", {}, h("thead", {}, h("tr", {}, ...["N", "ends", "new data"].map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...rows))),
    data.others_left_out > 0 ? h("p", { class: "hint" }, `Left out: ${plural(data.others_left_out, "more connection")}.`) : null);
}
