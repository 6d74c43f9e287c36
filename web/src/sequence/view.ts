// The window of a time–sequence plot: which instants and which bytes are shown, and how a gesture changes it.

import { event, type Burst } from "./burst";

export interface View {
  readonly t0: number;
  readonly t1: number;
  readonly s0: number;
  readonly s1: number;
}

/** No gesture zooms below this many nanoseconds or bytes: nothing smaller exists. */
const LEAST_T = 200;
const LEAST_S = 100;

/** Everything, with a little air. */
export function whole(bursts: readonly Burst[]): View {
  if (bursts.length === 0) return { t0: 0, t1: 1e9, s0: 0, s1: 1 };
  const t0 = Math.min(...bursts.map((b) => b.t));
  const t1 = Math.max(...bursts.map((b) => b.t1));
  const s0 = Math.min(...bursts.map((b) => b.seq0));
  const s1 = Math.max(...bursts.map((b) => b.seq1));
  return aired({ t0, t1: Math.max(t1, t0 + LEAST_T), s0, s1: Math.max(s1, s0 + LEAST_S) });
}

/** What happened between two instants, as high as its bytes reach; null where nothing did. */
export function spanned(bursts: readonly Burst[], t0: number, t1: number): View | null {
  const inside = bursts.filter((b) => b.t <= t1 && b.t1 >= t0);
  if (inside.length === 0) return null;
  const ends = inside.map((b) => reach(b, t0, t1));
  const s0 = Math.min(...ends.map(([low]) => low));
  const s1 = Math.max(...ends.map(([, high]) => high));
  const air = Math.max(1500, (s1 - s0) * 0.05);
  return { t0, t1, s0: s0 - air, s1: s1 + air };
}

/** The lowest and the highest byte of a burst between two instants: on a line from its first event to its last where they cut it. */
function reach(b: Burst, t0: number, t1: number): [low: number, high: number] {
  if (t0 <= b.t && b.t1 <= t1) return [b.seq0, b.seq1];
  const last = event(b, b.m - 1, b.n - 1).seq;
  const at = (t: number): number => b.seq + ((last - b.seq) * (Math.min(b.t1, Math.max(b.t, t)) - b.t)) / (b.t1 - b.t);
  return [Math.min(at(t0), at(t1)), Math.max(at(t0), at(t1)) + b.len];
}

function aired(v: View): View {
  const t = (v.t1 - v.t0) * 0.03;
  const s = (v.s1 - v.s0) * 0.05;
  return { t0: v.t0 - t, t1: v.t1 + t, s0: v.s0 - s, s1: v.s1 + s };
}

/** Zooms by a factor (< 1: closer) about a point that keeps its place. */
export function zoom(v: View, t: number, s: number, factor: number, factorS = factor): View {
  const ft = Math.max(factor, LEAST_T / (v.t1 - v.t0));
  const fs = Math.max(factorS, LEAST_S / (v.s1 - v.s0));
  return { t0: t + (v.t0 - t) * ft, t1: t + (v.t1 - t) * ft, s0: s + (v.s0 - s) * fs, s1: s + (v.s1 - s) * fs };
}

/** Moves by shares of what is shown. */
export function pan(v: View, dt: number, ds: number): View {
  const t = (v.t1 - v.t0) * dt;
  const s = (v.s1 - v.s0) * ds;
  return { t0: v.t0 + t, t1: v.t1 + t, s0: v.s0 + s, s1: v.s1 + s };
}

/** Segments on each side of the one in the middle. */
const AROUND = 20;

/** Data of which every segment is known, in the order of time. */
function singly(bursts: readonly Burst[]): Burst[] {
  return bursts.filter((b) => b.kind === "data" && b.standsFor === 0).sort((p, q) => p.t - q.t);
}

/** The first and the last index around the `at`-th of `count`, as a half-open range. */
function about(at: number, count: number, reach: number): [number, number] {
  const middle = Math.max(0, Math.min(count - 1, Math.round(at)));
  return [Math.max(0, middle - reach), Math.min(count, middle + reach + 1)];
}

/** How far the segments around an instant are apart, in ns: the mean of their gaps, without pauses. */
function spacingAt(data: readonly Burst[], t: number): number {
  const range = ([from, to]: readonly [number, number]): number[] => Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k);
  const last = data.filter((b) => b.t <= t).length - 1;
  const times = range(about(last, data.length, AROUND)).flatMap((k) => {
    const b = data[k]!;
    const groups = range(about(b.groupGap > 0 ? (t - b.t) / b.groupGap : 0, b.m, Math.ceil(AROUND / b.n) + 1));
    return groups.flatMap((j) => range(about(b.gap > 0 ? (t - b.t - j * b.groupGap) / b.gap : 0, b.n, AROUND)).map((i) => event(b, j, i).t));
  });
  const near = times.sort((p, q) => Math.abs(p - t) - Math.abs(q - t)).slice(0, 2 * AROUND).sort((p, q) => p - q);
  const gaps = near.slice(1).map((at, i) => at - near[i]!).sort((p, q) => p - q);
  const apart = gaps.filter((gap) => gap > 0);
  const pause = 10 * (apart[Math.floor(apart.length / 2)] ?? 0);
  const kept = gaps.filter((gap) => gap <= pause);
  return apart.length === 0 ? 1e5 : kept.reduce((sum, gap) => sum + gap, 0) / kept.length;
}

/** The segments around the middle one, close enough to be seen singly, and as high as they reach. */
export function segments(bursts: readonly Burst[]): View | null {
  const data = singly(bursts);
  let left = Math.floor(data.reduce((sum, b) => sum + b.n * b.m, 0) / 2);
  for (const b of data) {
    if (left >= b.n * b.m) {
      left -= b.n * b.m;
      continue;
    }
    const { t } = event(b, Math.floor(left / b.n), left % b.n);
    const half = Math.max(AROUND * spacingAt(data, t), LEAST_T / 2);
    return spanned(data, t - half, t + half);
  }
  return null;
}

/** The first retransmission, with the segments around it. */
export function firstLoss(bursts: readonly Burst[]): View | null {
  const lost = bursts.find((b) => b.kind === "retransmit");
  if (!lost) return null;
  const sent = bursts.find((b) => b.kind === "data" && b.standsFor === 0 && b.seq <= lost.seq && lost.seq < b.seq1);
  const [spacing, size] = [sent ? spacingOf(sent) : 1e5, lost.len || 1500];
  return { t0: lost.t - spacing * 16, t1: lost.t + spacing * 24, s0: lost.seq - size * 16, s1: lost.seq + size * 24 };
}

function spacingOf(b: Burst): number {
  return b.n > 1 && b.gap > 0 ? b.gap : b.groupGap > 0 ? b.groupGap / b.n : 1e5;
}

/** Retransmissions further apart than this are of two losses, in ns. */
const QUIET = 0.5e9;

export interface Repair {
  /** Its first and last retransmission, in ns. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** What a trace repaired, loss by loss; within a span only where one is given. */
export function repairs(bursts: readonly Burst[], within: readonly [from: number, until: number] = [0, Infinity]): Repair[] {
  const times = bursts.filter((b) => b.kind === "retransmit")
    .flatMap((b) => Array.from({ length: b.n * b.m }, (_, k) => event(b, Math.floor(k / b.n), k % b.n).t))
    .filter((t) => t >= within[0] && t <= within[1]).sort((p, q) => p - q);
  const found: { from: number; to: number; count: number }[] = [];
  for (const t of times) {
    const last = found.at(-1);
    if (last && t - last.to < QUIET) [last.to, last.count] = [t, last.count + 1];
    else found.push({ from: t, to: t, count: 1 });
  }
  return found;
}

/** The first `count` bursts: slow start, if the stream begins so. */
export function opening(bursts: readonly Burst[]): View | null {
  const data = bursts.filter((b) => b.kind === "data" && b.standsFor === 0);
  const last = data[Math.min(5, data.length - 1)];
  if (!last || data.length < 3) return null;
  return whole(bursts.filter((b) => b.t < last.t && b.seq1 <= last.seq));
}
