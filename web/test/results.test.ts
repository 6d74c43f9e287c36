import { describe, expect, it } from "vitest";

import { csv, headline, isFar, rows, sharesOf, verdictOn, type Row } from "../src/results";
import { linkRecords } from "../src/sweep";
import { folded } from "../src/untouched";
import type { LinkRecord, Origin, ReportData, TestRecord } from "../src/types";

function record(cc: string, metrics: Record<string, number>, repeat = 0): TestRecord {
  return {
    schema: "farpath.record/1", origin: "simulated", test: "bulk", kind: "tcp", from: "a", to: "b", point: { "test.bulk.cc": cc }, repeat, started_ns: 0, duration_ns: 1,
    metrics, limited_by: null, streams: [], series: {}, valid: true, notes: [],
  } as unknown as TestRecord;
}

function data(records: readonly TestRecord[], expected: string, links: readonly LinkRecord[] = []): ReportData {
  const expectation = { metric: expected, origin: "simulated", point: {}, min: 0, max: null, actual: 1, stated: null, source: null, note: null, pass: true };
  return {
    schema: "farpath.report/1", scenario: { name: "s" }, keys: [{ key: "test.bulk.cc", name: "cc" }],
    document: { schema: "", scenario: "s", version: "", seed: 1, scenario_sha256: "", records, links, expectations: [expectation] },
  } as unknown as ReportData;
}

describe("the first line of a page", () => {
  const records = [record("scalable", { goodput_bps: 946e6, recovery_s: 1.85 }), record("reno", { goodput_bps: 720e6, recovery_s: 585.7 })];

  it("is about what the run's expectations are about", () => {
    const [fact] = headline(data(records, "bulk.recovery_s"));
    expect(fact?.value).toMatch(/^1\.85.*→ 585\.7/);
    expect(fact?.text).toContain("recovery of bulk");
    expect(headline(data(records, "bulk.goodput_bps"))[0]?.value).toMatch(/^720.*→ 946/);
  });

  it("leaves out recoveries of windows that were never cut", () => {
    const all = [...records, record("bbr", { goodput_bps: 900e6, recovery_s: 0 })];
    expect(headline(data(all, "bulk.recovery_s"))[0]?.value).toMatch(/^1\.85/);
    const uncut = rows(data(all, "bulk.goodput_bps")).find((r) => r.metric === "recovery_s" && r.point["test.bulk.cc"] === "bbr");
    expect([uncut?.values.size, uncut?.first]).toEqual([0, false]);
  });

  it("says of which points its two are the least and the most", () => {
    const three = [...records, record("bbr", { goodput_bps: 900e6, recovery_s: 20 })];
    const said = (metric: string): string => (headline(data(three, metric))[0]?.text ?? "").replace(/\u00a0/g, " ");
    expect(said("bulk.goodput_bps")).toBe("of TCP payload delivered by bulk: cc reno → cc scalable, the least and the most of 3 points (simulated)");
    expect(said("bulk.recovery_s")).toContain("cc scalable → cc reno, the least and the most of 3 points (simulated)");
    expect(headline(data(records, "bulk.goodput_bps"))[0]?.text).not.toContain("the least");
  });

  it("names the point that its value is of, though another has nearly as much", () => {
    const of = (rates: readonly number[]): string => {
      const [fact] = headline(data(rates.map((rate, i) => record(`${i}`, { goodput_bps: rate * 1e6 })), "bulk.goodput_bps"));
      return `${fact?.value}: ${fact?.text}`.replace(/[\u00a0\u202f]/g, " ");
    };
    expect(of([60.18, 95.553, 95.609])).toContain("60.18 Mbit/s → 95.61 Mbit/s: of TCP payload delivered by bulk: cc 0 → cc 2,");
    // Written alike they are one value, which the first of them has.
    expect(of([60.18, 95.611, 95.614])).toContain("60.18 Mbit/s → 95.61 Mbit/s: of TCP payload delivered by bulk: cc 0 → cc 1,");
  });

  it("is of all points where they are alike, and not of one of them", () => {
    const alike = ["scalable", "reno", "bbr"].map((cc, i) => ({ ...record(cc, { goodput_bps: (946 - i) * 1e6, completion_ns: (100 + i) * 1e7 }), limited_by: "link" }) as TestRecord);
    const said = (metric: string): string[] => headline(data(alike, metric)).map(({ text }) => text);
    expect(said("bulk.goodput_bps").slice(0, 2)).toEqual([
      "of TCP payload delivered by bulk at each of 3 points, within 2 % (simulated)", "is what limited bulk most of the time at each of 3 points",
    ]);
    expect(said("bulk.completion_ns")[0]).toMatch(/ of bulk at each of 3 points, within 2 % \(simulated\)$/);
    // Where points have different limits, it is that of the one it names.
    const others = alike.map((r, i) => (i === 2 ? { ...r, limited_by: "loss" } : r));
    expect(headline(data(others, "bulk.goodput_bps"))[1]?.text).toMatch(/^is what limited bulk most of the time at cc/);
  });

  it("names an outage that took more of all the time than any limit", () => {
    const down = (share: number): TestRecord => ({
      ...record("reno", { goodput_bps: 9e6, outage_ratio: share }), limited_by: "receive_window",
      streams: [{ stream: 0, metrics: { outage_ratio: share }, limited_by: { receive_window: 0.6 } }],
    }) as TestRecord;
    const fact = (share: number): string | undefined => headline(data([down(share)], "bulk.goodput_bps"))[1]?.value;
    expect([fact(0.66), fact(0.35)]).toEqual(["An outage", "The receive window"]);
  });

  it("says of the limit beside a shorter outage of which time it is", () => {
    const at = (length: string, down: number): TestRecord => ({
      ...record("", down > 0 ? { goodput_bps: 9e6, outage_ratio: down } : { goodput_bps: 9e6 }), limited_by: "link", point: { "event.cut.for": length },
      streams: [{ stream: 0, metrics: { outage_ratio: down }, limited_by: { link: 0.99, loss: 0.01 } }],
    }) as TestRecord;
    const said = (first: number, second: number): string | undefined => headline(data([at("1 s", first), at("5 s", second)], "bulk.goodput_bps"))[1]?.text;
    expect(said(0, 0.3)).toBe("is what limited bulk most of the time its path was up at each of 2 points");
    expect(said(0, 0)).toBe("is what limited bulk most of the time at each of 2 points");
  });

  it("calls what TCP delivered TCP's, whatever the kind of test", () => {
    const of = (kind: string): string | undefined => headline(data([{ ...record("", { goodput_bps: 9e6 }), kind, point: {} }], "bulk.goodput_bps"))[0]?.text;
    expect(["flows", "transfer", "request"].map(of)).toEqual(Array(3).fill("of TCP payload delivered by bulk (simulated)"));
    expect(of("udp")).toBe("of UDP payload delivered by bulk (simulated)");
  });

  it("breaks lines at commas alone", () => {
    const swept = [record("reno", { goodput_bps: 1e6 }), record("cubic", { goodput_bps: 9e6 })].map((r, i) => ({ ...r, point: { ...r.point, "link.l.loss": `${i + 1}e-5` } }));
    expect(headline(data(swept, "bulk.goodput_bps"))[0]?.text).toMatch(/loss\u00a01e-\u20605/);
  });

  it("is of the first test, however much another delivers, or of one that is not as expected", () => {
    const of = (test: string, kind: string, goodput_bps: number): TestRecord => ({ ...record("", { goodput_bps }), test, kind, point: {} }) as TestRecord;
    const all = [of("download", "tcp", 2.8e6), of("flood", "udp", 48e6)];
    const first = (failing: string): string | undefined => {
      const whole = data(all, `${failing}.goodput_bps`);
      const expectations = whole.document.expectations.map((e) => ({ ...e, pass: failing === "none" }));
      return headline({ ...whole, document: { ...whole.document, expectations } })[0]?.text;
    };
    expect([first("none"), first("download")]).toEqual(Array(2).fill("of TCP payload delivered by download (simulated)"));
    expect(first("flood")).toBe("of UDP payload delivered by flood (simulated)");
  });

  it("is of what a certificate vouches for, and says of the rest that none does", () => {
    const emulated = { ...record("reno", { goodput_bps: 2e9 }), origin: "emulated", valid: false } as TestRecord;
    const simulated = record("reno", { goodput_bps: 720e6 });
    const [trusted] = headline(data([simulated, emulated], "bulk.goodput_bps"));
    expect(trusted?.value).toMatch(/^720/);
    expect(trusted?.text).toContain("(simulated)");
    const [alone] = headline(data([emulated], "bulk.goodput_bps"));
    expect(alone?.text).toContain("(emulated, INVALID: the certificate failed)");
    const link = { origin: "emulated", link: "l", direction: "a>b", point: emulated.point, repeat: 0, drops: { tail: 3 }, t_ns: [], rate_bps: [] } as unknown as LinkRecord;
    const valid = (records: readonly TestRecord[]): boolean | undefined => linkRecords(data(records, "bulk.goodput_bps", [link]))[0]?.records[0]?.valid;
    expect([valid([emulated]), valid([{ ...emulated, valid: true }])]).toEqual([false, true]);
  });

  it("has both of its ends from one origin", () => {
    const at = (window: string, origin: Origin, goodput_bps: number, valid = true): TestRecord =>
      ({ ...record("reno", { goodput_bps }), origin, valid, point: { "test.bulk.cc": window } });
    const first = (records: readonly TestRecord[]): string => {
      const fact = headline(data(records, "bulk.goodput_bps"))[0];
      return `${fact?.value}, ${fact?.text}`;
    };
    const simulated = [at("3", "simulated", 880e3), at("10", "simulated", 1019e3)];
    const predicted = [at("3", "predicted", 870e3), at("10", "predicted", 1010e3)];
    const doubtful = [at("3", "emulated", 870e3, false), at("10", "emulated", 1021e3)];
    const mixed = first([...predicted, ...simulated, ...doubtful]);
    expect(mixed).toMatch(/^880.*→ 1\.019/);
    expect(mixed).toContain("(simulated)");
    // With the certificate of both the emulation is what is believed, and alone its one point is.
    const certain = first([...simulated, at("3", "emulated", 870e3), at("10", "emulated", 1021e3)]);
    expect(certain).toMatch(/^870.*→ 1\.021/);
    expect(certain).toContain("(emulated)");
    const alone = first([...predicted, ...doubtful]);
    expect(alone).toMatch(/^1\.021/);
    expect(alone).not.toContain("→");
  });

  it("takes nothing from a formula that the simulation has not", () => {
    const predicted = { ...record("cubic", { recovery_s: 9999 }), origin: "predicted" } as TestRecord;
    expect(headline(data([...records, predicted], "bulk.recovery_s"))[0]?.value).not.toContain("9999");
  });
});

describe("rows of a test that a key does not touch", () => {
  const both = (other: number): Row[] => {
    const at = (cc: string, goodput: number): TestRecord[] => [record(cc, { goodput_bps: goodput }), { ...record(cc, { goodput_bps: cc === "reno" ? 5e8 : other }), test: "other" } as TestRecord];
    const all = data([...at("reno", 1e8), ...at("cubic", 2e8)], "x.y");
    return folded(all, rows(all)).filter((row) => row.metric === "goodput_bps");
  };

  it("stand there once", () => {
    expect(both(5e8).map((row) => `${row.test} ${row.point["test.bulk.cc"]}`)).toEqual(["bulk reno", "bulk cubic", "other any"]);
    expect(both(4e8)).toHaveLength(4);
  });
});

describe("the first line of a page of searches", () => {
  it("has what they found, of any unit", () => {
    const search = (metrics: Record<string, number>): string | undefined => {
      const whole = data([{ ...record("reno", metrics), test: "s", kind: "search", point: {} } as TestRecord], "x.y");
      return headline(whole).map((fact) => `${fact.value}: ${fact.text}`.replace(/\u202f/g, " "))[0];
    };
    expect(search({ highest_bps: 9e8, lowest_failing_bps: 9.1e8 })).toBe("900.0 Mbit/s: the highest at which s holds (simulated)");
    expect(search({ highest_ratio: 0.0012, lowest_failing_ratio: 0.0013 })).toBe("0.12 %: the highest at which s holds (simulated)");
    expect(search({ lowest_bdp: 0.25, highest_failing_bdp: 0.24 })).toBe("0.2500 bdp: the lowest at which s holds (simulated)");
  });
});

describe("the first line of a page of transfers with a time", () => {
  it("is when they were complete", () => {
    const of = (duration_ns: number): string | undefined => {
      const whole = data([{ ...record("reno", { goodput_bps: 16e6, completion_ns: 1.2e9 }), duration_ns } as TestRecord], "x.y");
      return headline({ ...whole, document: { ...whole.document, expectations: [] } })[0]?.text;
    };
    const timed = data([{ ...record("reno", { completion_ns: 1.2e9 }), duration_ns: 5e9 } as TestRecord], "x.y");
    expect(rows(timed).find((row) => row.metric === "completion_ns")?.first).toBe(true);
    expect(of(5e9)).toContain("completion");
    // What an origin did not run says nothing of how long it took.
    const took = { ...record("reno", { goodput_bps: 16e6, completion_ns: 1.2e9 }), duration_ns: 5e9 } as TestRecord;
    const beside = { ...record("reno", {}), test: "other", origin: "emulated", not_run: "a router runs no program" } as TestRecord;
    const both = data([took, beside], "x.y");
    expect(headline({ ...both, document: { ...both.document, expectations: [] } })[0]?.text).toContain("completion");
    expect(of(1.2e9)).toContain("payload delivered");
  });
});

describe("what is shown without being asked for", () => {
  it("has jitter, copies and datagrams out of order where there are any", () => {
    const shown = (kind: string, jitter_ns: number, count: number): string[] => {
      const one: TestRecord = { ...record("", { goodput_bps: 1e6, loss_ratio: 0, jitter_ns, reordered: count, duplicates: count }), kind, point: {} };
      return rows(data([one], "x.y")).filter((row) => row.first && row.test === "bulk").map((row) => row.metric).sort();
    };
    expect(shown("udp", 2.74e6, 100)).toEqual(["duplicates", "goodput_bps", "jitter_ns", "loss_ratio", "reordered"]);
    expect(shown("udp", 9e3, 0)).toEqual(["goodput_bps", "loss_ratio"]);
    expect(shown("oneway", 2.74e6, 100)).toEqual(["duplicates", "loss_ratio"]);
  });
});

describe("a row of the table", () => {
  it("says why an answer does not count that the scenario does not state", () => {
    const unstated = "the scenario has no expectation of its own of this";
    const whole = data([record("reno", { goodput_bps: 720e6 })], "bulk.goodput_bps");
    const { document } = whole;
    const marked = { ...whole, document: { ...document, expectations: document.expectations.map((e) => ({ ...e, pass: false, unstated })) } };
    expect(rows(marked).flatMap((row) => row.notes)).toEqual([unstated]);
  });
});

describe("the verdict on a figure", () => {
  const [own] = data([], "bulk.goodput_bps").document.expectations;
  const marks = { ...own!, file: "marks.toml", pass: false };

  it("is that of all who judge it, the scenario's own first or not", () => {
    expect(verdictOn([])).toBeNull();
    expect(verdictOn([own!])?.pass).toBe(true);
    const missed = { ...marks, min: 2, actual: 1 };
    for (const all of [[own!, missed], [missed, own!]]) expect(verdictOn(all)).toEqual({ pass: false, unstated: false, why: "outside the band: marks.toml" });
  });

  it("tells a wrong figure from one that was not stated", () => {
    const unstated = { ...marks, unstated: "the scenario has no expectation of its own of this" };
    expect(verdictOn([own!, unstated])).toEqual({ pass: false, unstated: true, why: "within the band, and not stated: marks.toml" });
    expect(verdictOn([{ ...unstated, min: 2 }])?.unstated).toBe(false);
  });
});

describe("a row of a ratio that is expected", () => {
  it("is marked where no valid record says it", () => {
    const at = (origin: string, valid: boolean): TestRecord => ({ ...record("reno", { goodput_bps: 1e6 }), origin, valid, point: {} }) as TestRecord;
    const marked = (records: readonly TestRecord[], metric: string): unknown =>
      rows(data(records, metric)).find((row) => row.metric === metric)?.untrusted;
    for (const metric of ["bulk.goodput_bps over other.goodput_bps", "link.l.a>b.bytes"]) {
      expect(marked([at("simulated", false)], metric)).toEqual(["simulated"]);
      expect(marked([at("simulated", true), at("emulated", false)], metric)).toEqual([]);
    }
  });
});

describe("the shares of a stream's time", () => {
  const shares = (limited_by: Record<string, number>, down?: number) => sharesOf({ stream: 0, metrics: down === undefined ? {} : { outage_ratio: down }, limited_by });

  it("are of all of it, an outage one of them", () => {
    expect(shares({ link: 0.99, loss: 0.01, disk: 0 })).toEqual([["link", 0.99], ["loss", 0.01]]);
    const [link, loss, outage, ...more] = shares({ link: 0.99, loss: 0.01 }, 0.3);
    expect([link?.[0], loss?.[0], outage, more]).toEqual(["link", "loss", ["an_outage", 0.3], []]);
    expect(link?.[1]).toBeCloseTo(0.693, 9);
    expect(loss?.[1]).toBeCloseTo(0.007, 9);
    // Of what nobody accounted for an outage alone would be all there is.
    expect(shares({}, 0.3)).toEqual([]);
  });
});

describe("the round trips a page begins with", () => {
  const ping = (queue: string, test = "probe"): TestRecord => ({
    ...record("x", { rtt_min_ns: queue === "fifo" ? 241.7e6 : 40e6, rtt_avg_ns: queue === "fifo" ? 584.3e6 : 42.46e6 }), test, kind: "ping", point: { "link.dsl.aqm": queue },
  });

  it("are means, with the points that are compared", () => {
    const [fact] = headline(data([ping("fifo"), ping("codel")], "x.y"));
    expect(fact?.value).toMatch(/^42\.46.*→ 584\.3/);
    expect(fact?.text.replace(/\u00a0/g, " ")).toBe("mean round trip of probe: aqm codel → aqm fifo, 13.8 times as long (simulated)");
  });

  it("name the points they are of, or say that these are alike", () => {
    const of = (means: readonly number[]): string => {
      const [fact] = headline(data(means.map((ms, i) => ({ ...record("x", { rtt_avg_ns: ms * 1e6 }), test: "probe", kind: "ping", point: { "event.cut.for": `${i} s` } })), "x.y"));
      return `${fact?.value}: ${fact?.text}`.replace(/[\u00a0\u202f]/g, " ");
    };
    expect(of([67.684, 66.986, 63.614])).toBe("63.614 ms → 67.684 ms: mean round trip of probe: cut for 2 s → cut for 0 s, the least and the most of 3 points (simulated)");
    expect(of([67.684, 67.1])).toBe("67.684 ms: mean round trip at each of 2 points, within 2 % (probe, simulated)");
    expect(of([67.684])).toBe("67.684 ms: mean round trip at cut for 0 s (probe, simulated)");
  });

  it("are of tests by name where these differ", () => {
    const [fact] = headline(data([{ ...ping("fifo", "loaded"), point: {} }, { ...ping("codel", "clean"), point: {} }], "x.y"));
    expect(fact?.text).toContain("mean round trip: clean → loaded, 13.8 times as long");
  });
});

describe("fairness", () => {
  it("of one stream has no row, and a group's has one by connections", () => {
    const one = { ...record("x", { jain_index: 1, group_jain_index: 0.7, group_streams_jain_index: 0.29 }), group: "g", streams: [{ stream: 0 }] } as unknown as TestRecord;
    const metrics = rows(data([one], "x.y")).map((row) => `${row.test} ${row.metric}`);
    expect(metrics).toEqual(expect.arrayContaining(["group g group_jain_index", "group g group_streams_jain_index"]));
    expect(metrics).not.toContain("bulk jain_index");
  });
});

describe("the table of series", () => {
  it("tells repeats of a link apart", () => {
    const link = (repeat: number): LinkRecord => ({
      origin: "simulated", link: "l", direction: "a>b", point: { "test.bulk.cc": "reno" }, ...(repeat === 0 ? {} : { repeat }), bytes: 0, payload_bytes: 0, frames: 0, drops: {},
      t_ns: [5], rate_bps: [repeat + 1],
    });
    const lines = csv(data([], "x.y", [link(0), link(1)])).trim().split("\n");
    expect(lines).toEqual([
      "origin,test,test.bulk.cc,repeat,series,t_ns,v,valid", "simulated,link.l.a>b,reno,0,rate_bps,5,1,true", "simulated,link.l.a>b,reno,1,rate_bps,5,2,true",
    ]);
  });
});

describe("a prediction far off", () => {
  it("is one of a rate or a time, a fifth from the first other value that is trusted", () => {
    const far = (metric: string, predicted: number, simulated: number): boolean => isFar({ metric, values: new Map([["predicted", predicted], ["simulated", simulated]]) });
    expect([far("goodput_bps", 121e6, 100e6), far("rtt_avg_ns", 79, 100)]).toEqual([true, true]);
    expect([far("goodput_bps", 119e6, 100e6), far("recovery_s", 2, 1)]).toEqual([false, false]);
    expect([far("request_rate", 0.38, 1.43), far("request_rate", 1.42, 1.43)]).toEqual([true, false]);
    expect(isFar({ metric: "goodput_bps", values: new Map([["predicted", 2], ["simulated", 1]]), untrusted: ["simulated"] })).toBe(false);
  });

  it("is one of a loss beyond chance, by how many were sent", () => {
    const far = (predicted: number, simulated: number, sent?: number): boolean =>
      isFar({ metric: "loss_ratio", values: new Map([["predicted", predicted], ["simulated", simulated]]), ...(sent !== undefined && { counted: new Map([["simulated", sent]]) }) });
    // A flood in the lower of two classes; payload at a link's whole rate, which its queue holds.
    expect([far(0, 0.98085, 42e3), far(0.04502, 0, 8929), far(0, 0.02, 100), far(0.001, 0.0021, 1e6), far(0.5, 0.54)]).toEqual([true, true, true, true, true]);
    // One of 100 is chance, whichever of the two has it.
    expect([far(0, 0.01, 100), far(0.01, 0, 100)]).toEqual([false, false]);
    expect([far(0, 9e-5, 42e3), far(0.1, 0.24, 50), far(0.01, 0.004, 1e4), far(0.5, 0.52, 1e6), far(2e-3, 1e-3)]).toEqual([false, false, false, false, false]);
  });

  it("is found by what a test sent", () => {
    const made = ["predicted", "simulated"].map((origin) => ({ ...record("reno", { loss_ratio: 0.01, sent: 50 }), origin }) as TestRecord);
    const loss = rows(data(made, "x.y")).find((row) => row.metric === "loss_ratio");
    expect(loss?.counted?.get("simulated")).toBe(50);
  });
});

describe("a row of the table", () => {
  const of = (origin: Origin, more: Partial<TestRecord>): TestRecord => ({ ...record("reno", { goodput_bps: 48e6 }), origin, ...more });
  const goodput = (records: readonly TestRecord[]): Row => rows(data(records, "bulk.goodput_bps")).find((r) => r.metric === "goodput_bps" && "test.bulk.cc" in r.point)!;

  it("says what limited it by each origin that ran it where they contradict each other", () => {
    const [predicted, simulated] = [of("predicted", { limited_by: "link" }), of("simulated", { limited_by: "receive_window" })];
    expect(goodput([predicted]).limitedBy).toBe("a link");
    expect(goodput([predicted, simulated]).limitedBy).toBe("the receive window");
    expect(goodput([predicted, simulated, of("emulated", { limited_by: "receive_window" })]).limitedBy).toBe("the receive window");
    expect(goodput([predicted, simulated, of("emulated", { limited_by: "policer" })]).limitedBy).toBe("a policer (emulated), the receive window (simulated)");
  });

  it("says what limited a stream of datagrams, and where, unless its application does at every point", () => {
    const stream = (more: Partial<TestRecord>): TestRecord => of("simulated", { kind: "udp", ...more });
    expect(goodput([stream({ limited_by: "policer", limited_at: "n r>b" })]).limitedBy).toBe("a policer (n r>b)");
    expect(goodput([stream({ limited_by: "application" })]).limitedBy).toBeNull();
    const other = stream({ limited_by: "link", point: { "test.bulk.cc": "cubic" } });
    expect(goodput([stream({ limited_by: "application" }), other]).limitedBy).toBe("the application");
  });

  it("doubts a goodput of few loss events, and not its forecast", () => {
    const predicted = of("predicted", { metrics: { goodput_bps: 94e6 } });
    const few = of("simulated", { notes: ["goodput_bps is of few losses: the connection has 1 loss event in the measured 60 s, and ten or more make a mean"] });
    const once = goodput([predicted, few]);
    expect([once.few, isFar(once)]).toEqual([["simulated"], false]);
    const twice = goodput([predicted, few, { ...few, repeat: 1 }]);
    expect([twice.few, isFar(twice)]).toEqual([undefined, true]);
  });
});
