// The load a folded path puts on its link: what each direction carries, and why one carries more.

import { count, rate } from "../format";
import type { LinkRecord, Origin, ReportData } from "../types";
import type { Shape } from "../svg";
import { drawChart, type Curve } from "./chart";

export interface Load {
  readonly link: string;
  readonly origin: Origin;
  /** The fuller direction first. */
  readonly directions: readonly [LinkRecord, LinkRecord];
  /** Passes in the direction of the data, in the order of `directions`. */
  readonly passes: readonly [number, number] | null;
  /** By bytes on the wire, framing and acknowledgements included. */
  readonly ratio: number;
  /** By TCP and UDP payload. */
  readonly payloadRatio: number;
}

/** Real measurements are shown before models. */
const PREFERENCE: readonly Origin[] = ["measured", "emulated", "simulated", "captured", "predicted"];

/** Null where tests that send much take different ways: then no one number says why a direction is fuller. */
function passes(data: ReportData, link: string, directions: readonly LinkRecord[]): [number, number] | null {
  const kinds = new Map(data.document.records.map((r) => [r.test, r.kind]));
  const heavy = (data.paths ?? []).filter((path) => kinds.get(path.test) !== "ping");
  const counts = heavy.map((path) => directions.map((direction) =>
    path.forward.filter((hop) => hop.link === link && `${hop.from}>${hop.to}` === direction.direction).length));
  const first = counts[0];
  if (!first || first[0]! + first[1]! === 0 || counts.some((c) => c[0] !== first[0] || c[1] !== first[1])) return null;
  return [first[0]!, first[1]!];
}

/** How often a path crosses a link on its way there. */
export function crossings(data: ReportData, link: string): number {
  return Math.max(0, ...(data.paths ?? []).map((path) => path.forward.filter((hop) => hop.link === link).length));
}

/** Of the link crossed most by a path, or else the link that carried most: its two directions. */
export function findLoad(data: ReportData): Load | null {
  const origin = PREFERENCE.find((o) => data.document.links.some((l) => l.origin === o && l.rate_bps.length > 1));
  const links = data.document.links.filter((l) => l.origin === origin && (l.repeat ?? 0) === 0 && l.rate_bps.length > 1);
  const best = [...links].sort((p, q) => crossings(data, q.link) - crossings(data, p.link) || q.bytes - p.bytes)[0];
  if (!best || origin === undefined) return null;
  const same = links.filter((l) => l.link === best.link && JSON.stringify(l.point) === JSON.stringify(best.point))
    .sort((p, q) => q.bytes - p.bytes);
  const [full, other] = same;
  if (!full || !other) return null;
  return {
    link: best.link, origin, directions: [full, other], passes: passes(data, best.link, [full, other]),
    ratio: full.bytes / other.bytes, payloadRatio: full.payload_bytes / other.payload_bytes,
  };
}

/** The rate that holds for most of the time the link was busy. */
export function steady(record: LinkRecord): number {
  const values = record.rate_bps.filter((v): v is number => v !== null && v > 0).sort((p, q) => p - q);
  return values[Math.floor(values.length * 0.6)] ?? 0;
}

/** Without the points inside a level stretch: the drawing is the same, the file a fraction. */
export function thinned(points: readonly (readonly [number, number])[], tolerance: number): (readonly [number, number])[] {
  const kept: (readonly [number, number])[] = [];
  for (const [i, point] of points.entries()) {
    const [before, after] = [kept.at(-1), points[i + 1]];
    const level = before && after && Math.abs(before[1] - point[1]) <= tolerance && Math.abs(after[1] - point[1]) <= tolerance;
    if (!level) kept.push(point);
  }
  return kept;
}

function curve(record: LinkRecord, tone: Curve["tone"], crossings: number | undefined): Curve {
  const value = steady(record);
  const of = crossings === undefined ? "" : ` · ${crossings} ${crossings === 1 ? "pass" : "passes"} of the data`;
  return {
    name: record.direction.replace(">", " → "), detail: `${rate(value)}${of}`, tone, stepped: true, filled: true, labelAt: value,
    points: thinned(record.t_ns.map((t, i) => [t / 1e9, record.rate_bps[i] ?? 0] as const), value / 2000),
  };
}

/** Whether a direction leaves the end a path reaches first: red in every drawing, the other way is blue. */
export function eastward(data: ReportData, record: LinkRecord): boolean {
  const ends = data.topology?.links.find((l) => l.name === record.link)?.ends;
  const first = data.paths?.flatMap((path) => path.forward).find((hop) => hop.link === record.link);
  const left = first?.from ?? ends?.[0];
  return left === undefined || record.direction.startsWith(`${left}>`);
}

/** The sentence under the figure. */
export function describeLoad(load: Load): string {
  const [full, other] = load.directions;
  const times = (n: number): string => (n === 1 ? "once" : n === 2 ? "twice" : `${n} times`);
  const why = load.passes ? `The data cross ${load.link} ${times(load.passes[0])} one way and ${times(load.passes[1])} the other: ` : "Most of the time ";
  return `${why}${rate(steady(full))} against ${rate(steady(other))} on the wire, ${load.ratio.toFixed(3)} : 1 by bytes with `
    + `framing and acknowledgements, ${byPayload(load)}, in ${count(full.frames + other.frames)} frames.`;
}

export function drawLoad(data: ReportData, id: string, width = 1040): Shape | null {
  const load = findLoad(data);
  if (!load) return null;
  const tone = (record: LinkRecord): Curve["tone"] => eastward(data, record) ? "east" : "west";
  return drawChart({
    id, width, height: 320, title: `Load of ${load.link} in both directions`, describe: describeLoad(load),
    curves: load.directions.map((record, i) => curve(record, tone(record), load.passes?.[i])),
    xName: "seconds since the start of the run", yName: `on the wire of ${load.link}, framing included`,
    xFormat: (v) => String(v), yFormat: (v) => rate(v, 3),
  });
}

/** A direction that carries no payload has no ratio to the other. */
function byPayload(load: Load): string {
  return Number.isFinite(load.payloadRatio) ? `${load.payloadRatio.toFixed(3)} : 1 by payload` : "with payload one way only";
}
