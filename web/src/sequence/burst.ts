// Run-length coded events: m groups of n, expanded only where a reader can tell them apart.

import type { SequenceBurst, SequenceKind } from "../types";

/** A burst with nothing left out. */
export interface Burst {
  readonly kind: SequenceKind;
  readonly t: number;
  readonly seq: number;
  readonly len: number;
  readonly n: number;
  readonly gap: number;
  readonly step: number;
  readonly m: number;
  readonly groupGap: number;
  readonly groupStep: number;
  /** Events it stands for, if it is a stroke or a sample; else 0. */
  readonly standsFor: number;
  /** Of the whole burst, ends included: its last instant, its lowest byte and the one after its highest. */
  readonly t1: number;
  readonly seq0: number;
  readonly seq1: number;
  readonly label?: string | undefined;
}

export interface Event {
  readonly kind: SequenceKind;
  /** Nanoseconds since the start of the run. */
  readonly t: number;
  readonly seq: number;
  readonly len: number;
  readonly label?: string | undefined;
}

export function complete(b: SequenceBurst): Burst {
  const n = Math.max(1, b.n ?? 1);
  const m = Math.max(1, b.m ?? 1);
  const [gap, step, groupGap, groupStep, len] = [b.gap_ns ?? 0, b.seq_step ?? 0, b.group_gap_ns ?? 0, b.group_seq_step ?? 0, b.len ?? 0];
  // Steps may go back: the ends are among the corners.
  const [within, between] = [(n - 1) * step, (m - 1) * groupStep];
  return {
    kind: b.kind, t: b.t_ns, seq: b.seq, len, n, gap, step, m, groupGap, groupStep, standsFor: b.stands_for ?? 0, label: b.label,
    t1: b.t_ns + (m - 1) * groupGap + (n - 1) * gap,
    seq0: b.seq + Math.min(0, within) + Math.min(0, between),
    seq1: b.seq + Math.max(0, within) + Math.max(0, between) + len,
  };
}

/** Event i of group j. */
export function event(b: Burst, j: number, i: number): Event {
  return { kind: b.kind, t: b.t + j * b.groupGap + i * b.gap, seq: b.seq + j * b.groupStep + i * b.step, len: b.len, label: b.label };
}

/** Indices k in [0, count) with low ≤ start + k·step ≤ high, as a half-open range. */
export function visible(start: number, step: number, count: number, low: number, high: number): [number, number] {
  if (step <= 0) return start >= low && start <= high ? [0, count] : [0, 0];
  const from = Math.max(0, Math.ceil((low - start) / step));
  const to = Math.min(count, Math.floor((high - start) / step) + 1);
  return from < to ? [from, to] : [0, 0];
}

/** A stretch of events too dense to be drawn singly, as one stroke from its first to its last. */
export interface Stroke {
  readonly kind: SequenceKind;
  readonly from: Event;
  readonly to: Event;
}

export interface Detail {
  readonly events: Event[];
  readonly strokes: Stroke[];
  /** By the index of an event: the end of the stroke that comes between it and the event before. */
  readonly after: Map<number, Event>;
}

/** What can be drawn singly: instants this many ns from each other, or bytes this far. */
export interface Resolution {
  readonly t: number;
  readonly s: number;
}

/** More events of one burst than this are a stroke, however far apart. */
const MOST = 20_000;

/** What is drawn of bursts between two instants. */
export function expand(bursts: readonly Burst[], low: number, high: number, resolution: Resolution): Detail {
  const detail: Detail = { events: [], strokes: [], after: new Map() };
  for (const b of bursts) {
    if (b.t1 < low || b.t > high) continue;
    if (b.standsFor > 0 && b.n > 1) stroke(detail, event(b, 0, 0), event(b, 0, b.n - 1));
    else if (b.n * b.m === 1) detail.events.push(event(b, 0, 0));
    else if (b.m > 1 && b.groupGap < resolution.t && Math.abs(b.groupStep) < resolution.s) stroke(detail, event(b, 0, 0), event(b, b.m - 1, b.n - 1));
    else groups(detail, b, low, high, resolution);
  }
  return detail;
}

function groups(detail: Detail, b: Burst, low: number, high: number, resolution: Resolution): void {
  const length = (b.n - 1) * b.gap;
  const [from, to] = visible(b.t, b.groupGap, b.m, low - length, high);
  const close = b.n > 1 && b.gap < resolution.t && Math.abs(b.step) < resolution.s;
  if ((to - from) * (close ? 1 : b.n) > MOST) return stroke(detail, event(b, from, 0), event(b, to - 1, b.n - 1));
  for (let j = from; j < to; j++) {
    if (close) {
      stroke(detail, event(b, j, 0), event(b, j, b.n - 1));
      continue;
    }
    const [first, last] = visible(b.t + j * b.groupGap, b.gap, b.n, low, high);
    for (let i = first; i < last; i++) detail.events.push(event(b, j, i));
  }
}

function stroke(detail: Detail, from: Event, to: Event): void {
  detail.strokes.push({ kind: from.kind, from, to });
  detail.after.set(detail.events.length, to);
}

/** The number of events a trace stands for. */
export function total(bursts: readonly Burst[]): number {
  return bursts.reduce((sum, b) => sum + (b.standsFor || b.n * b.m), 0);
}

/** The event nearest to a point, by a distance the caller defines; null if there is none. */
export function nearest(bursts: readonly Burst[], t: number, distance: (e: Event) => number): Event | null {
  let found: Event | null = null;
  let least = Infinity;
  const clamp = (k: number, count: number): number => Math.max(0, Math.min(count - 1, k));
  for (const b of bursts) {
    if (b.standsFor > 0 && b.n > 1) continue;
    const j0 = b.groupGap > 0 ? Math.floor((t - b.t) / b.groupGap) : 0;
    for (const j of [j0 - 1, j0, j0 + 1]) {
      const group = clamp(j, b.m);
      const i = b.gap > 0 ? Math.round((t - b.t - group * b.groupGap) / b.gap) : 0;
      for (const k of [i - 1, i, i + 1]) {
        const candidate = event(b, group, clamp(k, b.n));
        const d = distance(candidate);
        if (d < least) [found, least] = [candidate, d];
      }
    }
  }
  return found;
}
