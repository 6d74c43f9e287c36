// Numbers with their units, as a reader wants them. A metric's unit is the end of its key.

import { LIMITS, LINK_METRICS, METRICS } from "./registry";
import type { KeyName, Maybe, Point } from "./types";

/** Between a number and its unit: no line break, and narrower than a space. */
const GAP = "\u202f";
const NONE = "–";

type Scale = readonly (readonly [factor: number, unit: string])[];

const RATES: Scale = [[1e12, "Tbit/s"], [1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]];
const SIZES: Scale = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];
const BINARY: Scale = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
const TIMES: Scale = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

/** At least `digits` significant digits, never fewer than the whole part has. */
function digits(value: number, significant: number): string {
  if (value === 0) return "0";
  const whole = Math.floor(Math.log10(Math.abs(value))) + 1;
  return value.toFixed(Math.max(0, Math.min(9, significant - whole)));
}

function scaled(value: number, scale: Scale, significant: number): string {
  for (const [factor, unit] of scale) {
    if (Math.abs(value) >= factor) return digits(value / factor, significant) + GAP + unit;
  }
  const [factor, unit] = scale[scale.length - 1]!;
  return value === 0 ? `0${GAP}${unit}` : digits(value / factor, significant) + GAP + unit;
}

export function rate(bps: number, significant = 4): string {
  return scaled(bps, RATES, significant);
}

export function size(bytes: number, significant = 4): string {
  return scaled(bytes, SIZES, significant);
}

/** Windows are chosen in powers of two, so an exact multiple is shown as one: 64 MiB, and not 242025 KiB. */
export function window(bytes: number): string {
  for (const [factor, unit] of BINARY) {
    if (factor > 1 && bytes >= factor && bytes < 1e4 * factor && Number.isInteger(bytes / factor)) return `${bytes / factor}${GAP}${unit}`;
  }
  return size(bytes);
}

/** A time in the unit that suits `like`: ticks of one axis have one unit. */
export function delayLike(ns: number, like: number, significant: number): string {
  const [factor, unit] = TIMES.find(([f]) => Math.abs(like) >= f) ?? TIMES.at(-1)!;
  return ns === 0 ? `0${GAP}${unit}` : digits(ns / factor, significant) + GAP + unit;
}

/** A second or more is in seconds, as in the terminal's tables: 580.06 ms, and 1.0751 s. */
export function delay(ns: number, significant = 5): string {
  const scale = Math.abs(ns) < 1e9 ? TIMES.slice(1) : TIMES.slice(0, 1);
  return scaled(ns, scale, significant);
}

export function seconds(s: number, significant = 4): string {
  return delayOfSeconds(s, significant);
}

function delayOfSeconds(s: number, significant: number): string {
  return Math.abs(s) >= 1 || s === 0 ? `${digits(s, significant)}${GAP}s` : delay(s * 1e9, significant);
}

export function share(ratio: number): string {
  const percent = ratio * 100;
  if (percent > 0 && percent < 0.1) return `<${GAP}0.1${GAP}%`;
  return `${percent >= 99.95 || percent === 0 ? percent.toFixed(0) : percent.toFixed(1)}${GAP}%`;
}

/** A metric that is a share, as the terminal's tables have it: in per cent, and below 0.001 % as a power of ten. */
function percent(ratio: number, significant?: number): string {
  if (ratio !== 0 && Math.abs(ratio) < 1e-5) return ratio.toExponential((significant ?? 3) - 1);
  return percentLike(ratio, significant ?? (Math.abs(ratio) >= 0.01 ? 4 : 3));
}

/** A share in per cent however small it is: ticks of one axis have one unit. */
export function percentLike(ratio: number, significant: number): string {
  const text = Math.abs(ratio) < 1e-9 && ratio !== 0 ? (ratio * 100).toExponential(significant - 1) : digits(ratio * 100, significant);
  return `${compact(text)}${GAP}%`;
}

export function count(n: number): string {
  return Number.isInteger(n) ? String(n).replace(/\B(?=(\d{3})+$)/g, GAP) : digits(n, 4);
}

/** For an axis: the zeros that end a fraction say nothing there. */
export function compact(text: string): string {
  if (/^0\D/.test(text) && !text.startsWith("0.")) return "0";
  return text.replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");
}

export type Dimension = "time" | "rate" | "size" | "seconds" | "share" | "ratio" | "count";

/** What a metric measures. An expectation's `A over B` is a ratio, `A minus B` has the dimension of A. */
export function dimension(metric: string): Dimension {
  if (metric.includes(" over ")) return "ratio";
  const key = metric.split(" minus ")[0]!;
  if (key.endsWith("_ns")) return "time";
  if (key.endsWith("_bps")) return "rate";
  if (key.endsWith("bytes")) return "size";
  if (key.endsWith("_s")) return "seconds";
  if (key.endsWith("_ratio")) return "share";
  if (key.endsWith("_index")) return "ratio";
  return "count";
}

/** A metric's value with its unit. */
export function metric(key: string, value: Maybe | undefined, significant?: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  switch (dimension(key)) {
    case "time": return delay(value, significant);
    case "rate": return rate(value, significant);
    case "size": return significant === undefined && /cwnd|window/.test(key) ? window(value) : size(value, significant);
    case "seconds": return seconds(value, significant);
    case "share": return percent(value, significant);
    case "ratio": return digits(value, significant ?? 4);
    case "count": return (significant === undefined ? count(value) : String(value)) + (key.endsWith("_bdp") ? `${GAP}bdp` : key.endsWith("_rate") ? `${GAP}1/s` : "");
  }
}

/** A value outside its band with as many digits as tell it from the bound it misses. */
export function missed(key: string, value: number, bounds: readonly Maybe[]): string {
  const others = bounds.filter((b): b is number => b !== null && b !== value);
  const hidden = (significant?: number): boolean => others.some((b) => metric(key, b, significant) === metric(key, value, significant));
  const enough = [undefined, 5, 6, 7, 8, 9, 10, 12, 15].find((significant) => !hidden(significant));
  return metric(key, value, enough);
}

/** An allowed band in words. */
export function band(key: string, min: Maybe, max: Maybe): string {
  if (min !== null && max !== null) return `${metric(key, min)} to ${metric(key, max)}`;
  if (min !== null) return `at least ${metric(key, min)}`;
  if (max !== null) return `at most ${metric(key, max)}`;
  return "";
}

/** What the reader calls texts of figures, and which of these have been met. */
let renamed: ReadonlyMap<string, string> = new Map();
let met = new Set<string>();

/** Takes other words for names and values, for every figure that is drawn from here on. */
export function renameTexts(pairs: readonly (readonly [text: string, as: string])[]): void {
  [renamed, met] = [new Map(pairs), new Set()];
}

/** Those that no figure has had so far. */
export function notMet(): string[] {
  return [...renamed.keys()].filter((text) => !met.has(text));
}

/** A text as the reader calls it: the first of its names that has another. */
export function called(...names: readonly [string, ...string[]]): string {
  const found = names.find((name) => renamed.has(name));
  if (found === undefined) return names.at(-1)!;
  met.add(found);
  return renamed.get(found)!;
}

/** A metric's key in words; an unknown key is shown as it is. */
export function metricName(key: string, of = ""): string {
  const names = of.startsWith("link ") ? LINK_METRICS : METRICS;
  // What an expectation divides or subtracts: of one metric of two tests the second test alone is named.
  const [, first, word, second] = /^(\S+) (over|minus) (.+)$/.exec(key) ?? [];
  if (first !== undefined && second !== undefined) {
    const parts = /^(.*[. ])?(\S+?)$/.exec(second.replace(/\.(?=[^. ]+$)/, " "));
    const [other, metric] = [(parts?.[1] ?? "").trim(), parts?.[2] ?? second];
    const said = [other, metric === first && other !== "" ? "" : metricName(metric, of)].filter((text) => text !== "").join(" ");
    return `${metricName(first, of)} ${word} ${said}`;
  }
  return called(key, names.get(key) ?? METRICS.get(key) ?? LINK_METRICS.get(key) ?? key);
}

/** What limited a stream, in words. */
export function limit(key: string): string {
  return LIMITS.get(key) ?? key.replace(/_/g, " ");
}

/** What the page calls the keys of its run, in the order of its sweep. */
let named: readonly KeyName[] = [];

/** Takes the names of a run's keys, for every point that is written from here on. */
export function nameKeys(keys: readonly KeyName[] | undefined): void {
  named = keys ?? [];
}

/** A key as the run calls it: `cc`, or `f1.cc` where another test could have one; of an unknown key the last part. That of an event has
 * the event's name before it, `cut for`, as `for` or `at` alone say nothing. */
export function keyName(key: string): string {
  const name = named.find((k) => k.key === key)?.name ?? key.split(".").at(-1) ?? key;
  const [section, event = "", ...rest] = key.split(".");
  const bare = section === "event" && rest.length > 0 && rest.join(".").endsWith(name) && Number.isNaN(Number(event));
  return bare ? called(key, name, `${event} ${name}`) : called(key, name);
}

/** Names that are not empty. */
export function joined(names: readonly string[], by: string): string {
  return names.filter((name) => name !== "").join(by);
}

/** What `1bdp` of a queue is, where one of these texts has it. */
export function ofBdp(texts: readonly string[]): string | null {
  const has = texts.some((text) => text.split("\n").some((line) => /\d\s*bdp\b/.test(line.split("#")[0]!)));
  return has ? "A queue of 1bdp is the link's rate times the longest round trip, without queues, of the tests that cross it." : null;
}

/** A quantity's text as figures have it: the sign of micro where a file has the letter. */
export function micro(text: string): string {
  return text.replace(/^([\d._]+\s*)us$/, "$1µs");
}

/** A sweep point in words, its keys in the order of the sweep. */
export function point(p: Point | undefined): string {
  const place = (key: string): number => (named.findIndex((k) => k.key === key) + 1 || named.length + 1);
  const entries = Object.entries(p ?? {}).sort(([a], [b]) => place(a) - place(b));
  // A value that the reader calls nothing has no key either.
  return joined(entries.map(([key, value]) => (called(value) === "" ? "" : joined([keyName(key), called(value)], " "))), ", ");
}

/** Words that stay on one line but for the commas between them: a browser breaks lines at blanks and behind hyphens. */
export function unbroken(text: string): string {
  return text.replace(/(?<!,) /g, "\u00a0").replace(/-/g, "-\u2060");
}

/** Numbers and options that a browser would break behind a hyphen: `1e-5`, `--segments-per-ack`. */
const WHOLE = /((?<![\w.])\d+(?:\.\d+)?e-\d+|(?<![\w-])--[a-z][a-z-]*)/;

/** A sentence in pieces: every second one must stay on one line. */
export function pieces(text: string): string[] {
  return text.split(WHOLE);
}

/** Values of an axis with as many digits as tell them apart, four at least. */
export function ticks(values: readonly number[], write: (value: number, significant: number) => string): string[] {
  const apart = new Set(values).size;
  for (let significant = 4; significant < 12; significant++) {
    const texts = values.map((v) => write(v, significant));
    if (new Set(texts).size === apart) return texts.map(compact);
  }
  return values.map((v) => compact(write(v, 12)));
}

const UNITS: Readonly<Record<string, number>> = {
  b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30,
  "bit/s": 1, "kbit/s": 1e3, "mbit/s": 1e6, "gbit/s": 1e9, "tbit/s": 1e12,
  "bps": 1, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9, "mb/s": 1e6, "gb/s": 1e9, "mbits/sec": 1e6, "gbits/sec": 1e9,
  ns: 1, "µs": 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9, km: 1e3, m: 1, "": 1, "%": 0.01, bdp: 1, packets: 1,
};
const RATE_UNIT = /(?:bit\/s|bps|b\/s|bits\/sec)$/;

export interface Quantity {
  /** Bits per second, bytes, nanoseconds, metres, bandwidth-delay products, packets, or the plain number. */
  readonly value: number;
  readonly kind: "rate" | "size" | "time" | "length" | "number" | "bdp" | "packets";
}

/** The one quantity a text consists of (`64 MiB`, `10 Gbit/s`, `1e-6`); null if it is anything else. */
export function quantity(text: string): Quantity | null {
  const match = /^\s*([-+]?\d+(?:[._]\d+)*(?:\.\d+)?(?:e[-+]?\d+)?)\s*([a-zµ%/]*)\s*$/i.exec(text);
  if (!match) return null;
  const unit = match[2]!.toLowerCase();
  const factor = UNITS[unit];
  const number = Number(match[1]!.replace(/_/g, ""));
  if (factor === undefined || !Number.isFinite(number)) return null;
  return { value: number * factor, kind: kindOf(unit) };
}

function kindOf(unit: string): Quantity["kind"] {
  if (unit === "" || unit === "%") return "number";
  if (unit === "bdp" || unit === "packets") return unit;
  if (RATE_UNIT.test(unit)) return "rate";
  if (/^[kmgt]?i?b$/.test(unit)) return "size";
  return unit === "m" || unit === "km" ? "length" : "time";
}

/** A range of one kind from less to more; a zero has the kind of the other end. */
export type Range = readonly [low: Quantity, high: Quantity];

/** The range between two texts; null unless they are two quantities of one kind, the lesser first. */
export function rangeOf(from: string, to: string): Range | null {
  const [low, high] = [quantity(from), quantity(to)];
  if (!low || !high) return null;
  const kind = low.value === 0 ? high.kind : low.kind;
  return (high.value !== 0 && high.kind !== kind) || low.value > high.value ? null : [{ ...low, kind }, { ...high, kind }];
}

/** The kind of quantity that a metric's values are. */
export function kindOfMetric(metric: string): Quantity["kind"] {
  const of: Readonly<Record<Dimension, Quantity["kind"]>> =
    { time: "time", seconds: "time", rate: "rate", size: "size", share: "number", ratio: "number", count: "number" };
  return of[dimension(metric)];
}

/** A number with a unit among words; what hangs together by slashes or dashes is a list or a span, not a figure. */
const FIGURE = /(?<![\w./-])\d+(?:\.\d+)?\s?[a-zµ]+(?:\/[a-z]+)?(?![\w./])/gi;

/** The figure a source states, in the metric's unit: the only one of its kind in its words, or what follows the last
 * equals sign; null where they hold none or several (`580/581/584 ms`). */
export function stated(metric: string, text: string | null): number | null {
  if (text === null) return null;
  const kind = dimension(metric);
  const result = text.slice(text.lastIndexOf("=") + 1);
  const found = [quantity(result) ?? [], ...(result.match(FIGURE) ?? []).map((words) => quantity(words) ?? [])].flat()
    .filter((q) => q.kind === kindOfMetric(metric)).map((q) => (kind === "seconds" ? q.value / 1e9 : q.value));
  return new Set(found).size === 1 ? found[0]! : null;
}
