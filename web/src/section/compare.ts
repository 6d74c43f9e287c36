// What `farpath compare` says of two runs: each metric of both, how far apart, and whether chance may have done it.

import { h, scroller, section } from "../dom";
import * as format from "../format";
import type { ComparedRow, ReportData } from "../types";

/** What is said of a difference that chance may have made. */
const UNTOLD = "inconclusive";

/** Nobody makes more further runs than these. */
const MORE = 100;

/** What is said of a difference, in the words of the terminal: by ranks where runs are of two kinds. What differs by less
 * than the metric's steps is the same. */
export function verdict(row: ComparedRow): string {
  const [apart, more] = [Math.abs(row.difference ?? 0), row.more_runs ?? 0];
  const by = typeof row.rank_p === "number" ? ", by ranks" : "";
  if (row.verdict === "unknown") return "one run";
  if (row.verdict === "differs") return `differs${by}`;
  if (apart > 0 && apart < (row.step ?? 0)) return "below a step";
  if (row.verdict === "same") return "same";
  return more >= 1 && more <= MORE ? `${UNTOLD}; ${more} more` : `${UNTOLD}${by}`;
}
/** Rows shown without being asked for. */
const SHOWN = 40;

function share(row: ComparedRow): string {
  const sign = (row.difference ?? 0) > 0 ? "+" : "";
  if (typeof row.relative === "number") {
    const half = typeof row.difference_ci95 === "number" && row.a.mean ? ` ± ${format.share(Math.abs(row.difference_ci95 / row.a.mean))}` : "";
    return `${sign}${(row.relative * 100).toFixed(1)} %${half}`;
  }
  return typeof row.difference === "number" ? `${sign}${format.metric(row.metric, row.difference)}` : "";
}

function line(row: ComparedRow, of: boolean): HTMLElement {
  const origin = row.origin_a === row.origin_b ? row.origin_a : `${row.origin_a}, ${row.origin_b}`;
  const number = (text: string, head: string): HTMLElement => h("td", { class: "number", "data-head": head }, h("span", {}, text));
  return h("tr", {}, h("th", { scope: "row" }, row.test), h("td", { class: "metric" }, format.metricName(row.metric), of ? h("span", { class: "point" }, [format.point(row.point), origin].filter((t) => t !== "").join(", ")) : null),
    number(format.metric(row.metric, row.a.mean), "A"), number(format.metric(row.metric, row.b.mean), "B"), number(share(row), "B − A"), h("td", { "data-head": "verdict" }, verdict(row)));
}

/** What the verdicts mean that are there, in one sentence each. */
function wordsOf(rows: readonly ComparedRow[]): string {
  const all = rows.map(verdict);
  return [
    ...(all.some((text) => text.startsWith(UNTOLD)) ? [" Inconclusive: that interval holds zero."] : []),
    ...(all.includes("below a step") ? [" Below a step: a ramp is known to a round trip, and of real hosts to a hundredth of its test."] : []),
    ...(all.some((text) => text.endsWith(" more")) ? [" N more: runs to add on each side, to tell a difference as large as this from none."] : []),
  ].join("");
}

/** A name as the page has it: of a file its folder, with the value of a sweep that is compared. */
function short(file: string): string {
  return file.replace(/\/(records|report)\.json(?= at |$)/, "");
}

export function comparison(data: ReportData): HTMLElement | null {
  const found = data.comparison;
  if (!found || found.rows.length === 0) return null;
  const changed = found.rows.filter((r) => r.difference !== 0);
  const table = (rows: readonly ComparedRow[]): HTMLElement => scroller("Comparison", h("table", { class: "compared stacked" },
    h("thead", {}, h("tr", {}, ...["test", "metric", "A", "B", "B − A", ""].map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...rows.map((r) => line(r, true)))));
  const equal = found.rows.length - changed.length;
  const sides = found.b.length === 0 ? "" : `A is ${found.a.map(short).join(", ")}, B is ${found.b.map(short).join(", ")}. `;
  return section("compared", "Compared",
    h("p", {}, `${sides}Means, with the 95 % confidence interval of their difference where there are repeats.${wordsOf(changed)}${equal === 0 ? "" : ` ${equal} more ${equal === 1 ? "metric has" : "metrics have"} one value on both sides.`}`),
    changed.length === 0 ? h("p", {}, "Nothing differs.") : table(changed.slice(0, SHOWN)),
    changed.length > SHOWN ? h("details", {}, h("summary", {}, `${changed.length - SHOWN} more`), table(changed.slice(SHOWN))) : null,
    ...found.notes.map((note) => h("p", { class: "note" }, note)));
}
