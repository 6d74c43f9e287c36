// Which retransmissions are marked: they are rare and matter, however narrow the drawing and however much it shows.

import { event, visible, type Burst, type Event, type Resolution } from "./burst";
import type { View } from "./view";

/** A mark with its letter has this room, in pixels. */
const [WIDE, HIGH] = [14, 24];

/** The letter of a mark: that of its class, where it has one. */
export function letterOf(e: Event): string {
  return e.label?.[0]?.toUpperCase() ?? "R";
}

/** A burst with each of its events: those that a stroke stands for are as if evenly spread. */
function filled(b: Burst): Burst {
  if (b.standsFor < 2 || b.n < 2) return b;
  const share = (b.n - 1) / (b.standsFor - 1);
  return { ...b, n: b.standsFor, gap: b.gap * share, step: b.step * share };
}

/** Indices of a range whose events lie `apart` from each other, and the last. */
function strided([from, to]: readonly [number, number], gap: number, step: number, apart: Resolution): number[] {
  const least = Math.min(apart.t / gap, apart.s / Math.abs(step), Math.max(1, to - from));
  const by = Math.max(1, Math.ceil(least));
  const found = Array.from({ length: Math.ceil(Math.max(0, to - from) / by) }, (_, k) => from + k * by);
  return found.length === 0 || found.at(-1) === to - 1 ? found : [...found, to - 1];
}

/** Of a burst's events between two instants those that lie apart in time or in bytes. */
function spaced(of: Burst, { t0, t1 }: View, apart: Resolution): Event[] {
  const b = filled(of);
  if (b.t1 < t0 || b.t > t1) return [];
  const groups = visible(b.t, b.groupGap, b.m, t0 - (b.n - 1) * b.gap, t1);
  return strided(groups, b.groupGap, b.groupStep, apart)
    .flatMap((j) => strided(visible(b.t + j * b.groupGap, b.gap, b.n, t0, t1), b.gap, b.step, apart).map((i) => event(b, j, i)));
}

/** The events of a view that are marked, in the order of time: where many of a letter stand together one for all of them. `px` is how many
 * pixels a nanosecond has, and a byte. */
export function marks(bursts: readonly Burst[], view: View, px: Resolution): Event[] {
  const apart = { t: WIDE / px.t, s: HIGH / px.s };
  const all = bursts.flatMap((b) => spaced(b, view, apart)).filter((e) => e.seq <= view.s1 && e.seq + e.len >= view.s0);
  const last = new Map<string, Event>();
  return all.sort((p, q) => p.t - q.t || p.seq - q.seq).filter((e) => {
    const before = last.get(letterOf(e));
    const isClose = before !== undefined && e.t - before.t < apart.t && Math.abs(e.seq - before.seq) < apart.s;
    if (!isClose) last.set(letterOf(e), e);
    return !isClose;
  });
}
