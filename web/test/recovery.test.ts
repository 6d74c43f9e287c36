import { expect, test } from "vitest";

import { coarse, cutOff, windowsOf } from "../src/figure/recovery";
import type { ReportData } from "../src/types";

/** A run of 5 000 s in so many intervals, whose window is back after 10 s. */
function run(samples: number, command: string): ReportData {
  const t_ns = Array.from({ length: samples }, (_, i) => (i * 5000e9) / samples);
  const record = { test: "bulk", origin: "simulated", point: { cc: "scalable" }, metrics: { recovery_s: 10 }, series: { cwnd_bytes: { t_ns, v: t_ns.map(() => 1) } } };
  return { command, scenario: { name: "x" }, document: { records: [record, record] } } as unknown as ReportData;
}

test("a run that was proposed is not proposed again", () => {
  const first = coarse(run(600, "farpath run x"), "bulk", "cc")!.command;
  expect(first).toBe("farpath run x --intervals 11000 --out DIR");
  expect(coarse(run(8000, "farpath run x --intervals 8000"), "bulk", "cc")).toBeNull();
  // Its intervals came out a little longer than were asked for.
  const again = coarse(run(7400, "farpath run x --intervals 7400"), "bulk", "cc")!.command;
  expect(again).toBe("farpath run x --intervals 11000 --out DIR");
  const last = coarse(run(7000, "farpath run x --intervals 100000"), "bulk", "cc")!;
  expect(last.command).toBeNull();
  expect(last.words).toContain("shorter than");
});

test("more intervals are proposed than the run had asked for without a word", () => {
  // 60 s by the usual 600: intervals of 100 ms would do, and 60.1 s have those of 200.
  const t_ns = Array.from({ length: 300 }, (_, i) => i * 200e6);
  const record = { test: "bulk", origin: "simulated", point: { cc: "scalable" }, metrics: { recovery_s: 1.5 }, series: { cwnd_bytes: { t_ns, v: t_ns.map(() => 1) } } };
  const data = { command: "farpath run x", scenario: { name: "x" }, document: { records: [record] } } as unknown as ReportData;
  expect(coarse(data, "bulk", "cc")!.command).toBe("farpath run x --intervals 1300 --out DIR");
});

/** Windows that fall at 10 s and climb, of algorithms that are back after so many seconds, or not by the end. */
function cuts(origin: string, back: Readonly<Record<string, number | null>>): ReportData {
  const records = Object.entries(back).map(([cc, after]) => {
    const v = Array.from({ length: 60 }, (_, s) => (s < 10 ? 100 : 50 + Math.min(50, ((s - 10) * 50) / (after ?? 100))));
    const window = { t_ns: v.map((_, s) => s * 1e9), v };
    return { test: "bulk", origin, point: { cc }, metrics: { loss_events: 1, ...(after === null ? {} : { recovery_s: after }) }, series: { cwnd_bytes: window, in_flight_bytes: window } };
  });
  return { scenario: { name: "x" }, document: { records } } as unknown as ReportData;
}

test("a run that ended before its window was back says so, and a formula alone does not", () => {
  const some = cuts("simulated", { reno: 30, vegas: null });
  expect(cutOff(some, "bulk", "cc")).toBe("The run ended before the window of vegas was back: a longer duration shows when.");
  expect(windowsOf(some, "bulk", "cc").curves.map((c) => [c.name, c.detail?.split(" ").slice(0, 2).join(" ")])).toEqual([["reno", "back after"], ["vegas", "not back"]]);
  expect(cutOff(cuts("simulated", { reno: 30 }), "bulk", "cc")).toBeNull();
  const formula = windowsOf(cuts("predicted", { reno: 30, vegas: null }), "bulk", "cc").curves;
  expect(formula.map((c) => c.detail)).not.toContain("not back when the run ends");
});
