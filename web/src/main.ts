// The page: reads the data it carries and draws every section that has any.

import "./figure.css";
import "./page.css";

import { h, sideways } from "./dom";
import { nameRun } from "./drawn";
import { certificates } from "./section/certificate";
import { captures, limits, reproduce, scenario } from "./section/close";
import { comparison } from "./section/compare";
import { paths } from "./section/path";
import { repeats } from "./section/repeats";
import { header, table } from "./section/results";
import { sweeps } from "./section/sweep";
import { times } from "./section/times";
import { overTime } from "./section/time";
import { traceErrors, traceFlows } from "./section/flows";
import { traceRequests } from "./section/requests";
import { SCHEMA as TRACE, traceGlitches, traceHeader, traceOthers, traceOverTime } from "./section/trace";
import { witnesses } from "./section/witnesses";
import { nameKeys } from "./format";
import { unpack } from "./packed";
import { forPaper } from "./paper";
import type { ReportData, TraceData } from "./types";

const SCHEMA = "farpath.report/1";

type Part = readonly [string, () => HTMLElement | null];

function read(): ReportData | TraceData {
  const text = document.getElementById("farpath-data")?.textContent;
  if (!text) throw new Error("the page carries no data");
  const data = unpack(JSON.parse(text) as Record<string, unknown>) as ReportData | TraceData;
  if (data.schema !== SCHEMA && data.schema !== TRACE) throw new Error(`the data are ${data.schema}, this page reads ${SCHEMA} and ${TRACE}`);
  return data;
}

/** One broken section must not take the others with it; what broke is said where it would stand. */
function part(name: string, draw: () => HTMLElement | null): HTMLElement | null {
  try {
    return draw();
  } catch (error) {
    console.error(error);
    return banner(`${name} could not be drawn: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function banner(text: string): HTMLElement {
  return h("p", { class: "error-banner", role: "alert" }, text);
}

function contents(main: HTMLElement): HTMLElement {
  const heads = [...main.querySelectorAll<HTMLElement>("section[id] > h2")];
  const entries = heads.map((head) => h("li", {}, h("a", { href: `#${head.parentElement?.id ?? ""}` }, head.textContent)));
  const list = h("ul", {}, ...entries);
  sideways(list);
  return h("nav", { "aria-label": "Sections" }, list);
}

function isTrace(data: ReportData | TraceData): data is TraceData {
  return data.schema === TRACE;
}

function ofTrace(data: TraceData): readonly Part[] {
  return [["The answer", () => traceHeader(data)], ["The plots over time", () => traceOverTime(data)],
    ["The glitches", () => traceGlitches(data)], ["The requests", () => traceRequests(data)], ["The other connections", () => traceOthers(data)],
    ["The flows", () => traceFlows(data)], ["The errors", () => traceErrors(data)]];
}

function ofReport(data: ReportData): readonly Part[] {
  return [
    ["The answer", () => header(data)], ["The comparison", () => comparison(data)], ["The path", () => paths(data)], ["The witnesses", () => witnesses(data)], ["The sweep", () => sweeps(data)],
    ["The repeats", () => repeats(data)], ["The single times", () => times(data)], ["The table", () => table(data)],
    ["The certificate", () => certificates(data)],
    ["The plots over time", () => overTime(data)], ["What limited it", () => limits(data)],
    ["The captures", () => captures(data)], ["The scenario", () => scenario(data)], ["How to repeat the run", () => reproduce(data)],
  ];
}

function draw(root: HTMLElement): void {
  const data = read();
  const main = h("main", {});
  root.append(main);
  if (!isTrace(data)) nameKeys(data.keys);
  nameRun(isTrace(data) ? data.document.files.map((f) => f.name).join(", ") : data.scenario.name);
  const parts = isTrace(data) ? ofTrace(data) : ofReport(data);
  for (const [name, make] of parts) {
    const element = part(name, make);
    if (element) main.append(element);
  }
  main.querySelector("header")?.after(contents(main));
  document.getElementById("plain")?.remove();
}

const root = document.getElementById("report");
if (root) {
  try {
    draw(root);
    forPaper();
  } catch (error) {
    root.replaceChildren(banner(`The page could not be drawn: ${error instanceof Error ? error.message : String(error)}`));
  }
}
