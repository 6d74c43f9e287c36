import { expect, test } from "vitest";

import { coarse } from "../src/figure/recovery";
import type { ReportData } from "../src/types";

/** A run of 5 000 s in so many intervals, whose window is back after 10 s. */
function run(samples: number, command: string): ReportData {
  const t_ns = Array.from({ length: samples }, (_, i) => (i * 5000e9) / samples);
  const record = { test: "bulk", origin: "simulated", point: { cc: "scalable" }, metrics: { recovery_s: 10 }, series: { cwnd_bytes: { t_ns, v: t_ns.map(() => 1) } } };
  return { command, scenario: { name: "x" }, document: { records: [record, record] } } as unknown as ReportData;
}

test("a run that was proposed is not proposed again", () => {
  const first = coarse(run(600, "farpath run x"), "bulk", "cc")!.command;
  expect(first).toBe("farpath run x --intervals 8000 --out DIR");
  expect(coarse(run(8000, "farpath run x --intervals 8000"), "bulk", "cc")).toBeNull();
  // Its intervals came out a little longer than were asked for.
  const again = coarse(run(7400, "farpath run x --intervals 7400"), "bulk", "cc")!.command;
  expect(again).toBe("farpath run x --intervals 10000 --out DIR");
  const last = coarse(run(7000, "farpath run x --intervals 100000"), "bulk", "cc")!;
  expect(last.command).toBeNull();
  expect(last.words).toContain("shorter than");
});
