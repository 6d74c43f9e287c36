// The header with the answer, and the table under it.

import { h, scroller, section } from "../dom";
import * as format from "../format";
import { OPEN_ON_PAPER } from "../paper";
import { headline, isFar, origins, rows, subject, verdictOn, within, type Row, type Verdict } from "../results";
import { routes, taken } from "../taken";
import { ANY, folded as onceEach } from "../untouched";
import type { Origin, ReportData } from "../types";

export function header(data: ReportData): HTMLElement {
  const { scenario } = data;
  return h("header", { class: "masthead" },
    h("p", { class: "eyebrow" }, "farpath report"),
    h("h1", {}, scenario.name),
    scenario.summary ? h("p", { class: "summary" }, scenario.summary) : null,
    scenario.source ? h("p", { class: "source" }, `After ${scenario.source}`) : null,
    h("dl", { class: "facts" }, ...headline(data).map((fact) => {
      const tone = fact.value.startsWith("✗") ? "fail" : fact.value.startsWith("✓") ? "pass" : "";
      return h("div", { class: `fact ${tone}` }, h("dt", {}, fact.text), h("dd", {}, fact.value));
    })),
    ...(data.notes ?? []).map((note) => h("p", { class: "note" }, note)));
}

function judged(verdict: Verdict | null): HTMLElement | null {
  if (verdict === null) return null;
  if (verdict.pass) return h("span", { class: "mark pass", title: verdict.why }, " ✓", h("span", { class: "unseen" }, " holds"));
  return h("span", { class: "mark fail", title: verdict.why }, verdict.unstated ? " ✗ not stated" : " ✗", h("span", { class: "unseen" }, verdict.unstated ? "" : " fails"));
}

function cell(row: Row, origin: Origin): HTMLElement {
  const value = row.values.get(origin);
  const mine = row.expectations.filter((x) => x.origin === origin);
  // One whose band the figure misses is shown before one that holds.
  const missed = mine.find((x) => !x.pass && !within(x));
  const e = missed ?? mine[0];
  const verdict = verdictOn(mine);
  if (value === undefined && !e) return h("td", { class: "number none", "data-head": origin }, "–");
  const shown = value ?? e?.actual;
  const text = missed && typeof shown === "number" ? format.missed(row.metric, shown, [missed.min, missed.max]) : format.metric(row.metric, shown);
  const untrusted = row.untrusted?.includes(origin) ?? false;
  const title = value === undefined ? undefined : `${String(value)}${untrusted ? ", INVALID: the certificate failed" : ""}`;
  const doubtful = (row.few ?? []).includes(origin) || (origin === "predicted" && isFar(row));
  return h("td", { class: `number${verdict && !verdict.pass ? " failed" : ""}`, "data-head": origin, title }, h("span", {}, untrusted ? `! ${text}` : doubtful ? `? ${text}` : text, judged(verdict)));
}

function allowed(row: Row): string {
  return [...new Set(row.expectations.map((e) => format.band(row.metric, e.min, e.max)))].filter((t) => t !== "").join("; ");
}

/** What stands in place of a text that the line above has word for word. */
const AS_ABOVE = "as above";

/** A text of a source or a note, or that it is the one above: of one metric at many points it is said once. */
function once(text: string, above: string | undefined): Array<HTMLElement | string> {
  return text !== "" && text === above ? [h("span", { class: "again", title: text }, AS_ABOVE)] : [text];
}

function line(row: Row, above: Row | undefined, shown: readonly Origin[], heads: readonly string[], head: HTMLElement | null): HTMLElement {
  const point = format.point(row.point);
  const name = format.metricName(/[. ]/.test(row.metric) ? subject(row.metric).metric : row.metric, row.test);
  const failed = row.expectations.some((e) => !e.pass);
  const same = above?.metric === row.metric ? above : undefined;
  const repeated = row.notes.length > 0 && row.notes.join("\n") === same?.notes.join("\n");
  return h("tr", { class: `${row.first ? "" : "more"}${failed ? " has-fail" : ""}` }, head,
    h("td", { class: "metric" }, name, point ? h("span", { class: "point" }, point) : null),
    heads.includes("stated") ? h("td", { class: "stated", "data-head": "stated" }, ...once(row.stated ?? "", same?.stated ?? undefined)) : null,
    ...shown.map((origin) => cell(row, origin)),
    heads.includes("allowed") ? h("td", { class: "allowed-band", "data-head": "allowed" }, allowed(row)) : null,
    heads.includes("limited by") ? h("td", { "data-head": "limited by" }, row.limitedBy ?? "") : null,
    heads.includes("note") ? h("td", { class: "row-note", "data-head": "note" }, ...(repeated ? once(row.notes.join(" "), row.notes.join(" ")) : row.notes.map((note) => h("div", {}, note)))) : null);
}

/** The rows by test, the test named once; hidden rows stand after those shown. */
function body(all: readonly Row[], shown: readonly Origin[], heads: readonly string[], order: readonly string[]): HTMLElement[] {
  const tests = order;
  return tests.map((test) => {
    const mine = all.filter((row) => row.test === test).sort((p, q) => Number(q.first) - Number(p.first));
    const visible = mine.filter((row) => row.first).length;
    return h("tbody", {}, ...mine.map((row, i) => {
      const head = i === 0
        ? h("th", { scope: "rowgroup", rowspan: mine.length, "data-few": Math.max(1, visible) }, test)
        : null;
      return line(row, mine[i - 1], shown, heads, head);
    }));
  });
}

/** The heads of the columns that hold something. */
function columns(all: readonly Row[], shown: readonly Origin[]): string[] {
  const used = (head: string, holds: (row: Row) => boolean): string[] => (all.some(holds) ? [head] : []);
  return [
    "test", "metric", ...used("stated", (r) => r.stated !== null), ...shown, ...used("allowed", (r) => r.expectations.length > 0),
    ...used("limited by", (r) => r.limitedBy !== null), ...used("note", (r) => r.notes.length > 0),
  ];
}

/** What the table holds, and what its signs mean. */
function captionOf(heads: readonly string[]): string {
  const stated = heads.includes("stated");
  return [
    stated ? "What the source states, in its own words, beside what farpath finds." : "What farpath finds.",
    heads.includes("allowed") ? `✓ and ✗ judge a figure against the allowed band${stated ? "; stated words are never compared" : ""}.` : "",
  ].filter((text) => text !== "").join(" ");
}

export function table(data: ReportData): HTMLElement | null {
  const all = onceEach(data, rows(data));
  if (all.length === 0) return null;
  const shown = origins(data);
  // Tests in the order of the run, whatever the order of their metrics; searches and links last.
  const place = (test: string): number => {
    const at = data.document.records.findIndex((r) => r.test === test && r.kind !== "search");
    return at < 0 ? Infinity : at;
  };
  const order = [...new Set(all.map((row) => row.test))].sort((p, q) => (place(p) === place(q) ? 0 : place(p) - place(q)));
  const heads = columns(all, shown);
  const element = h("table", { class: "results few" },
    h("caption", {}, captionOf(heads), all.some((row) => (row.untrusted ?? []).length > 0) ? " ! INVALID: the certificate failed, and the number may not be trusted." : "",
      all.some((row) => Object.values(row.point).includes(ANY)) ? " any: every figure of the test is the same at each value of the key." : "",
      all.some(isFar) ? " ? predicted, and more than 20 % from what was simulated, or else emulated or measured; of a loss 3 points or a factor of two, beyond chance: the closed form leaves out what happened there, unless a note says that the model does." : "",
      all.some((row) => row.few !== undefined) ? " ? of what was simulated, emulated or measured: it hangs on fewer than three loss events, which are chance; more repeats or a longer duration tell." : ""),
    h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))), ...body(all, shown, heads, order));
  const hidden = all.filter((row) => !row.first).length;
  const spans = (few: boolean): void => {
    for (const th of element.querySelectorAll<HTMLTableCellElement>("th[data-few]")) {
      const full = th.closest("tbody")?.rows.length ?? 1;
      th.rowSpan = few ? Number(th.dataset["few"]) : full;
    }
  };
  spans(true);
  const button = h("button", { type: "button", "aria-expanded": "false" }, `Show all metrics (${hidden} more)`);
  button.addEventListener("click", () => {
    const few = element.classList.toggle("few");
    spans(few);
    button.setAttribute("aria-expanded", String(!few));
    button.textContent = few ? `Show all metrics (${hidden} more)` : "Show the main metrics";
  });
  return section("results", "Results", folded(all, scroller("Results table", element)), hidden > 0 ? h("p", {}, button) : null, said(data), ...circumstances(data));
}

/** A table of more rows is folded on a narrow screen, where each row is as high as a small table. */
const LONG = 20;

/** The table; a long one can be folded, and a narrow screen begins with it folded. */
function folded(all: readonly Row[], whole: HTMLElement): HTMLElement {
  const shown = all.filter((row) => row.first).length;
  if (shown <= LONG) return whole;
  const failed = all.filter((row) => row.expectations.some((e) => !e.pass)).length;
  const judged = failed === 0 ? "" : `, ${failed} outside the allowed band`;
  return h("details", { class: `fold ${OPEN_ON_PAPER}`, open: !matchMedia("(max-width: 40rem)").matches }, h("summary", {}, `Table of ${shown} rows${judged}`), whole);
}

/** What records say of themselves, each sentence once. */
function said({ said: all = [] }: ReportData): HTMLElement | null {
  if (all.length === 0) return null;
  return h("div", { class: "said" }, h("h3", {}, "Notes"), h("ul", {}, ...all.map((text) => h("li", {}, ...format.pieces(text).map((piece, i) => (i % 2 === 0 ? piece : h("span", { class: "whole" }, piece)))))));
}

/** Below the table: when, where and with what, and the way of the packets, where that was real. */
function circumstances(data: ReportData): HTMLElement[] {
  const ways = routes(data);
  const lines = taken(data).map((text) => h("p", { class: "taken" }, text));
  if (ways.length === 0) return lines;
  const items = ways.map(({ tests, hops }) => h("li", {}, `${tests.join(", ")}: ${hops}`));
  return [...lines, h("details", { class: "taken" }, h("summary", {}, "Routes, hop by hop"), h("ul", {}, ...items))];
}
