// How far an emulated run may be believed: what the machine added to what the model ordered.

import { h, scroller, section } from "../dom";
import * as format from "../format";
import type { Certificate, Point, ReportData } from "../types";

interface Run {
  readonly point: Point;
  readonly repeat: number;
  readonly certificate: Certificate;
}

/** One for each run with real hosts: its tests share it. */
export function runs(data: ReportData): Run[] {
  const found = new Map<string, Run>();
  for (const { point, repeat, certificate } of data.document.records) {
    if (certificate) found.set(`${format.point(point)}\n${repeat}`, { point, repeat, certificate });
  }
  return [...found.values()];
}

function verdict({ valid }: Certificate): HTMLElement {
  return h("span", { class: `mark ${valid ? "pass" : "fail"}` }, valid ? "✓ valid" : "✗ not valid");
}

/** What was dropped that the model did not order, by where. */
function unordered({ unordered_drops }: Certificate): string {
  const places = Object.entries(unordered_drops).filter(([, count]) => count > 0);
  return places.length === 0 ? "none" : places.map(([place, count]) => `${count} at ${place}`).join(", ");
}

function row({ point, repeat, certificate: c }: Run, several: boolean): HTMLElement {
  const time = (ns: number): HTMLElement => h("td", { class: "number", title: `${ns} ns` }, format.delay(ns, 3));
  const share = (ratio: number): HTMLElement => h("td", { class: "number" }, format.share(ratio));
  const name = [format.point(point), repeat > 0 ? `repeat ${repeat + 1}` : ""].filter((t) => t !== "").join(", ");
  return h("tr", {}, several ? h("th", { scope: "row" }, name || "the run") : null,
    h("td", {}, verdict(c)), h("td", { class: "number" }, c.frames.toLocaleString("en")),
    time(c.lateness_p50_ns), time(c.lateness_p99_ns), time(c.lateness_max_ns),
    h("td", { class: "number" }, c.late_frames.toLocaleString("en")), time(c.longest_gap_ns),
    time(c.host_wait_p99_ns), time(c.host_wait_max_ns),
    h("td", {}, unordered(c)), share(c.cpu_share), share(c.machine_share));
}

export function certificates(data: ReportData): HTMLElement | null {
  const all = runs(data);
  const first = all[0];
  if (!first) return null;
  const several = all.length > 1;
  const heads = [...(several ? ["run"] : []), "certificate", "frames", "lateness p50", "p99", "maximum",
    `later than ${format.delay(first.certificate.tolerance_ns, 2)}`, "longest stall", "hosts' waits p99", "maximum", "unordered drops", "data plane, of a processor", "machine"];
  const faults = [...new Set(all.flatMap(({ certificate }) => certificate.faults))];
  const table = h("table", { class: "certificates" },
    h("caption", {}, "What the machine added to what the model ordered. Do not trust a run whose certificate fails."),
    h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, ...all.map((run) => row(run, several))));
  return section("certificate", "Certificate of the emulation", scroller("Certificates", table),
    ...faults.map((fault) => h("p", { class: "note" }, fault)));
}
