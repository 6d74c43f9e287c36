// Where the time of requests went, on a connection whose ends take turns.

import { h, plural, scroller, section } from "../dom";
import * as format from "../format";
import type { TraceData, TraceRequest } from "../types";

/** Requests that are listed, those that took longest. */
const LISTED = 50;
const HEAD = ["at", "asked", "answered", "client sending", "wire", "server", "response", "window closed", "client, until the next"];

function took(r: TraceRequest): number {
  return r.client_sending_ns + r.wire_ns + r.server_thinking_ns + r.response_ns;
}

function row(r: TraceRequest): HTMLElement {
  const next = r.client_thinking_ns === undefined ? "" : format.delay(r.client_thinking_ns);
  const cells = [format.seconds(r.at_ns / 1e9), format.size(r.request_bytes), r.tls_handshake ? `${format.size(r.response_bytes)}, TLS handshake` : format.size(r.response_bytes),
    format.delay(r.client_sending_ns), format.delay(r.wire_ns), format.delay(r.server_thinking_ns), format.delay(r.response_ns), format.delay(r.slow_reader_ns), next];
  return h("tr", {}, ...cells.map((text) => h("td", { class: "number" }, text)));
}

/** The requests that took longest, and all of them together. */
export function traceRequests(data: TraceData): HTMLElement | null {
  const connection = data.document.connections[0];
  const totals = connection?.request_totals;
  if (!connection || !totals) return null;
  const all = [...(connection.requests ?? [])].sort((x, y) => took(y) - took(x) || x.at_ns - y.at_ns);
  const shown = all.slice(0, LISTED);
  const server = totals.requests > 1
    ? `${format.delay(totals.server_thinking_ns)} in all, the longest ${format.delay(totals.server_thinking_max_ns)}` : format.delay(totals.server_thinking_ns);
  const text = `${plural(totals.requests, "request")}: client sending ${format.delay(totals.client_sending_ns)}, wire ${format.delay(totals.wire_ns)}, `
    + `server ${server}, response ${format.delay(totals.response_ns)}, client between them ${format.delay(totals.client_thinking_ns)}.`;
  const left = totals.requests - shown.length;
  return section("requests", "Requests", h("p", {}, text),
    scroller("Requests", h("table", {}, h("thead", {}, h("tr", {}, ...HEAD.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, ...shown.map(row)))),
    shown.length > 1 ? h("p", { class: "hint" }, left > 0 ? `The slowest first. Left out: ${plural(left, "more request")}.` : "The slowest first.") : null);
}
