// What the page says about a run: the rows of its table and its first sentence, as plain data.

import { counted, isNothing, isRare, median } from "./distribution";
import * as format from "./format";
import { HEADLINES, METRICS } from "./registry";
import { ORIGINS, type Expectation, type LinkRecord, type Origin, type Point, type ReportData, type StreamRecord, type TestRecord } from "./types";

/** Metrics that are news above a value, for tests of these kinds, as in the terminal. */
const NEWS: ReadonlyMap<string, { readonly kinds: readonly string[]; readonly above: number }> = new Map([
  ["hop_rtt_avg_ns", { kinds: ["ping"], above: 0 }], ["loss_ratio", { kinds: ["ping"], above: 0 }], ["jitter_ns", { kinds: ["udp"], above: 1e6 }], ["reordered", { kinds: ["udp"], above: 0 }],
  ["duplicates", { kinds: ["udp", "ping", "oneway"], above: 0 }],
]);

/** Whether a metric is shown without being asked for, besides those of which something is expected; the rest wait behind a switch.
 * What is news is shown: of an echo its loss, where there is any. */
function isFirst(kind: string, metric: string, values: ReadonlyMap<Origin, number>): boolean {
  const rule = NEWS.get(metric);
  const isNews = rule !== undefined && rule.kinds.includes(kind) && [...values.values()].some((v) => v > rule.above);
  return values.size > 0 && (isNews || (HEADLINES.get(kind) ?? []).includes(metric));
}

/** Whether it is the time that bytes took, as in the terminal: of a test that a clock ended it says nothing. */
function took(kind: string, metric: string, records: readonly TestRecord[]): boolean {
  const ends = (r: TestRecord): boolean => typeof r.metrics[metric] === "number" && (r.duration_ns === 0 || r.metrics[metric]! <= r.duration_ns);
  return kind === "tcp" && metric === "completion_ns" && records.some(ends);
}

/** The order of a test's metrics; others follow as they come. */
const ORDER: readonly string[] = [...METRICS.keys()];

/** Where a metric stands among those of its test. */
function place(metric: string): number {
  return ORDER.includes(metric) ? ORDER.indexOf(metric) : ORDER.length;
}

/** What a metric in full is of, and which: `link.l.a>b.bytes over link.l.b>a.bytes` is bytes of `l, a → b over b → a`. */
export function subject(metric: string): { of: string; metric: string } {
  const [first = "", word, second] = metric.split(" ");
  const a = parts(first);
  const b = second === undefined ? null : parts(second);
  const heading = (p: typeof a): string => `${p.of}${p.way === "" ? "" : `, ${p.way.replace(">", " → ")}`}`;
  if (!b || word === undefined) return { of: heading(a), metric: a.metric };
  if (a.of === b.of && a.metric === b.metric && a.way !== "") {
    return { of: `${heading(a)} ${word} ${b.way.replace(">", " → ")}`, metric: a.metric };
  }
  return { of: heading(a), metric: `${a.metric} ${word} ${a.of === b.of && a.way === b.way ? "" : `${heading(b)} `}${b.metric}` };
}

function parts(path: string): { of: string; way: string; metric: string } {
  const [first = "", ...rest] = path.split(".");
  if (first === "link") return { of: `link ${rest[0] ?? ""}`, way: rest[1] ?? "", metric: rest.slice(2).join(".") };
  if (first === "search") return { of: `search ${rest[0] ?? ""}`, way: "", metric: rest.slice(1).join(".") };
  return { of: first, way: "", metric: rest.join(".") };
}

/** A search may have the name of the test it runs. */
function nameOf(record: TestRecord): string {
  return record.kind === "search" ? `search ${record.test}` : record.test;
}

export interface Row {
  readonly test: string;
  readonly metric: string;
  readonly point: Point;
  readonly stated: string | null;
  /** One value an origin; the median of the valid repeats. */
  readonly values: ReadonlyMap<Origin, number>;
  /** Origins whose value no valid record has. */
  readonly untrusted?: readonly Origin[];
  /** Of a loss: of how many things it is. */
  readonly counted?: ReadonlyMap<Origin, number>;
  /** Origins whose value hangs on few loss events. */
  readonly few?: readonly Origin[];
  /** In words; of each origin that ran it where they contradict each other. */
  readonly limitedBy: string | null;
  readonly expectations: readonly Expectation[];
  readonly notes: readonly string[];
  /** Shown without being asked for. */
  readonly first: boolean;
}

function key(test: string, metric: string, point: Point): string {
  return JSON.stringify([test, metric, Object.entries(point).sort()]);
}

export function samePoint(a: Point, b: Point): boolean {
  return key("", "", a) === key("", "", b);
}

/** Origins that say anything, models first. */
export function origins(data: ReportData): Origin[] {
  const { records, links, expectations } = data.document;
  const present = new Set([...records.filter((r) => r.not_run === undefined), ...links, ...expectations].map((entry) => entry.origin));
  return ORIGINS.filter((origin) => present.has(origin));
}

/** Of how many things a test's losses are, the median of its repeats. */
function sentOf(records: readonly TestRecord[]): Map<Origin, number> {
  return new Map(ORIGINS.flatMap((origin) => {
    const mine = counted(records.filter((r) => r.origin === origin));
    const sent = mine.map(({ metrics }) => metrics["sent"] ?? metrics["cells_sent"]).filter((v): v is number => typeof v === "number");
    return sent.length > 0 ? [[origin, median(sent)] as const] : [];
  }));
}

function recordRows(data: ReportData, expected: Map<string, Expectation[]>): Row[] {
  // Also of repeats that lack a metric.
  const every = new Map<string, TestRecord[]>();
  for (const record of data.document.records) {
    const at = key(nameOf(record), "", record.point);
    const known = every.get(at);
    if (known) known.push(record);
    else every.set(at, [record]);
  }
  // A datagram stream is its application's: no news, but where it is not at another point.
  const ran = new Set(data.document.records.filter((r) => r.origin !== "predicted").map(nameOf));
  const isHeard = (r: TestRecord): boolean => r.origin !== "predicted" || !ran.has(nameOf(r));
  const isNews = (r: TestRecord): boolean => r.limited_by !== null && (r.kind !== "udp" || r.limited_by !== "application");
  const saysLimits = new Set(data.document.records.filter((r) => isHeard(r) && isNews(r)).map(nameOf));
  const groups = new Map<string, { test: string; metric: string; kind: string; records: TestRecord[] }>();
  for (const record of data.document.records) {
    for (const metric of Object.keys(record.metrics)) {
      if (FAIRNESS.includes(metric) && record.group !== undefined) continue;
      // One stream is as fair as can be to itself.
      if (metric === "jain_index" && record.streams.length === 1) continue;
      const id = key(nameOf(record), metric, record.point);
      const group = groups.get(id) ?? { test: nameOf(record), metric, kind: record.kind, records: [] };
      group.records.push(record);
      groups.set(id, group);
    }
  }
  return [...groups].map(([id, { test, metric, kind, records }]) => {
    const expectations = expected.get(id) ?? [];
    expected.delete(id);
    const of = (origin: Origin): TestRecord[] => (every.get(key(test, "", records[0]?.point ?? {})) ?? []).filter((r) => r.origin === origin);
    const values = new Map<Origin, number>();
    for (const origin of ORIGINS) {
      const mine = of(origin);
      const found = counted(mine).map((r) => r.metrics[metric]).filter((v): v is number => typeof v === "number");
      if (found.length > 0 && !isRare(mine, metric) && !isNothing(metric, median(found))) values.set(origin, median(found));
    }
    const few = ORIGINS.filter((origin) => isFew(of(origin), metric));
    const untrusted = [...values.keys()].filter((origin) => records.every((r) => r.origin !== origin || !r.valid));
    const invalid = metric === (HEADLINES.get(kind)?.[0] ?? metric) ? ORIGINS.flatMap((origin) => invalidOf(origin, records.filter((r) => r.origin === origin))) : [];
    const sent = metric === "loss_ratio" ? sentOf(records) : undefined;
    return {
      test, metric, point: records[0]?.point ?? {}, values, untrusted, expectations, ...(sent && { counted: sent }), ...(few.length > 0 && { few }),
      limitedBy: metric === "goodput_bps" && saysLimits.has(test) ? limitsOf(records) : null,
      stated: statedOf(expectations), notes: [...notesOfExpectations(expectations), ...boundsOf(metric, records), ...invalid],
      first: expectations.length > 0 || isFirst(kind, metric, values) || took(kind, metric, records),
    };
  });
}

/** By tests, also as the least goodput over the greatest, and by connections where a test has several. */
export const FAIRNESS: readonly string[] = ["group_jain_index", "group_goodput_ratio", "group_streams_jain_index", "group_convergence_s"];

/** Each group's fairness once a point: all of its records hold it. */
function groupRows(data: ReportData): Row[] {
  return FAIRNESS.flatMap((metric) => groupRowsOf(data, metric));
}

function groupRowsOf(data: ReportData, metric: string): Row[] {
  const found = new Map<string, Row>();
  for (const { group, metrics, point, origin, test } of data.document.records) {
    const value = metrics[metric];
    if (group === undefined || typeof value !== "number") continue;
    const id = key(group, metric, point);
    if (found.has(id)) continue;
    const same = data.document.records.filter((r) => r.test === test && samePoint(r.point, point));
    const values = new Map(ORIGINS.flatMap((o) => {
      const all = same.filter((r) => r.origin === o);
      const mine = counted(all).map((r) => r.metrics[metric]).filter((v): v is number => typeof v === "number");
      return mine.length > 0 && !isRare(all, metric) ? [[o, median(mine)] as const] : [];
    }));
    const untrusted = [...values.keys()].filter((o) => same.every((r) => r.origin !== o || !r.valid));
    if (values.has(origin)) found.set(id, { test: `group ${group}`, metric, point, values, untrusted, expectations: [], limitedBy: null, stated: null, notes: [], first: true });
  }
  return [...found.values()];
}

/** Between which values a metric lies, where its evidence leaves that open. */
function boundsOf(metric: string, records: readonly TestRecord[]): string[] {
  const bounds = records.flatMap((r) => {
    const open = r.uncertainty?.[metric];
    const repeat = records.filter((other) => other.origin === r.origin).length > 1 ? ` ${r.repeat + 1}` : "";
    return open ? [`${r.origin}${repeat}: ${format.band(metric, open.low, open.high)}`] : [];
  });
  return [...new Set(bounds)];
}

/** Of one origin's repeats at a point. */
function invalidOf(origin: Origin, repeats: readonly TestRecord[]): string[] {
  const invalid = repeats.filter((r) => !r.valid).length;
  if (invalid === 0) return [];
  if (repeats.length === 1) return [`${origin}: not valid, its certificate failed`];
  return [invalid === repeats.length ? `${origin}: none of ${invalid} repeats is valid, their certificates failed` : `${origin}: ${invalid} of ${repeats.length} repeats are not valid and left out`];
}

/** Whether a figure lies in the band: an expectation may fail because the scenario does not state what a file demands of it. */
export function within(e: Expectation): boolean {
  return e.actual !== null && e.actual >= (e.min ?? -Infinity) && e.actual <= (e.max ?? Infinity);
}

/** What the scenario's own expectations and those of files together say of a figure. */
export interface Verdict {
  readonly pass: boolean;
  /** The figure is in every band, and the scenario does not state it as a file demands. */
  readonly unstated: boolean;
  readonly why: string;
}

/** The verdict of all expectations of one figure: all must hold. None where nothing is expected. */
export function verdictOn(all: readonly Expectation[]): Verdict | null {
  if (all.length === 0) return null;
  const failed = all.filter((e) => !e.pass);
  if (failed.length === 0) return { pass: true, unstated: false, why: "within the band" };
  const unstated = failed.every((e) => e.unstated !== undefined && within(e));
  const files = [...new Set(failed.flatMap((e) => e.file ?? []))];
  const why = `${unstated ? "within the band, and not stated" : "outside the band"}${files.length > 0 ? `: ${files.join(", ")}` : ""}`;
  return { pass: false, unstated, why };
}

/** What is said of the time in which a path was down. */
const OUTAGE = "an_outage";

/** Shares of all of a stream's time by what limited it, the outages of its path last. None where nothing is known but these. */
export function sharesOf({ limited_by, metrics }: StreamRecord): (readonly [limit: string, ratio: number])[] {
  const down = metrics["outage_ratio"] ?? 0;
  const known = Object.entries(limited_by).filter(([, ratio]) => ratio > 0);
  // Shares of a record are of the time in which the path was up.
  const up = known.map(([limit, ratio]) => [limit, ratio * (1 - down)] as const).filter(([, ratio]) => ratio > 0);
  return down > 0 && known.length > 0 ? [...up, [OUTAGE, down]] : up;
}

/** What limited a test; an outage, where that took more of all its time than anything else: shares are of the time in which the path was up. */
function limitOf(record: TestRecord): string | null {
  const by = record.limited_by;
  const down = record.metrics["outage_ratio"] ?? 0;
  if (by === null || down === 0) return by;
  const shares = record.streams.map((s) => sharesOf(s).find(([limit]) => limit === by)?.[1] ?? 0);
  const share = shares.reduce((sum, one) => sum + one, 0) / Math.max(1, shares.length);
  return share > 0 && down > share ? OUTAGE : by;
}

/** Where a link or a policer limited a test. */
function placeOf(record: TestRecord): string | null {
  return limitOf(record) === OUTAGE ? null : record.limited_at ?? null;
}

/** What limited a test at a point, by the origins that ran it, in words; a formula speaks where nothing else ran. Where they contradict each
 * other all are said with their names, what is closest to reality first, as in the terminal. */
function limitsOf(records: readonly TestRecord[]): string | null {
  const ran = records.some((r) => r.origin !== "predicted");
  const heard = records.filter((r) => !(ran && r.origin === "predicted"));
  const said = [...ORIGINS].reverse().flatMap((origin) => {
    const last = heard.filter((r) => r.origin === origin && limitOf(r) !== null).at(-1);
    return last ? [{ origin, words: format.limit(limitOf(last)!), place: placeOf(last) }] : [];
  });
  const [first] = said;
  if (first === undefined) return null;
  const places = new Set(said.flatMap(({ place }) => place ?? []));
  const [place] = places;
  const where = places.size === 1 && first.place !== null ? ` (${place})` : "";
  return said.every(({ words }) => words === first.words) ? `${first.words}${where}` : said.map(({ origin, words }) => `${words} (${origin})`).join(", ");
}

/** What a note says of a result of one connection that has too few loss events for a mean, as in the record. */
const FEW_LOSSES = "and ten or more make a mean";

/** Whether an origin's value hangs on few loss events. Of several repeats it does not: they show how far chance moves it. */
function isFew(repeats: readonly TestRecord[], metric: string): boolean {
  const [one, other] = repeats;
  return one !== undefined && other === undefined && one.notes.some((note) => note.split(" ")[0] === metric && note.includes(FEW_LOSSES));
}

/** Of how many repeats an origin's value is, where some lack it. */
function partly({ origin, repeats }: Expectation): string | null {
  return repeats ? `${origin}: ${repeats.have} of ${repeats.of} repeats ${repeats.have === 1 ? "has" : "have"} it` : null;
}

function notesOfExpectations(expectations: readonly Expectation[]): string[] {
  return [...new Set(expectations.flatMap((e) => [partly(e), e.absent ?? null, e.unstated ?? null, e.note]).filter((text) => text !== null))];
}

function statedOf(expectations: readonly Expectation[]): string | null {
  return expectations.find((e) => e.stated !== null)?.stated ?? null;
}

/** Whether a valid record says what is expected of a ratio, a difference or a link: one of its first test, or any where it has none. */
function isTrusted(records: readonly TestRecord[], e: Expectation, origin: Origin): boolean {
  const here = records.filter((r) => r.origin === origin && samePoint(r.point, e.point));
  const named = here.filter((r) => e.metric.startsWith(`${r.test}.`));
  const these = named.length > 0 ? named : here;
  return these.length === 0 || these.some((r) => r.valid);
}

/** Rows of the table: every metric of every test at every point, then expectations on links and ratios. */
export function rows(data: ReportData): Row[] {
  const expected = new Map<string, Expectation[]>();
  for (const e of data.document.expectations) {
    const { of, metric } = subject(e.metric);
    const id = key(of, metric, e.point);
    expected.set(id, [...(expected.get(id) ?? []), e]);
  }
  const tested = recordRows(data, expected);
  const others = [...expected.values()].map((expectations): Row => {
    const e = expectations[0]!;
    const values = new Map(expectations.flatMap((x) => (x.actual === null ? [] : [[x.origin, x.actual] as const])));
    const untrusted = [...values.keys()].filter((origin) => !isTrusted(data.document.records, e, origin));
    return {
      test: subject(e.metric).of, metric: e.metric, point: e.point, values, untrusted, expectations, limitedBy: null, stated: statedOf(expectations),
      notes: notesOfExpectations(expectations), first: true,
    };
  });
  const rank = (row: Row): number => (row.first ? 0 : 100) + place(row.metric);
  return [...groupRows(data), ...tested.sort((p, q) => rank(p) - rank(q)), ...others];
}

/** How real an origin is: what was measured is believed before what was modelled. */
const BELIEF: readonly Origin[] = ["measured", "emulated", "simulated", "captured", "predicted"];

/** A number, and the first of the records that it is of. */
interface Known {
  readonly record: TestRecord;
  readonly value: number;
}

/** What an origin has of a metric at each point of one test, of repeats their median, as in the table. */
function known(own: readonly TestRecord[], metric: string, origin: Origin, valid: boolean): Known[] {
  const found: Known[] = [];
  for (const record of own) {
    const value = record.metrics[metric];
    if (record.origin !== origin || record.valid !== valid || typeof value !== "number" || isNothing(metric, value)) continue;
    if (found.some((f) => samePoint(f.record.point, record.point))) continue;
    const same = own.filter((r) => r.origin === origin && samePoint(r.point, record.point));
    if (isRare(same, metric)) continue;
    const repeats = counted(same).map((r) => r.metrics[metric]);
    found.push({ record, value: median(repeats.filter((v): v is number => typeof v === "number")) });
  }
  return found;
}

/** The numbers of each test, all of one origin, that two of them can be laid beside each other: of the one that has most points. A
 * formula counts where nothing else has any, and what no certificate vouches for comes last. */
function best(records: readonly TestRecord[], metric: string): Known[] {
  const formulas: readonly Origin[] = ["predicted"];
  const others: readonly Origin[] = BELIEF.filter((origin) => !formulas.includes(origin));
  const groups = [true, false].flatMap((valid) => [others, formulas].map((origins) => ({ valid, origins })));
  const tests = [...new Set(records.map((r) => r.test))];
  const ranked = tests.flatMap((test) => {
    const own = records.filter((r) => r.test === test);
    for (const [rank, { valid, origins }] of groups.entries()) {
      const each = origins.map((origin) => known(own, metric, origin, valid));
      const most = Math.max(...each.map((found) => found.length));
      if (most > 0) return (each.find((found) => found.length === most) ?? []).map((one) => ({ rank, one }));
    }
    return [];
  });
  const place = ({ rank, one }: { rank: number; one: Known }): number => rank * BELIEF.length + BELIEF.indexOf(one.record.origin);
  return ranked.sort((p, q) => place(p) - place(q)).map(({ one }) => one);
}

/** Where a number, or another beside it, is from, and that it may not be trusted. */
function from(record: TestRecord, other: TestRecord = record): string {
  return record.valid && other.valid ? record.origin : `${record.origin}, INVALID: the certificate failed`;
}

/** Whether a link's numbers may be trusted: they are as good as those of the tests beside it. */
export function isLinkValid(data: ReportData, l: LinkRecord): boolean {
  const beside = data.document.records.filter((r) => r.origin === l.origin && r.repeat === (l.repeat ?? 0) && samePoint(r.point, l.point));
  return beside.length === 0 || beside.some((r) => r.valid);
}

/** What searches find, without the nearest that fails. */
export const FOUND: readonly string[] = (HEADLINES.get("search") ?? []).filter((metric) => !metric.includes("failing"));

export interface Fact {
  readonly value: string;
  readonly text: string;
}

/** That two points stand for all of a sweep: which two of them they are. */
function ofMany(points: number): string {
  return points > 2 ? `, the least and the most of ${points} points` : "";
}

/** The greatest of values that are alike is less than so many times the least. */
const ALIKE = 1.02;

/** The mean round trips of pings: what waits in queues is in them, and in the shortest it is not. */
function delayFact(data: ReportData): Fact | null {
  const found = best(data.document.records.filter((r) => r.kind === "ping"), "rtt_avg_ns");
  const pings = found.filter(({ record }) => record.origin === found[0]?.record.origin).sort((p, q) => p.value - q.value);
  const [low, high] = [pings[0], pings.at(-1)];
  if (!low || !high) return null;
  const name = "mean round trip";
  const single = pings.every(({ record }) => record.test === high.record.test);
  // Of one test what differs by points is said; of several, which are of other ways, only what differs much.
  if (high.value < low.value * (single ? ALIKE : 1.1)) {
    return { value: format.delay(high.value), text: `${name}${single ? atAll(high.record, pings.length) : where(high.record)} (${high.record.test}, ${from(high.record)})` };
  }
  const one = low.record.test === high.record.test;
  const times = high.value < low.value * 1.1 ? "" : `, ${(high.value / low.value).toPrecision(3)} times as long`;
  const points = one ? ofMany(pings.filter(({ record }) => record.test === low.record.test).length) : "";
  const named = ({ record }: typeof low): string => {
    const point = format.unbroken(format.point(record.point));
    return one ? point : `${record.test}${point === "" ? "" : ` at ${point}`}`;
  };
  return {
    value: `${format.delay(low.value)} → ${format.delay(high.value)}`,
    text: `${name}${one ? ` of ${low.record.test}` : ""}: ${named(low)} → ${named(high)}${points}${times} (${from(high.record, low.record)})`,
  };
}

function where(record: TestRecord): string {
  const at = format.point(record.point);
  return at ? ` at ${at}` : "";
}

/** Where a number is of: of a sweep whose points have about as much, that they do. */
function atAll(record: TestRecord, points: number): string {
  return points > 1 ? ` at each of ${points} points, within 2 %` : where(record);
}

function limitFact(all: readonly { readonly record: TestRecord }[]): Fact[] {
  const limit = all.find((entry) => entry.record.limited_by !== null && entry.record.kind !== "udp")?.record;
  const by = limit && limitOf(limit);
  if (!limit || !by) return [];
  const own = all.filter(({ record }) => record.test === limit.test);
  const each = own.length > 1 && own.every(({ record }) => limitOf(record) === by);
  // Shares are of the time in which the path was up.
  const up = by !== OUTAGE && (each ? own.map(({ record }) => record) : [limit]).some((record) => (record.metrics["outage_ratio"] ?? 0) > 0);
  const places = new Set((each ? own.map(({ record }) => record) : [limit]).map(placeOf));
  const [place] = places;
  const named = places.size === 1 && place ? ` (${place})` : "";
  return [{ value: `${capital(format.limit(by))}${named}`, text: `is what limited ${limit.test} most of the time${up ? " its path was up" : ""}${each ? ` at each of ${own.length} points` : where(limit)}` }];
}

function searchFacts(data: ReportData): Fact[] {
  const searches = data.document.records.filter((r) => r.kind === "search");
  return FOUND.flatMap((metric) => best(searches, metric).map(({ record, value }) => (
    { value: format.metric(metric, value), text: `the ${metric.startsWith("lowest") ? "lowest" : "highest"} at which ${record.test} holds${where(record)} (${from(record)})` })));
}

/** What a run is about: the metric most of its expectations name, of those that can head a page; else the goodput. */
function subjectOf(data: ReportData): string {
  const counts = new Map<string, number>();
  for (const { metric } of data.document.expectations) {
    const name = /^[^. ]+\.([^. ]+)$/.exec(metric)?.[1];
    if (name !== undefined && HEADS.includes(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((p, q) => q[1] - p[1])[0]?.[0] ?? (endsEarly(data) ? "completion_ns" : "goodput_bps");
}

/** Whether transfers are all that the run has, each over before its time is: a mean over all of that is of no rate that there was. */
function endsEarly(data: ReportData): boolean {
  const all = data.document.records.filter((r) => r.kind !== "ping" && r.kind !== "search" && r.origin !== "predicted" && r.not_run === undefined);
  return all.length > 0 && all.every(({ metrics: { completion_ns: took }, duration_ns: time }) => typeof took === "number" && took < 0.98 * time);
}

/** Metrics a page may begin with where a run is about them. */
const HEADS: readonly string[] = ["goodput_bps", "recovery_s", "completion_ns", "response_avg_ns", "flow_time_avg_ns"];

/** A metric that is not a rate: what it is of the test that has most of it. */
function otherFacts(data: ReportData, metric: string): Fact[] {
  const found = best(data.document.records.filter((r) => r.kind !== "ping"), metric);
  // What never came about in a simulation is not taken from a formula.
  const all = found.filter((entry) => entry.record.origin === found[0]?.record.origin).sort((p, q) => p.value - q.value);
  const top = all.at(-1);
  if (!top) return [];
  const name = format.metricName(metric);
  const swept = all.filter((entry) => entry.record.test === top.record.test && where(entry.record) !== "");
  const least = swept[0];
  if (least && least.value < top.value * 0.98) {
    const point = (record: TestRecord): string => format.unbroken(format.point(record.point));
    return [{
      value: `${format.metric(metric, least.value)} → ${format.metric(metric, top.value)}`,
      text: `${name} of ${top.record.test}: ${point(least.record)} → ${point(top.record)}${ofMany(swept.length)} (${from(top.record, least.record)})`,
    }];
  }
  return [{ value: format.metric(metric, top.value), text: `${name} of ${top.record.test}${atAll(top.record, swept.length)} (${from(top.record)})` }];
}

/** The test that a page begins with: of those that have a value the first that misses what is expected of it, or else the first of the
 * scenario. */
function leading(data: ReportData, metric: string, tests: readonly string[]): string | undefined {
  const { records, expectations } = data.document;
  const order = [...new Set(records.map((r) => r.test))].filter((test) => tests.includes(test));
  return order.find((test) => expectations.some((e) => !e.pass && e.metric === `${test}.${metric}`)) ?? order[0];
}

function goodputFacts(data: ReportData): Fact[] {
  const known = best(data.document.records.filter((r) => r.kind !== "ping"), "goodput_bps").sort((p, q) => q.value - p.value);
  const test = leading(data, "goodput_bps", known.map((entry) => entry.record.test));
  const all = [...known.filter((entry) => entry.record.test === test), ...known.filter((entry) => entry.record.test !== test)];
  const top = all[0];
  if (!top) return [];
  const of = `${top.record.kind === "udp" ? "UDP" : "TCP"} payload delivered by ${top.record.test}`;
  // A sweep's answer is its span; its own test is named, not the best of all tests.
  const swept = all.filter((entry) => entry.record.test === top.record.test && where(entry.record) !== "");
  const low = swept.at(-1);
  if (low && low.value < top.value * 0.98) {
    const place = (entry: { readonly record: TestRecord }): number => data.document.records.indexOf(entry.record);
    // Of values that are written alike the first of the sweep is named: what is beside it is its own.
    const first = swept.filter((entry) => format.rate(entry.value) === format.rate(top.value)).sort((p, q) => place(p) - place(q))[0] ?? top;
    const point = (record: TestRecord): string => format.unbroken(format.point(record.point));
    return [{
      value: `${format.rate(low.value)} → ${format.rate(top.value)}`,
      text: `of ${of}: ${point(low.record)} → ${point(first.record)}${ofMany(swept.length)} (${from(top.record, low.record)})`,
    }];
  }
  return [{ value: format.rate(top.value), text: `of ${of}${atAll(top.record, swept.length)} (${from(top.record)})` }, ...limitFact(all)];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The answer, before anything else is read. */
export function headline(data: ReportData): Fact[] {
  const found = searchFacts(data);
  const about = subjectOf(data);
  const others = about === "goodput_bps" ? [] : otherFacts(data, about);
  const facts = [delayFact(data), ...(found.length > 0 ? found : others.length > 0 ? others : goodputFacts(data))].filter((fact): fact is Fact => fact !== null);
  const { expectations } = data.document;
  const failed = expectations.filter((e) => !e.pass).length;
  if (expectations.length > 0) {
    facts.push(failed === 0
      ? { value: `✓ ${expectations.length} of ${expectations.length}`, text: expectations.length === 1 ? "figure is as expected" : "figures are as expected" }
      : { value: `✗ ${failed} of ${expectations.length}`, text: failed === 1 ? "figure judged is not as expected" : "figures judged are not as expected" });
  }
  // A figure of several repeats is their median, and says so.
  const repeated = 1 + Math.max(0, ...data.document.records.map((r) => r.repeat));
  const counted = (fact: Fact): Fact => (/\d/.test(fact.value) && !fact.value.includes(" of ") ? { ...fact, text: `${fact.text}, median of ${repeated} repeats` } : fact);
  return repeated > 1 ? facts.map(counted) : facts;
}

/** Every series of the run in one long table: what `series.csv` holds. */
export function csv(data: ReportData): string {
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const keys = (data.keys ?? []).map(({ key }) => key);
  const at = (point: Point): string[] => keys.map((key) => point[key] ?? "");
  const lines = [["origin", "test", ...keys, "repeat", "series", "t_ns", "v", "valid"].map(cell).join(",")];
  const add = (head: readonly string[], valid: boolean, t: readonly number[], v: readonly (number | null)[]): void => {
    const prefix = head.map(cell).join(",");
    for (const [i, time] of t.entries()) lines.push(`${prefix},${time},${v[i] ?? ""},${valid}`);
  };
  for (const r of data.document.records) {
    for (const [name, series] of Object.entries(r.series)) {
      add([r.origin, r.test, ...at(r.point), String(r.repeat), name], r.valid, series.t_ns, series.v);
    }
  }
  for (const l of data.document.links) {
    const head = [l.origin, `link.${l.link}.${l.direction}`, ...at(l.point), String(l.repeat ?? 0)];
    const valid = isLinkValid(data, l);
    add([...head, "rate_bps"], valid, l.t_ns, l.rate_bps);
    if (l.queue_bytes) add([...head, "queue_bytes"], valid, l.t_ns, l.queue_bytes);
  }
  return `${lines.join("\n")}\n`;
}

/** Of the other value, how far a prediction may be from it without a mark, as in the terminal. */
const FAR = 0.2;
/** Losses this near to each other are equal, and so far apart, or a factor of two, they are marked. */
const [LOSS_EQUAL, LOSS_FAR] = [1e-4, 0.03];
/** Of the square root of the things lost, how many more or fewer chance may take: many, as losses come in bursts. */
const LOSS_CHANCE = 8;

/** Of losses fewer than this say nothing, however many are predicted: one more or less. */
const LOSSES_FEW = 1.5;

/** Whether a predicted loss is far from another one of so many things. Where none is predicted, chance takes one at most. */
function isLossFar(predicted: number, other: number, counted: number | undefined): boolean {
  const [apart, more] = [Math.abs(predicted - other), Math.max(predicted, other)];
  const few = counted !== undefined && apart * counted < LOSSES_FEW;
  if (apart <= LOSS_EQUAL || few || predicted === 0) return apart > LOSS_EQUAL && !few;
  const byChance = counted === undefined ? 0 : LOSS_CHANCE * Math.sqrt(more / Math.max(counted, 1));
  return apart > byChance && (apart > LOSS_FAR || (counted !== undefined && more > 2 * Math.min(predicted, other)));
}

/** Whether a row's prediction is far from the first other value that is trusted. Rates, of bits and of requests, times and losses alone, these by
 * how many things were counted: other counts scatter, and a recovery ends at another moment. */
export function isFar({ metric, values, untrusted, counted, few }: Pick<Row, "metric" | "values" | "untrusted" | "counted" | "few">): boolean {
  const predicted = values.get("predicted");
  const doubted = [...(untrusted ?? []), ...(few ?? [])];
  const origin = ORIGINS.find((o) => o !== "predicted" && !doubted.includes(o) && values.has(o));
  const other = origin && values.get(origin);
  if (predicted === undefined || origin === undefined || other === undefined) return false;
  if (metric === "loss_ratio") return isLossFar(predicted, other, counted?.get(origin));
  return /_(bps|rate|ns)$/.test(metric) && !metric.includes(" ") && Math.abs(predicted - other) > FAR * Math.abs(other);
}
