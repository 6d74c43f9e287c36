import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { unpack } from "../src/packed";

// crates/report tests that it packs this text so.
const text = readFileSync(new URL("../fixtures/packed.json", import.meta.url), "utf8");

test("what was packed is what it was", () => {
  const { plain, packed } = JSON.parse(text) as { plain: unknown; packed: Record<string, unknown> };
  expect(unpack(packed)).toEqual(plain);
});

test("series of the same times share one list", () => {
  const { packed } = JSON.parse(text) as { packed: Record<string, unknown> };
  const { document } = unpack(packed) as { document: { records: { series: Record<string, { t_ns: number[] }> }[] } };
  const series = document.records[0]!.series;
  expect(series["cwnd_bytes"]!.t_ns).toBe(series["goodput_bps"]!.t_ns);
});

test("what was never packed stays", () => {
  const plain = { schema: "farpath.report/1", document: { records: [{ series: { a: { t_ns: [1], v: [2] } } }] } };
  expect(unpack(plain)).toBe(plain);
});
