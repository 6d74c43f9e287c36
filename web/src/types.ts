// The JSON of `farpath.report/1` (crates/report/src/html.rs) and of the run document in it.

export type Origin = "predicted" | "simulated" | "emulated" | "measured" | "captured";

/** Models first, reality last: the order of columns. */
export const ORIGINS: readonly Origin[] = ["predicted", "simulated", "emulated", "measured", "captured"];

/** Sweep path to value as written; empty without a sweep. */
export type Point = Readonly<Record<string, string>>;

/** A number, or null where the writer had none (JSON has no NaN). */
export type Maybe = number | null;

export interface Series {
  readonly t_ns: readonly number[];
  readonly v: readonly Maybe[];
}

export interface StreamRecord {
  readonly stream: number;
  readonly metrics: Readonly<Record<string, Maybe>>;
  readonly limited_by: Readonly<Record<string, number>>;
}

export interface TestRecord {
  readonly origin: Origin;
  readonly test: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly point: Point;
  /** The group of tests whose goodputs are compared with its own. */
  readonly group?: string;
  readonly repeat: number;
  readonly started_ns: number;
  readonly duration_ns: number;
  readonly metrics: Readonly<Record<string, Maybe>>;
  /** Why the origin did not run the test: then it has no metrics. */
  readonly not_run?: string;
  readonly limited_by: string | null;
  /** Where that was, of a link or a policer: the link and its direction. */
  readonly limited_at?: string;
  readonly streams: readonly StreamRecord[];
  readonly series: Readonly<Record<string, Series>>;
  /** How long each of its answers, flows or connections took. */
  readonly times?: Readonly<Record<string, Times>>;
  readonly valid: boolean;
  readonly notes: readonly string[];
  /** Of an emulated record. */
  readonly certificate?: Certificate | null;
  /** Not of what a model says. */
  readonly taken?: Taken | null;
  readonly route?: Route | null;
  /** By metric, where the evidence leaves open what it is. */
  readonly uncertainty?: Readonly<Record<string, Uncertainty>>;
}

/** `farpath_record::Times`: of many, some that stand for all. */
export interface Times {
  readonly count: number;
  /** Nanoseconds, the shortest first. */
  readonly v: readonly number[];
}

/** Bounds in the metric's unit; null where there is none. */
export interface Uncertainty {
  readonly low: Maybe;
  readonly high: Maybe;
}

/** `farpath_record::Taken`: when, where and with what. */
export interface Taken {
  /** Since 1970; a number of JavaScript holds it to a microsecond. */
  readonly at_utc_ns?: number;
  /** How far that may be from UTC; absent where nothing keeps the clock right. */
  readonly utc_error_ns?: number;
  /** How far the clocks of both ends may lie apart. */
  readonly clock_error_ns?: number;
  /** `farpath 0.1.0` */
  readonly tool?: string;
  readonly hosts?: readonly TakenHost[];
}

export interface TakenHost {
  readonly name: string;
  readonly addresses?: readonly string[];
  readonly os?: string;
  readonly kernel?: string;
  readonly clock_error_ns?: number;
}

/** `farpath_record::Route`: the nodes that count a packet's TTL down, and the far end. */
export interface Route {
  readonly hops: readonly RouteHop[];
  /** Whether the last hop is the far end. */
  readonly reached: boolean;
}

export interface RouteHop {
  readonly ttl: number;
  readonly address?: string;
  readonly name?: string;
  readonly rtt_ns: readonly number[];
  readonly labels?: readonly number[];
}

/** `farpath_record::Certificate`: times in nanoseconds, shares of one. */
export interface Certificate {
  readonly valid: boolean;
  /** Why not, and what would help. */
  readonly faults: readonly string[];
  readonly frames: number;
  readonly lateness_p50_ns: number;
  readonly lateness_p99_ns: number;
  readonly lateness_max_ns: number;
  readonly tolerance_ns: number;
  readonly late_frames: number;
  readonly unordered_drops: Readonly<Record<string, number>>;
  readonly cpu_share: number;
  readonly starved_ns: number;
  readonly longest_gap_ns: number;
  readonly host_wait_p99_ns: number;
  readonly host_wait_max_ns: number;
  readonly machine_share: number;
  readonly stolen_share: number;
}

/** `farpath_record::KeyName`: a key of the sweep and what it is called. */
export interface KeyName {
  readonly key: string;
  readonly name: string;
}

export interface LinkRecord {
  readonly origin: Origin;
  readonly link: string;
  /** `A>B` */
  readonly direction: string;
  readonly point: Point;
  /** From 0; absent of the first. */
  readonly repeat?: number;
  readonly bytes: number;
  readonly payload_bytes: number;
  /** Frames, transmitted or not; absent from documents of earlier versions. */
  readonly offered?: number;
  readonly frames: number;
  readonly drops: Readonly<Record<string, number>>;
  /** `LINK A>B`, where the node behind dropped frames as too large for these. */
  readonly too_large_for?: readonly string[];
  readonly t_ns: readonly number[];
  readonly rate_bps: readonly Maybe[];
  readonly queue_bytes?: readonly Maybe[];
  /** The most that ever waited; absent from documents of earlier versions. */
  readonly queue_max_bytes?: number;
  /** Of a direction with a scheduler, one for each class. */
  readonly queues?: readonly QueueRecord[];
}

export interface QueueRecord {
  readonly class: string;
  /** Frames. */
  readonly offered: number;
  readonly drops: Readonly<Record<string, number>>;
}

export interface Expectation {
  readonly metric: string;
  readonly origin: Origin;
  readonly point: Point;
  readonly min: Maybe;
  readonly max: Maybe;
  readonly actual: Maybe;
  /** Of how many repeats the value is, where some of those that count lack it. */
  readonly repeats?: { readonly have: number; readonly of: number };
  readonly absent?: string;
  /** Why the scenario's own expectations do not state what this one demands of them. */
  readonly unstated?: string;
  /** The file of `--expect` it stands in; absent for the scenario's own. */
  readonly file?: string;
  /** Its number among the expectations of that file, from 1. */
  readonly question?: number;
  /** The file demands an answer of the scenario. */
  readonly asks?: boolean;
  readonly stated: string | null;
  readonly source: string | null;
  readonly note: string | null;
  readonly pass: boolean;
}

export interface RunDocument {
  readonly schema: string;
  readonly scenario: string;
  readonly version: string;
  /** Absent of development builds, and from documents of earlier versions. */
  readonly commit?: string;
  readonly seed: number;
  readonly scenario_sha256: string;
  /** The keys of the sweep in the order of the scenario, those that advance together in one list. */
  readonly sweep?: readonly (readonly string[])[];
  readonly records: readonly TestRecord[];
  readonly links: readonly LinkRecord[];
  readonly expectations: readonly Expectation[];
  readonly repeats?: Repeats | null;
}

/** `farpath_record::Repeats`: what the repeats have in common. */
export interface Repeats {
  readonly count: number;
  readonly metrics: readonly MetricSummary[];
}

/** Of one metric at one point; records marked invalid are left out. */
export interface MetricSummary {
  readonly origin: Origin;
  readonly test: string;
  readonly point: Point;
  readonly metric: string;
  readonly n: number;
  readonly min?: Maybe;
  readonly max?: Maybe;
  readonly mean: Maybe;
  /** Half the width of the mean's 95 % confidence interval. */
  readonly ci95?: Maybe;
  /** The ends of that interval, cut where the metric has no values; absent in documents of earlier versions. */
  readonly ci95_low?: Maybe;
  readonly ci95_high?: Maybe;
  /** The two sets that the values fall into, with none between, the lower one first; absent of one kind. */
  readonly two_kinds?: readonly [KindOfRun, KindOfRun];
}

/** One of two sets of repeats. */
export interface KindOfRun {
  readonly n: number;
  readonly mean: Maybe;
}

export interface TopologyNode {
  readonly name: string;
  readonly kind: "host" | "router";
}

export interface TopologyLink {
  readonly name: string;
  readonly ends: readonly [string, string];
  readonly label: string;
}

export interface Topology {
  readonly nodes: readonly TopologyNode[];
  readonly links: readonly TopologyLink[];
}

export interface Hop {
  readonly link: string;
  readonly from: string;
  readonly to: string;
  /** The label-switched path it rides. */
  readonly lsp?: string;
  /** The cross-connect at `from` that put it there. */
  readonly via?: string;
  /** How often this way has now crossed this link, from 1. */
  readonly pass: number;
}

export interface TestPath {
  readonly test: string;
  readonly from: string;
  readonly to: string;
  readonly forward: readonly Hop[];
  readonly reverse: readonly Hop[];
}

/** `window` is the first byte that the receiver's window has no room for: of captures only. */
export type SequenceKind = "data" | "retransmit" | "ack" | "sack" | "window";

/** m groups of n events; what is absent is 1 for the counts and 0 for the rest. */
export interface SequenceBurst {
  readonly kind: SequenceKind;
  readonly t_ns: number;
  readonly seq: number;
  readonly len?: number;
  readonly n?: number;
  readonly gap_ns?: number;
  readonly seq_step?: number;
  readonly m?: number;
  readonly group_gap_ns?: number;
  readonly group_seq_step?: number;
  /** It stands for this many events: a stroke from its first to its last or, of one event, a sample. */
  readonly stands_for?: number;
  /** Of a retransmission in a capture, its class in words. */
  readonly label?: string;
}

/** A span of time that is marked below a trace, in one of the rows that are named so. */
export interface Ribbon {
  readonly row: string;
  readonly from_ns: number;
  readonly until_ns: number;
  /** What it is, for a reader. */
  readonly text: string;
  /** Index into the line colours. */
  /** Index into the page's line colours; negative for that of what went wrong. */
  readonly style: number;
}

export interface Sequence {
  readonly origin: Origin;
  readonly test: string;
  readonly stream: number;
  readonly point?: Point;
  readonly bursts: readonly SequenceBurst[];
  /** What happened later was not recorded. */
  readonly complete_until_ns?: number;
  /** Spans with every event; absent if that is the whole trace. */
  readonly detail_ns?: readonly (readonly [from: number, until: number])[];
  readonly ribbons?: readonly Ribbon[];
}

/** `farpath_record::page::LinkCapture` */
export interface LinkCapture {
  readonly link: string;
  readonly origin: Origin;
  readonly file: string;
  /** Absent where it has no TCP connection. */
  readonly page?: string;
}

export interface ReportData {
  readonly schema: string;
  readonly document: RunDocument;
  readonly scenario: {
    readonly name: string;
    readonly source?: string;
    readonly summary?: string;
    readonly text?: string;
  };
  readonly command?: string;
  readonly topology?: Topology;
  readonly paths?: readonly TestPath[];
  readonly sequence?: readonly Sequence[];
  /** Captures in the folder of the page. */
  readonly captures?: readonly LinkCapture[];
  /** The keys of the sweep, the slowest first. */
  readonly keys?: readonly KeyName[];
  /** What records say of themselves, each sentence once, with the tests and points it holds for. */
  readonly said?: readonly string[];
  readonly notes?: readonly string[];
  /** Published laws of what the sweep changes; absent from the page of several runs. */
  readonly laws?: readonly PublishedLaw[];
  /** What `farpath compare` says of the runs. */
  readonly comparison?: Comparison;
  /** The runs, where a page has several: each is a value of the key `run`. */
  readonly runs?: readonly RunOfPage[];
}

/** `farpath_record::page::PublishedLaw`: a law as curves over the points of a test's sweep, whatever the line carries. */
export interface PublishedLaw {
  /** As a command line has it: `mathis`. */
  readonly name: string;
  readonly title: string;
  readonly formula: string;
  readonly source: string;
  readonly range: string;
  readonly test: string;
  readonly metric: string;
  /** The key of the sweep along x. */
  readonly key: string;
  /** No connection of the test has its congestion control, or a window that is set. */
  readonly apart?: boolean;
  readonly curves: readonly LawCurve[];
}

export interface LawCurve {
  /** Those of the other keys on which it depends. */
  readonly at: Point;
  readonly parts: readonly LawPart[];
}

/** A piece within the range of its law, or outside. */
export interface LawPart {
  readonly holds: boolean;
  /** Values of the key, ascending, in the unit of its axis. */
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** One of several runs of a page. */
export interface RunOfPage {
  readonly name: string;
  readonly command?: string;
  readonly version: string;
  readonly seed: number;
  readonly scenario_sha256: string;
}

/** `farpath.compare/1`, as far as the page shows it. */
export interface Comparison {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly rows: readonly ComparedRow[];
  readonly notes: readonly string[];
}

export interface ComparedRow {
  readonly test: string;
  readonly point: Point;
  readonly metric: string;
  readonly origin_a: Origin;
  readonly origin_b: Origin;
  readonly a: { readonly mean: Maybe; readonly n: number };
  readonly b: { readonly mean: Maybe; readonly n: number };
  readonly difference: Maybe;
  readonly difference_ci95: Maybe;
  readonly relative: Maybe;
  readonly verdict: "same" | "inconclusive" | "differs" | "unknown";
  /** A number where runs are of two kinds, and ranks were compared. */
  readonly rank_p?: Maybe;
  /** Smaller differences are none: the metric is known in such steps only. */
  readonly step?: Maybe;
  /** Further runs on each side that would tell. */
  readonly more_runs?: Maybe;
}

/** `farpath.trace/1`, as far as the page shows it. */
export interface TraceDirection {
  readonly segments: number;
  readonly unique_bytes: number;
  readonly goodput_bps: number;
  readonly retransmitted_segments: number;
  readonly retransmissions: Readonly<Record<string, number>>;
  readonly rtt_min_ns?: number | null;
  readonly rtt_max_ns?: number | null;
  readonly limited_by?: string | null;
  readonly limit_shares?: Readonly<Record<string, number>>;
  readonly glitches?: readonly TraceGlitch[];
}

export interface TraceGlitch {
  readonly kind: string;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly cost_bytes: number;
  readonly cause: string;
  readonly retransmitted_segments?: number;
}

export interface TraceConnection {
  readonly id: number;
  readonly a: string;
  readonly b: string;
  readonly duration_ns: number;
  readonly vantage: string;
  readonly a2b: TraceDirection;
  readonly b2a: TraceDirection;
  readonly notes?: readonly string[];
  readonly name?: string;
  readonly requests?: readonly TraceRequest[];
  readonly request_totals?: TraceRequestTotals;
}

/** One request and its response; times in nanoseconds. */
export interface TraceRequest {
  readonly at_ns: number;
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly client_sending_ns: number;
  readonly wire_ns: number;
  readonly server_thinking_ns: number;
  readonly response_ns: number;
  readonly slow_reader_ns: number;
  readonly client_thinking_ns?: number;
  readonly tls_handshake?: boolean;
}

/** All requests of a connection. */
export interface TraceRequestTotals {
  readonly requests: number;
  readonly left_out: number;
  readonly client_sending_ns: number;
  readonly wire_ns: number;
  readonly server_thinking_ns: number;
  readonly server_thinking_max_ns: number;
  readonly response_ns: number;
  readonly client_thinking_ns: number;
}

/** What one end of a flow sent. */
export interface TraceFlowDirection {
  readonly packets: number;
  readonly bytes: number;
  readonly rate_bps: number;
  readonly streams?: readonly { readonly lost: number; readonly jitter_ns?: number }[];
}

/** A flow that is not TCP. */
export interface TraceFlow {
  readonly id: number;
  readonly protocol: string;
  readonly application?: string;
  readonly a: string;
  readonly b: string;
  readonly name?: string;
  readonly a2b: TraceFlowDirection;
  readonly b2a: TraceFlowDirection;
  readonly echo?: { readonly lost: number; readonly rtt_avg_ns?: number };
  readonly dns?: { readonly unanswered: number; readonly answer_avg_ns?: number };
  readonly quic?: { readonly handshake_ns?: number };
}

/** Errors of one kind that ICMP reported of one flow. */
export interface TraceIcmpError {
  readonly kind: string;
  readonly from: string;
  readonly protocol: string;
  readonly flow_from: string;
  readonly flow_to: string;
  readonly mtu?: number;
  readonly count: number;
}

/** `farpath.trace-page/1` (crates/report/src/trace_page.rs); times count from the connection's first packet. */
export interface TraceData {
  readonly schema: string;
  readonly document: {
    readonly files: readonly { readonly name: string; readonly packets: number; readonly notes?: readonly string[] }[];
    readonly connections: readonly TraceConnection[];
    readonly flows?: readonly TraceFlow[];
    readonly icmp_errors?: readonly TraceIcmpError[];
    readonly notes?: readonly string[];
  };
  readonly direction: "a2b" | "b2a";
  readonly others: readonly { readonly id: number; readonly a: string; readonly b: string; readonly name?: string; readonly bytes: number }[];
  readonly others_left_out: number;
  readonly sequence: Sequence;
  readonly again: Readonly<Record<string, readonly SequenceBurst[]>>;
  readonly edges: readonly SequenceBurst[];
  readonly limits: readonly { readonly from_ns: number; readonly until_ns: number; readonly limit: string }[];
  readonly series: Readonly<Record<string, Series>>;
}
