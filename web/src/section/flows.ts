// Flows that are not TCP, and errors that ICMP reported.

import { h, plural, scroller, section } from "../dom";
import * as format from "../format";
import type { TraceData, TraceFlow, TraceFlowDirection } from "../types";

/** Rows of each table. */
const LISTED = 50;

function bytes(flow: TraceFlow): number {
  return flow.a2b.bytes + flow.b2a.bytes;
}

/** What was lost one way, and how long answers took. */
function lost(flow: TraceFlow, direction: TraceFlowDirection, forth: boolean): string {
  const streams = direction.streams ?? [];
  if (streams.length > 0) return format.count(streams.reduce((sum, s) => sum + s.lost, 0));
  const count = forth ? flow.echo?.lost ?? flow.dns?.unanswered : undefined;
  return count === undefined ? "" : format.count(count);
}

function time(flow: TraceFlow, direction: TraceFlowDirection, forth: boolean): string {
  const jitter = direction.streams?.[0]?.jitter_ns;
  if (jitter !== undefined) return `jitter ${format.delay(jitter)}`;
  if (!forth) return "";
  const mean = flow.echo?.rtt_avg_ns ?? flow.dns?.answer_avg_ns;
  if (mean !== undefined) return `mean ${format.delay(mean)}`;
  return flow.quic?.handshake_ns === undefined ? "" : `handshake ${format.delay(flow.quic.handshake_ns)}`;
}

function rows(flow: TraceFlow): HTMLElement[] {
  const name = flow.name ? ` (${flow.name})` : "";
  const both: [TraceFlowDirection, string, boolean][] = [[flow.a2b, `${flow.a} to ${flow.b}${name}`, true], [flow.b2a, `${flow.b} to ${flow.a}`, false]];
  return both.filter(([d]) => d.packets > 0).map(([d, ends, forth]) => h("tr", {}, h("td", { class: "number" }, String(flow.id)),
    h("td", {}, flow.application ? `${flow.protocol}, ${flow.application}` : flow.protocol), h("td", {}, ends),
    ...[format.count(d.packets), format.size(d.bytes), d.rate_bps > 0 ? format.rate(d.rate_bps) : "", lost(flow, d, forth), time(flow, d, forth)]
      .map((text) => h("td", { class: "number" }, text))));
}

function table(name: string, head: readonly string[], body: HTMLElement[]): HTMLElement {
  return scroller(name, h("table", {}, h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...body)));
}

export function traceFlows(data: TraceData): HTMLElement | null {
  const all = [...(data.document.flows ?? [])].sort((x, y) => bytes(y) - bytes(x) || x.id - y.id);
  if (all.length === 0) return null;
  const left = all.length - LISTED;
  return section("flows", "UDP and ICMP", table("UDP and ICMP", ["N", "what", "ends", "packets", "payload", "rate", "lost", "time"], all.slice(0, LISTED).flatMap(rows)),
    left > 0 ? h("p", { class: "hint" }, `Left out: ${plural(left, "more flow")}.`) : null);
}

export function traceErrors(data: TraceData): HTMLElement | null {
  const all = data.document.icmp_errors ?? [];
  if (all.length === 0) return null;
  const body = all.slice(0, LISTED).map((e) => h("tr", {}, ...[e.kind.replace(/_/g, " ") + (e.mtu === undefined ? "" : `, MTU ${e.mtu} B`), e.from,
    `${e.protocol}: ${e.flow_from} to ${e.flow_to}`, format.count(e.count)].map((text) => h("td", {}, text))));
  const left = all.length - LISTED;
  return section("errors", "What routers and hosts reported", table("ICMP errors", ["what", "by", "of", "times"], body),
    left > 0 ? h("p", { class: "hint" }, `Left out: ${plural(left, "more error")}.`) : null);
}
