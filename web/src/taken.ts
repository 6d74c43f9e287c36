// When, where and with what records were taken, and the way their packets took, in words.

import * as format from "./format";
import { ORIGINS, type ReportData, type Route, type Taken, type TestRecord } from "./types";

/** Each of them once, in order. */
function listed(values: readonly (string | undefined)[]): string {
  return [...new Set(values.filter((v) => v !== undefined))].sort().join(", ");
}

/** The day and the second: `2026-11-22 23:59:01`. */
function utc(ns: number): string {
  return new Date(ns / 1e6).toISOString().slice(0, 19).replace("T", " ");
}

/** From the first to the last. */
function when(all: readonly Taken[]): string {
  const known = all.filter((t) => t.at_utc_ns !== undefined);
  const instants = known.map((t) => t.at_utc_ns ?? 0);
  if (instants.length === 0) return "";
  const [first, last] = [utc(Math.min(...instants)), utc(Math.max(...instants))];
  const errors = known.map((t) => t.utc_error_ns);
  const error = errors.some((e) => e === undefined) ? "(clock not synchronised)" : `± ${format.delay(Math.max(...errors.map((e) => e ?? 0)), 4)}`;
  return `${first === last ? first : `${first} to ${last}`} UTC ${error}`;
}

function clocks(all: readonly Taken[]): string {
  const errors = all.flatMap((t) => t.clock_error_ns ?? []);
  if (errors.length === 0) return "";
  const most = Math.max(...errors);
  return most === 0 ? "both ends read one clock" : `clocks of both ends may lie ${format.delay(most, 4)} apart`;
}

function line(all: readonly Taken[]): string {
  const systems = listed(all.flatMap((t) => t.hosts ?? []).map((host) => (host.kernel === undefined ? undefined : `${host.os ?? "kernel"} ${host.kernel}`)));
  const tools = listed(all.map((t) => t.tool));
  const circumstances = [when(all), systems && `on ${systems}`, tools && `by ${tools}`].filter((t) => t !== "").join(" ");
  return [circumstances, clocks(all)].filter((t) => t !== "").join("; ");
}

/** One line for each origin that measures: what its records say, together. */
export function taken(data: ReportData): string[] {
  return ORIGINS.flatMap((origin) => {
    const said = line(data.document.records.flatMap((r) => (r.origin === origin && r.taken ? r.taken : [])));
    return said === "" ? [] : `${origin}: taken ${said}`;
  });
}

function hops(route: Route): string {
  const each = route.hops.map((hop) => {
    const place = hop.name && hop.address ? `${hop.name} (${hop.address})` : (hop.name ?? hop.address ?? "*");
    const labels = hop.labels && hop.labels.length > 0 ? `, label ${hop.labels.join("/")}` : "";
    const times = hop.rtt_ns.length === 0 ? "" : `, ${format.delay(Math.min(...hop.rtt_ns))}`;
    return `${hop.ttl} ${place}${labels}${times}`;
  });
  return each.join(" → ") + (route.reached ? "" : " …");
}

/** A route that records share, and their tests. */
export interface SharedRoute {
  readonly tests: readonly string[];
  readonly hops: string;
}

/** The routes of a run's records, each once. */
export function routes(data: ReportData): SharedRoute[] {
  const found = new Map<string, string[]>();
  const add = ({ test, from, route }: TestRecord): void => {
    if (!route) return;
    const way = `${from} → ${hops(route)}`;
    const tests = found.get(way) ?? [];
    if (!tests.includes(test)) tests.push(test);
    found.set(way, tests);
  };
  data.document.records.forEach(add);
  return [...found].map(([way, tests]) => ({ tests, hops: way }));
}
