// The sawtooth of standard TCP alone on a path: throughput over time, and its mean.

import * as format from "../format";
import type { Shape } from "../svg";
import type { ReportData } from "../types";
import { drawChart, type Curve, type Rule } from "./chart";

export interface Run {
  readonly name: string;
  readonly data: ReportData;
}

function curve({ name, data }: Run, tone: Curve["tone"]): { curve: Curve; line: number } | null {
  const simulated = data.document.records.find((r) => r.origin === "simulated" && "goodput_bps" in r.series);
  const predicted = data.document.records.find((r) => r.origin === "predicted" && r.test === simulated?.test);
  const series = simulated?.series["goodput_bps"];
  const mean = simulated?.metrics["goodput_bps"];
  const line = predicted?.metrics["goodput_bps"];
  if (!simulated || !series || typeof mean !== "number" || typeof line !== "number") return null;
  const until = simulated.started_ns + (simulated.metrics["completion_ns"] ?? Infinity);
  const every = (series.t_ns[1] ?? 0) - (series.t_ns[0] ?? 0);
  const points = series.t_ns.flatMap((t, i) => (t <= until ? [[(t - every / 2) / 1e9, series.v[i] ?? 0] as const] : []));
  return {
    curve: { name, detail: `mean ${format.rate(mean, 3)}, ${format.share(mean / line)} of the line`, points, tone, labelAt: mean * 0.55 },
    line,
  };
}

/** Throughput over time of several runs, with three quarters of what the line leaves; null where a run holds none. */
export function drawSawtooth(runs: readonly Run[], id: string): Shape | null {
  const tones: readonly Curve["tone"][] = ["east", "west"];
  const found = runs.map((run, i) => curve(run, tones[i % 2]!));
  const drawn = found.flatMap((f) => f ?? []);
  if (drawn.length !== runs.length || drawn.length === 0) return null;
  const line = Math.min(...drawn.map((d) => d.line));
  const rules: Rule[] = [{ y: line * 0.75, name: "75 % of what the line leaves" }];
  return drawChart({
    id, width: 900, height: 380, title: "Throughput of one standard TCP stream over time", describe: drawn.map((d) => `${d.curve.name}: ${d.curve.detail ?? ""}`).join(". "),
    curves: drawn.map((d) => d.curve), rules, xName: "seconds since the start", yName: "payload delivered",
    xFormat: (v) => String(v), yFormat: (v) => format.rate(v, 3),
  });
}
