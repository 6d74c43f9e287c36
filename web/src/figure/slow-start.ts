// What slow start costs: bytes delivered over time, beside a line that needed no start.

import * as format from "../format";
import type { Shape } from "../svg";
import type { ReportData, TestRecord } from "../types";
import { drawChart } from "./chart";

type Point = readonly [seconds: number, bytes: number];

/** Bytes delivered by the end of each interval, from the first byte's interval on. */
export function delivered(record: TestRecord): Point[] {
  const series = record.series["goodput_bps"];
  if (!series || series.t_ns.length < 2) return [];
  const every = (series.t_ns[1]! - series.t_ns[0]!) / 1e9;
  let sum = 0;
  return series.t_ns.map((t, i): Point => {
    sum += ((series.v[i] ?? 0) * every) / 8;
    return [t / 1e9, sum];
  });
}

/** The rate that holds once the window is full: the mean of the second half, without its end. */
function fullRate(record: TestRecord | undefined): number {
  const values = (record?.series["goodput_bps"]?.v ?? []).map((v) => v ?? 0);
  const full = values.slice(Math.floor(values.length * 0.5), Math.floor(values.length * 0.75));
  return full.length === 0 ? 0 : full.reduce((sum, v) => sum + v, 0) / full.length;
}

/** The first `shownS` seconds of the shortest transfer; null without series. */
export function drawSlowStart(data: ReportData, shownS: number, id: string): Shape | null {
  const record = data.document.records.filter((r) => r.origin === "simulated" && typeof r.metrics["bytes"] === "number")
    .sort((p, q) => p.metrics["bytes"]! - q.metrics["bytes"]!)[0];
  const rttNs = record?.metrics["rtt_min_ns"];
  const steady = fullRate(record);
  if (!record || typeof rttNs !== "number" || steady === 0) return null;
  const rttS = rttNs / 1e9;
  const curve = delivered(record).filter(([t]) => t <= shownS);
  const last = curve.at(-1);
  if (!last) return null;
  // A byte arrives one and a half round trips after the SYN at the earliest.
  const earliest = 1.5 * rttS;
  const ideal: Point[] = [[earliest, 0], [earliest + (last[1] * 8) / steady, last[1]]];
  const level = last[1] * 0.6;
  const at = (bytes: number): number => curve.find(([, b]) => b >= bytes)?.[0] ?? shownS;
  const late = at(level) - (earliest + (level * 8) / steady);
  return drawChart({
    id, width: 900, height: 400, title: "Bytes delivered in slow start", describe: `${late.toFixed(2)} s behind a start at the full rate`,
    curves: [
      { name: "simulated", detail: "from one segment on", points: curve, tone: "west" },
      { name: "no slow start", detail: format.rate(steady, 3), points: ideal, tone: "plain-way", dashed: true },
    ],
    spans: [{ from: at(level) - late, to: at(level), y: level, name: `${late.toFixed(2)} s wasted` }],
    xName: "seconds since the SYN", yName: "payload delivered", xFormat: (v) => String(v), yFormat: (v) => format.size(v, 3), xRange: [0, shownS],
  });
}
