// Draws one figure of docs/gallery from what runs leave behind:
//   node dist-gallery/gallery.js FIGURE JSON... OUT_SVG

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import style from "./src/figure.css?raw";
import { distinctPaths, drawPath } from "./src/diagram/draw";
import { drawSegments } from "./src/diagram/segments";
import { drawTestbed } from "./src/diagram/testbed";
import { columns, drawLadder, type Overhead } from "./src/figure/ladder";
import { drawLoad } from "./src/figure/load";
import { drawLowerEffort } from "./src/figure/lower-effort";
import { drawRecovery, recoveryKey } from "./src/figure/recovery";
import { drawSawtooth } from "./src/figure/sawtooth";
import { drawSlowStart } from "./src/figure/slow-start";
import { drawWindow } from "./src/figure/window";
import { drawWitnesses } from "./src/figure/witnesses";
import { complete, event, type Burst } from "./src/sequence/burst";
import { drawSequence } from "./src/sequence/figure";
import { repairs, spanned, type Repair } from "./src/sequence/view";
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

/** The trace of the scenario's first test that repaired anything. */
function traceOf(data: ReportData): Sequence {
  const repaired = (s: Sequence): boolean => s.bursts.some((b) => b.kind === "retransmit");
  const order = data.document.records.map((r) => r.test);
  const traces = (data.sequence ?? []).filter(repaired).sort((a, b) => order.indexOf(a.test) - order.indexOf(b.test));
  return must(traces[0], "no trace with a retransmission");
}

function said(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

function trace(data: ReportData): Shape {
  const sequence = traceOf(data);
  const all = repairs(sequence.bursts.map(complete));
  const sent = all.reduce((sum, r) => sum + r.count, 0);
  return drawSequence(sequence, {
    id: "trace", width: WIDTH, title: "Time–sequence plot of a whole transfer",
    describe: `${said(sent, "retransmission")} in ${said(all.length, "repair")}`,
  });
}

/** The repair of most retransmissions among those of which every segment was recorded. */
function greatest(sequence: Sequence, before: number, after: number): Repair {
  const spans = sequence.detail_ns ?? [[0, Infinity] as const];
  const known = spans.flatMap(([from, until]) => repairs(sequence.bursts.map(complete), [from + before, until - after]));
  return must(known.sort((p, q) => q.count - p.count)[0], "no repair of which every segment was recorded");
}

/** That repair, with two round trips before it and three after it. */
function closeUp(data: ReportData): Shape {
  const sequence = traceOf(data);
  const rtt = must(data.document.records.find((r) => r.test === sequence.test && r.origin === "simulated")?.metrics["rtt_min_ns"], "no round-trip time");
  const repair = greatest(sequence, 2 * rtt, 3 * rtt);
  const view = must(spanned(sequence.bursts.map(complete), repair.from - 2 * rtt, repair.to + 3 * rtt), "nothing there");
  return drawSequence(sequence, {
    id: "close-up", width: WIDTH, view, title: "Time–sequence plot of a repair", describe: `${said(repair.count, "retransmission")} repair one loss`,
  });
}

/** Its beginning, so close that single segments are visible: the holes, what was reported around them, what was sent again. */
function holes(data: ReportData): Shape {
  const sequence = traceOf(data);
  const bursts = sequence.bursts.map(complete);
  const repair = greatest(sequence, 0, 20e6);
  const span = Math.max(repair.to - repair.from, 12e6);
  const [before, after] = [span * 0.08, span * 0.04 + (repair.from + span - repair.to)];
  const again = bursts.filter((b) => b.kind === "retransmit" && b.t >= repair.from && b.t <= repair.to);
  const len = must(again[0], "no repair").len;
  // A burst may reach beyond the repair: only its segments within count.
  const each = (b: Burst) => Array.from({ length: b.n * b.m }, (_, k) => event(b, Math.floor(k / b.n), k % b.n));
  const sent = again.flatMap(each).filter((e) => e.t <= repair.to);
  const [low, high] = [Math.min(...sent.map((x) => x.seq)), Math.max(...sent.map((x) => x.seq)) + len];
  return drawSequence(sequence, {
    id: "holes", width: WIDTH, view: { t0: repair.from - before, t1: repair.to + after, s0: low - 12 * len, s1: high + 12 * len },
    title: "Time–sequence plot of a repair, segment by segment", describe: `${said(repair.count, "segment")} sent again`,
  });
}

function testbed(data: ReportData): Shape {
  return must(drawTestbed(data, "testbed"), "no port with a scheduler");
}

/** The slides' third test: 26.9 % of 400.32 Mbit/s is lost, so 292.6 arrive. */
function lowerEffort(data: ReportData): Shape {
  return must(drawLowerEffort(data, { flood: "lbe", leftBps: 400.32e6 * (1 - 0.269) }, "lower-effort"), "no sweep over the load of less than best effort");
}

function segments(data: ReportData): Shape {
  return must(drawSegments(data, "segments"), "no pings along a chain");
}

function ladder(right: Overhead, slip: Overhead): Shape {
  const count = (overhead: Overhead): string => must(columns(overhead), "no line and payload").join(" of ");
  const names = [`${count(right)} columns`, `${count(slip)}, as printed`] as const;
  return must(drawLadder([right, slip], names, "ladder"), "no layers of IP over ATM");
}

/** The algorithms may have been run one by one. */
function witnesses(...files: unknown[]): Shape {
  const documents = (files as ReportData[]).map((data) => data.document);
  const [records, links] = [documents.flatMap((run) => run.records), documents.flatMap((run) => run.links)];
  return must(drawWitnesses(records, { id: "witnesses", width: WIDTH, links }), "no cut that two origins saw");
}

type Figure = (...files: unknown[]) => Shape;

const TWO = "nothing: two files are wanted";
const one = (draw: (data: ReportData) => Shape): Figure => (...files) => draw(must(files[0] as ReportData | undefined, "nothing"));
const two = <T>(draw: (first: T, second: T) => Shape): Figure =>
  (...files) => draw(must(files[0] as T | undefined, TWO), must(files[1] as T | undefined, TWO));

const FIGURES: Readonly<Record<string, Figure>> = {
  tunnel: one(tunnel), load: one(load), window: one(window), recovery: one(recovery), "slow-start": one(slowStart), trace: one(trace),
  "close-up": one(closeUp), holes: one(holes),
  sawtooth: two(sawtooth), testbed: one(testbed), "lower-effort": one(lowerEffort), segments: one(segments), ladder: two(ladder),
  witnesses,
};

function main(): number {
  const [figure, ...files] = process.argv.slice(2);
  const draw = figure === undefined ? undefined : FIGURES[figure];
  const to = files.pop();
  if (!draw || to === undefined || files.length === 0) {
    console.error(`usage: gallery ${Object.keys(FIGURES).join("|")} JSON... OUT_SVG`);
    return 2;
  }
  try {
    const contents = files.map((file) => JSON.parse(readFileSync(file, "utf8")) as unknown);
    const text = toFile(draw(...contents), style);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
    return 0;
  } catch (error) {
    console.error(`${files.join(", ")}: ${error instanceof Error ? error.message : String(error)}`);
    return 3;
  }
}

process.exitCode = main();
