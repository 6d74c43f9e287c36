import { describe, expect, it } from "vitest";

import { rows } from "../src/results";
import { routes, taken } from "../src/taken";
import type { Origin, ReportData, Route, Taken, TestRecord } from "../src/types";

/** The narrow space between number and unit, as an ordinary one. */
const plain = (text: string): string => text.replace(/\u202f/g, " ");

function record(test: string, more: { readonly taken?: Taken; readonly route?: Route }, origin: Origin = "emulated"): TestRecord {
  return {
    origin, test, kind: "tcp", from: "left", to: "right", point: {}, repeat: 0, started_ns: 0, duration_ns: 1e9, metrics: {}, limited_by: null,
    streams: [], series: {}, valid: true, notes: [], ...more,
  };
}

function report(records: readonly TestRecord[]): ReportData {
  return {
    schema: "farpath.report/1", scenario: { name: "x" },
    document: { schema: "farpath.run/1", scenario: "x", version: "0", seed: 1, scenario_sha256: "", records, links: [], expectations: [] },
  };
}

const host = (kernel: string): NonNullable<Taken["hosts"]>[number] => ({ name: "left", addresses: ["198.18.0.1"], os: "linux", kernel, clock_error_ns: 0 });

/** 2026-11-23 00:21:43 UTC. */
const AT: Taken = { at_utc_ns: 1_795_393_303_961_825_547, clock_error_ns: 0, tool: "farpath 0.1.0", hosts: [host("6.18.44")] };

describe("when, where and with what records were taken", () => {
  const said = (records: readonly TestRecord[]): string[] => taken(report(records)).map(plain);

  it("is one line for all records of an origin, and none for a model's", () => {
    const all = [record("rtt", {}, "simulated"), record("rtt", { taken: AT }), record("bulk", { taken: AT })];
    expect(said(all)).toEqual([
      "emulated: taken 2026-11-23 00:21:43 UTC (clock not synchronised) on linux 6.18.44 by farpath 0.1.0; both ends read one clock",
    ]);
    expect(said([record("rtt", {}, "simulated"), record("rtt", { taken: {} })])).toEqual([]);
  });

  it("names what differs and the largest errors", () => {
    const later: Taken = { at_utc_ns: AT.at_utc_ns! + 61e9, utc_error_ns: 4e6, clock_error_ns: 21_500, tool: "iperf 3.12", hosts: [host("5.15.0")] };
    expect(said([record("rtt", { taken: { ...AT, utc_error_ns: 3e6 } }), record("bulk", { taken: later })])).toEqual([
      "emulated: taken 2026-11-23 00:21:43 to 2026-11-23 00:22:44 UTC ± 4.000 ms on linux 5.15.0, linux 6.18.44 by farpath 0.1.0, iperf 3.12; "
      + "clocks of both ends may lie 21.50 µs apart",
    ]);
  });
});

describe("what the evidence leaves open", () => {
  it("is a note of its metric, and of no other", () => {
    const open: TestRecord = {
      ...record("bulk", {}), metrics: { completion_ns: 5e6, rtt_max_ns: 2e6, bytes: 1 },
      uncertainty: { completion_ns: { low: 4e6, high: 6e6 }, rtt_max_ns: { low: 2e6, high: null } },
    };
    const notes = new Map(rows(report([open])).map((row) => [row.metric, row.notes.map(plain)]));
    expect(notes.get("completion_ns")).toEqual(["emulated: 4.0000 ms to 6.0000 ms"]);
    expect(notes.get("rtt_max_ns")).toEqual(["emulated: at least 2.0000 ms"]);
    expect(notes.get("bytes")).toEqual([]);
  });
});

describe("routes of records", () => {
  const hop = (ttl: number, name: string, more = {}): Route["hops"][number] => ({ ttl, name, address: `198.18.0.${ttl}`, rtt_ns: [], ...more });

  it("are named once, with labels, times and what is not known", () => {
    const way: Route = { hops: [hop(1, "middle", { labels: [16] }), { ttl: 2, rtt_ns: [] }, hop(3, "right")], reached: true };
    const first: Route = { hops: [hop(1, "middle", { rtt_ns: [3e6, 2_060_691] })], reached: false };
    const all = [record("rtt", { route: way }), record("bulk", { route: way }), record("hop", { route: first }), record("none", {})];
    expect(routes(report(all)).map((r) => ({ ...r, hops: plain(r.hops) }))).toEqual([
      { tests: ["rtt", "bulk"], hops: "left → 1 middle (198.18.0.1), label 16 → 2 * → 3 right (198.18.0.3)" },
      { tests: ["hop"], hops: "left → 1 middle (198.18.0.1), 2.0607 ms …" },
    ]);
  });
});
