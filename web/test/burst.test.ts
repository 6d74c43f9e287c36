import { describe, expect, it } from "vitest";

import { complete, event, expand, nearest, total, visible, type Burst, type Event } from "../src/sequence/burst";
import { firstLoss, segments, whole, zoom } from "../src/sequence/view";

const PAIRS = complete({
  kind: "data", t_ns: 1000, seq: 0, len: 100, n: 2, gap_ns: 10, seq_step: 100, m: 1_000_000, group_gap_ns: 50.5, group_seq_step: 200,
});

/** Every event, one by one: what expansion is held to. */
function all(b: Burst): Event[] {
  const out: Event[] = [];
  for (let j = 0; j < b.m; j++) for (let i = 0; i < b.n; i++) out.push(event(b, j, i));
  return out;
}

describe("bursts", () => {
  it("take one event where the counts are left out", () => {
    const b = complete({ kind: "ack", t_ns: 7, seq: 8948 });
    expect([b.n, b.m, b.t1, b.seq1]).toEqual([1, 1, 7, 8948]);
    expect(total([b, PAIRS])).toBe(2_000_001);
  });

  it("end where their last event ends", () => {
    const last = event(PAIRS, PAIRS.m - 1, PAIRS.n - 1);
    expect(PAIRS.t1).toBe(last.t);
    expect(PAIRS.seq1).toBe(last.seq + last.len);
  });

  it("reach as far as their events where steps go back", () => {
    for (const [seq_step, group_seq_step] of [[100, -137_000], [-100, 1000], [-100, -1000]] as const) {
      const back = complete({ kind: "retransmit", t_ns: 0, seq: 900_000, len: 100, n: 4, gap_ns: 10, seq_step, m: 5, group_gap_ns: 50, group_seq_step });
      const bytes = all(back).map((e) => e.seq);
      expect([back.seq0, back.seq1]).toEqual([Math.min(...bytes), Math.max(...bytes) + 100]);
      expect(total([back])).toBe(20);
      // Far away it is a stroke, close by each event.
      expect(expand([back], 0, 1e6, { t: 1000, s: 1e9 }).strokes).toHaveLength(1);
      expect(expand([back], 0, 1e6, { t: 1000, s: 1 }).events).toEqual(all(back));
    }
  });

  it("expand to exactly the events inside the span, wherever it is cut", () => {
    const small = complete({ kind: "data", t_ns: 100, seq: 0, len: 1, n: 3, gap_ns: 7, seq_step: 1, m: 20, group_gap_ns: 30, group_seq_step: 3 });
    for (let low = 0; low < 750; low += 13) {
      for (const width of [0, 1, 29, 200]) {
        const wanted = all(small).filter((e) => e.t >= low && e.t <= low + width);
        expect(expand([small], low, low + width, { t: 0, s: 0 }).events).toEqual(wanted);
      }
    }
  });

  it("cost what is visible, not what they stand for", () => {
    const near = expand([PAIRS], 20_000_000, 20_001_000, { t: 1, s: 1e12 });
    expect(near.events.length).toBeGreaterThan(30);
    expect(near.events.length).toBeLessThan(50);
    const far = expand([PAIRS], 0, 1e9, { t: 1000, s: 1e12 });
    expect(far.events).toHaveLength(0);
    expect(far.strokes).toEqual([{ kind: "data", from: event(PAIRS, 0, 0), to: event(PAIRS, 999_999, 1) }]);
  });

  it("draw groups as strokes where only groups can be separated", () => {
    const detail = expand([PAIRS], 1000, 1600, { t: 20, s: 1e12 });
    expect(detail.events).toHaveLength(0);
    expect(detail.strokes[0]).toEqual({ kind: "data", from: event(PAIRS, 0, 0), to: event(PAIRS, 0, 1) });
    expect(detail.strokes).toHaveLength(12);
  });

  it("are separated by their bytes where their instants are one", () => {
    const burst = complete({ kind: "data", t_ns: 0, seq: 0, len: 10, n: 6, gap_ns: 1, seq_step: 10 });
    expect(expand([burst], 0, 1e6, { t: 1000, s: 5 }).events).toHaveLength(6);
    expect(expand([burst], 0, 1e6, { t: 1000, s: 50 }).strokes).toHaveLength(1);
  });

  it("join a staircase across a stroke, and never over it", () => {
    const ack = (t_ns: number, seq: number, more = {}): ReturnType<typeof complete> => complete({ kind: "ack", t_ns, seq, ...more });
    const stroke = ack(100, 50, { n: 2, gap_ns: 800, seq_step: 400, stands_for: 300 });
    const detail = expand([ack(0, 10), stroke, ack(1000, 500)], 0, 2000, { t: 1, s: 1 });
    expect(detail.events.map((e) => e.seq)).toEqual([10, 500]);
    expect([...detail.after]).toEqual([[1, event(stroke, 0, 1)]]);
    expect(total([ack(0, 10), stroke, ack(1000, 500)])).toBe(302);
  });

  it("find the event nearest to a point", () => {
    const found = nearest([PAIRS], 1000 + 50.5 * 400 + 12, (e) => Math.abs(e.t - (1000 + 50.5 * 400 + 12)));
    expect(found).toEqual(event(PAIRS, 400, 1));
    expect(nearest([], 0, () => 0)).toBeNull();
  });

  it("know the visible indices of an arithmetic row", () => {
    expect(visible(0, 10, 5, 10, 30)).toEqual([1, 4]);
    expect(visible(0, 10, 5, 11, 19)).toEqual([0, 0]);
    expect(visible(5, 0, 4, 0, 10)).toEqual([0, 4]);
    expect(visible(5, 0, 4, 6, 10)).toEqual([0, 0]);
  });
});

describe("views", () => {
  it("show single segments when asked", () => {
    const view = segments([PAIRS])!;
    const shown = expand([PAIRS], view.t0, view.t1, { t: (view.t1 - view.t0) / 400, s: (view.s1 - view.s0) / 400 });
    expect(shown.strokes).toHaveLength(0);
    expect(shown.events.length).toBeGreaterThan(30);
    expect(shown.events.length).toBeLessThan(50);
    expect(shown.events.some((e) => e.seq >= view.s0 && e.seq <= view.s1)).toBe(true);
  });

  it("are filled by single segments of a capture, in which each stands for itself", () => {
    // Ten in the first flight, a round trip, then pairs.
    const at = (k: number): number => (k < 10 ? 140e6 + k * 12e3 : 280e6 + k * 24e3 - (k % 2) * 12e3);
    const captured = Array.from({ length: 4000 }, (_, k) => complete({ kind: "data", t_ns: at(k), seq: k * 1448, len: 1448 }));
    const view = segments([...captured, complete({ kind: "ack", t_ns: 300e6, seq: 0 })])!;
    const shown = captured.filter((b) => b.t >= view.t0 && b.t <= view.t1);
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.length).toBeLessThan(100);
    const [low, high] = [shown[0]!, shown.at(-1)!];
    expect(view.s0).toBeGreaterThan(low.seq - 5000);
    expect((high.seq1 - low.seq) / (view.s1 - view.s0)).toBeGreaterThan(0.85);
    expect((high.t - low.t) / (view.t1 - view.t0)).toBeGreaterThan(0.85);
    expect(segments([complete({ kind: "ack", t_ns: 1, seq: 0 })])).toBeNull();
  });

  it("centre on the first retransmission", () => {
    const lost = complete({ kind: "retransmit", t_ns: 5e6, seq: 4000, len: 100 });
    const view = firstLoss([PAIRS, lost])!;
    expect(view.t0 < 5e6 && view.t1 > 5e6 && view.s0 < 4000 && view.s1 > 4000).toBe(true);
    expect(firstLoss([PAIRS])).toBeNull();
  });

  it("keep the point under the pointer where it is, and stop at what exists", () => {
    const view = whole([PAIRS]);
    const near = zoom(view, 2e6, 1e6, 0.5);
    expect((2e6 - near.t0) / (near.t1 - near.t0)).toBeCloseTo((2e6 - view.t0) / (view.t1 - view.t0), 9);
    let v = view;
    for (let i = 0; i < 100; i++) v = zoom(v, 2e6, 1e6, 0.5);
    expect(v.t1 - v.t0).toBeGreaterThan(199);
    expect(v.s1 - v.s0).toBeGreaterThan(99);
  });
});
