// Draws one figure of docs/gallery from what runs leave behind:
//   node dist-gallery/gallery.js FIGURE REPORT_JSON... OUT_SVG

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import style from "./src/figure.css?raw";
import { distinctPaths, drawPath } from "./src/diagram/draw";
import { drawLoad } from "./src/figure/load";
import { drawRecovery, recoveryKey } from "./src/figure/recovery";
import { drawSawtooth } from "./src/figure/sawtooth";
import { drawSlowStart } from "./src/figure/slow-start";
import { drawWindow } from "./src/figure/window";
import { complete } from "./src/sequence/burst";
import { drawSequence } from "./src/sequence/figure";
import { longestRepair, spanned } from "./src/sequence/view";
import { toFile, type Shape } from "./src/svg";
import type { ReportData, Sequence } from "./src/types";

const WIDTH = 900;

function must<T>(found: T | null | undefined, wanted: string): T {
  if (found === null || found === undefined) throw new Error(`the report holds ${wanted}`);
  return found;
}

function tunnel(data: ReportData): Shape {
  const longest = distinctPaths(data.paths ?? [])[0];
  if (!data.topology || !longest) throw new Error("the report holds no topology and paths");
  return drawPath(data.topology, longest.path, "tunnel");
}

function load(data: ReportData): Shape {
  return must(drawLoad(data, "load"), "no rates of a link in both directions");
}

/** The slides' path to Amsterdam: 10 Gbit/s × 17 ms. */
function window(data: ReportData): Shape {
  return must(drawWindow(data, 10e9, 0.017, "window"), "no sweep over windows");
}

function recovery(data: ReportData): Shape {
  const key = must(recoveryKey(data.document.records.map((r) => r.point)), "no sweep over algorithms");
  const test = key.split(".")[1] ?? "";
  return must(drawRecovery(data, { id: "recovery", test, key, width: WIDTH, height: 400 }), "no window that a loss cut");
}

function slowStart(data: ReportData): Shape {
  return must(drawSlowStart(data, 1.5, "slow-start"), "no transfer");
}

function sawtooth(small: ReportData, large: ReportData): Shape {
  const runs = [{ name: "1500-byte packets", data: small }, { name: "9000-byte packets", data: large }];
  return must(drawSawtooth(runs, "sawtooth"), "no throughput over time");
}

function traceOf(data: ReportData): Sequence {
  return must(data.sequence?.find((s) => s.bursts.some((b) => b.kind === "retransmit")), "no trace with a retransmission");
}

function trace(data: ReportData): Shape {
  const retransmissions = traceOf(data).bursts.filter((b) => b.kind === "retransmit").length;
  return drawSequence(traceOf(data), {
    id: "trace", width: WIDTH, title: "Time–sequence plot of a whole transfer", describe: `${retransmissions} groups of retransmissions`,
  });
}

/** The loss that took most to repair, from `before` to `after` seconds about its repair. */
function about(before: number, after: number, id: string) {
  return (data: ReportData): Shape => {
    const sequence = traceOf(data);
    const bursts = sequence.bursts.map(complete);
    const repair = must(longestRepair(bursts), "no retransmission");
    const view = must(spanned(bursts, repair.from - before * 1e9, repair.to + after * 1e9), "nothing there");
    return drawSequence(sequence, { id, width: WIDTH, view, title: "Time–sequence plot of a repair", describe: "The first loss and its repair" });
  };
}

type Figure = (...reports: ReportData[]) => Shape;

const one = (draw: (data: ReportData) => Shape): Figure => (...reports) => draw(must(reports[0], "nothing"));

const FIGURES: Readonly<Record<string, Figure>> = {
  tunnel: one(tunnel), load: one(load), window: one(window), recovery: one(recovery), "slow-start": one(slowStart), trace: one(trace),
  glitch: one(about(1, 4, "glitch")), "close-up": one(about(0.06, 0.12, "close-up")),
  sawtooth: (...reports) => sawtooth(must(reports[0], "nothing"), must(reports[1], "nothing: two reports are wanted")),
};

function main(): number {
  const [figure, ...files] = process.argv.slice(2);
  const draw = figure === undefined ? undefined : FIGURES[figure];
  const to = files.pop();
  if (!draw || to === undefined || files.length === 0) {
    console.error(`usage: gallery ${Object.keys(FIGURES).join("|")} REPORT_JSON... OUT_SVG`);
    return 2;
  }
  try {
    const reports = files.map((file) => JSON.parse(readFileSync(file, "utf8")) as ReportData);
    const text = toFile(draw(...reports), style);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
    return 0;
  } catch (error) {
    console.error(`${files.join(", ")}: ${error instanceof Error ? error.message : String(error)}`);
    return 3;
  }
}

process.exitCode = main();
