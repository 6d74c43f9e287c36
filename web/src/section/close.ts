// What limited each stream, the captures, the scenario, and how to get the same run again.

import { download, h, scroller, section } from "../dom";
import * as format from "../format";
import { fitted } from "../drawn";
import { drawStack, type Share } from "../figure/stack";
import { OPEN_ON_PAPER } from "../paper";
import { csv, sharesOf } from "../results";
import type { ReportData, RunOfPage, StreamRecord, TestRecord } from "../types";

/** Said where a path was down. */
const OF_OUTAGES = "An outage lasts until something comes through again. The JSON has the other shares as parts of the time without it.";

/** Bars shown without being asked for. */
const SHOWN = 8;

function shares(stream: StreamRecord): Share[] {
  return sharesOf(stream).map(([key, ratio]) => ({ key, name: format.limit(key), ratio }));
}

function bar(record: TestRecord, stream: StreamRecord, tones: ReadonlyMap<string, number>): HTMLElement {
  const parts = shares(stream);
  const words = parts.map((s) => `${s.name} ${format.share(s.ratio)}`).join(", ");
  const point = format.point(record.point);
  const name = `${record.test}${record.streams.length > 1 ? ` stream ${stream.stream}` : ""}${point ? `, ${point}` : ""} (${record.origin})`;
  return h("div", { class: "limit" }, h("div", { class: "limit-name" }, name), fitted((width) => drawStack(parts, `${name}: ${words}`, tones, width)), h("div", { class: "hint" }, words));
}

export function limits(data: ReportData): HTMLElement | null {
  const all = data.document.records.flatMap((record) => record.streams.map((stream) => ({ record, stream })))
    .filter(({ stream }) => shares(stream).length > 0);
  if (all.length === 0) return null;
  const keys = [...new Set(all.flatMap(({ stream }) => shares(stream).map(({ key }) => key)))];
  const tones = new Map(keys.map((key, i) => [key, i]));
  const outage = all.some(({ stream }) => (stream.metrics["outage_ratio"] ?? 0) > 0);
  const hint = `Shares of each stream's time, as the sender accounted them.${outage ? ` ${OF_OUTAGES}` : ""}`;
  return section("limits", "What limited it", h("p", { class: "hint" }, hint),
    ...all.slice(0, SHOWN).map(({ record, stream }) => bar(record, stream, tones)),
    all.length > SHOWN ? h("details", {}, h("summary", {}, `${all.length - SHOWN} more`),
      ...all.slice(SHOWN).map(({ record, stream }) => bar(record, stream, tones))) : null);
}

export function captures(data: ReportData): HTMLElement | null {
  const all = data.captures ?? [];
  if (all.length === 0) return null;
  const link = (file: string, text: string): HTMLElement => h("a", { href: encodeURIComponent(file) }, text);
  return section("captures", "Captures", h("p", { class: "hint" }, "What tapped links carried, in the folder of this page. `farpath trace` reads them, and so does Wireshark."),
    h("ul", {}, ...all.map((c) => h("li", {}, `${c.link}, ${c.origin}: `, link(c.file, c.file),
      ...(c.page === undefined ? [" (no TCP connection)"] : [", ", link(c.page, "segment by segment")])))));
}

export function scenario(data: ReportData): HTMLElement | null {
  const { text } = data.scenario;
  if (text === undefined || text === "") return null;
  return section("scenario", "Scenario", h("details", { class: OPEN_ON_PAPER, open: text.split("\n").length <= 40 },
    h("summary", {}, "The scenario as it was run"), scroller("Scenario text", h("pre", {}, h("code", {}, text)))));
}

export function reproduce(data: ReportData): HTMLElement {
  const { document: run } = data;
  const command = data.command ?? `farpath run ${data.scenario.name} --seed ${run.seed}`;
  const entry = (name: string, value: Node | string): HTMLElement => h("div", {}, h("dt", {}, name), h("dd", {}, value));
  const runs = data.runs ?? [];
  if (runs.length > 0) return reproduceAll(data, runs);
  const base = data.scenario.name.replace(/[^A-Za-z0-9_-]+/g, "-");
  return section("reproduce", "Run it again", h("p", {}, run.records.some((r) => r.origin === "emulated")
      ? "The same version, scenario and seed give the same bits in models; what is emulated varies with the machine."
      : "The same version, scenario and seed give the same bits."),
    h("pre", { class: "command" }, h("code", {}, command)),
    h("dl", { class: "facts-small" }, entry("version", `farpath ${run.version}${run.commit === undefined ? "" : ` (${run.commit})`}`), entry("seed", String(run.seed)),
      entry("scenario SHA-256", h("code", { class: "hash" }, run.scenario_sha256))),
    files(data, base));
}

function files(data: ReportData, base: string): HTMLElement {
  return h("div", { class: "buttons" }, download(`${base}.json`, "application/json", () => JSON.stringify(data, null, 1)), download(`${base}.csv`, "text/csv", () => csv(data)));
}

/** Of several runs: each with its command and seed. */
function reproduceAll(data: ReportData, runs: readonly RunOfPage[]): HTMLElement {
  const one = ({ name, command, seed, version, scenario_sha256 }: RunOfPage): HTMLElement => h("div", {}, h("h3", {}, name),
    command === undefined ? null : h("pre", { class: "command" }, h("code", {}, command)), h("p", { class: "hint" }, `farpath ${version}, seed ${seed}, scenario `, h("code", { class: "hash" }, scenario_sha256)));
  return section("reproduce", "Run them again", ...runs.map(one), files(data, "runs"));
}
