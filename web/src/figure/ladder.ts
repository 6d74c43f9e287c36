// What each layer of a stack leaves of the line, one ladder beside the other.

import * as format from "../format";
import { n, shape, type Shape } from "../svg";

/** What `farpath predict overhead --json` prints. */
export interface Overhead {
  readonly layers: readonly {
    readonly name: string;
    readonly rate_bps: number;
    /** Of the layer's unit for one datagram; null for those that know none. */
    readonly bytes: number | null;
  }[];
}

interface Rung {
  readonly name: string;
  readonly bps: number;
  /** What it takes of the rung above. */
  readonly taken: string;
}

const WIDTH = 900;
const NAMES = 174;
const GUTTER = 26;
const TOP = 88;
const STEP = 64;
const BAR = 30;
/** STS-1, of which an STS-N has N times the rate and the columns. */
const STS1_BPS = 51.84e6;
const STS1_COLUMNS = 90;

/** Columns of the frame that are the payload's, and all of them. */
export function columns({ layers }: Overhead): readonly [payload: number, all: number] | null {
  const of = (name: string): number | undefined => layers.find((layer) => layer.name === name)?.rate_bps;
  const [line, payload] = [of("line"), of("payload")];
  if (line === undefined || payload === undefined) return null;
  const all = Math.round((line / STS1_BPS) * STS1_COLUMNS);
  return [Math.round((payload / line) * all), all];
}

/** The document's five figures: the line's, and what is left to ATM, to AAL, to IP and to the application. */
export function rungs(overhead: Overhead): Rung[] | null {
  const layer = (name: string) => overhead.layers.find((l) => l.name === name);
  const counted = columns(overhead);
  const [line, atm, aal, ip, application] = ["line", "atm", "aal5", "ip", "application"].map(layer);
  if (!counted || !line || !atm || !aal || !ip || !application) return null;
  const cells = (atm.bytes ?? 0) / 53;
  return [
    { name: "line rate", bps: line.rate_bps, taken: "" },
    { name: "to ATM", bps: atm.rate_bps, taken: `${counted[0]} of ${counted[1]} columns` },
    { name: "to AAL", bps: aal.rate_bps, taken: `48 of 53 bytes of ${format.count(cells)} cells` },
    { name: "to IP", bps: ip.rate_bps, taken: `${ip.bytes ?? 0} of ${aal.bytes ?? 0} bytes` },
    { name: "to application via TCP", bps: application.rate_bps, taken: `${application.bytes ?? 0} of ${ip.bytes ?? 0} bytes` },
  ];
}

function megabits(bps: number): string {
  return (bps / 1e6).toFixed(3);
}

function drawRungs(steps: readonly Rung[], x: number, width: number, tone: string): Shape[] {
  const line = steps[0]!.bps;
  return steps.flatMap((rung, i) => {
    const y = TOP + i * STEP;
    const reach = (rung.bps / line) * width;
    const before = i === 0 ? reach : (steps[i - 1]!.bps / line) * width;
    return [
      // What the layer above still had, in outline.
      shape("rect", { class: "band", x: n(x), y, width: n(before), height: BAR }),
      shape("rect", { class: `rung ${tone}`, style: "--mix:30%", x: n(x), y, width: n(reach), height: BAR }),
      shape("text", { class: "on-rung", x: n(x + 10), y: y + BAR / 2 + 5 }, megabits(rung.bps)),
      ...(rung.taken === "" ? [] : [shape("text", { class: "muted", x: n(x + 10), y: y - 9 }, rung.taken)]),
    ];
  });
}

/** Two ladders of one stack, the second of which counts its fixed stuff as payload; null where one has no such layers. */
export function drawLadder(pair: readonly [Overhead, Overhead], names: readonly [string, string], id: string): Shape | null {
  const both = pair.map(rungs);
  const [right, slip] = both;
  if (!right || !slip) return null;
  const width = (WIDTH - NAMES - 2 * GUTTER) / 2;
  const starts = [NAMES, NAMES + width + GUTTER] as const;
  const height = TOP + right.length * STEP - 4;
  const [counted, over] = pair.map((overhead) => columns(overhead)?.[0] ?? 0);
  const more = `${over! - counted!} columns of fixed stuff forgotten: ${megabits(slip.at(-1)!.bps - right.at(-1)!.bps)} too much`;
  const said = names.map((name, i) => `${name}: ${both[i]!.map((rung) => `${rung.name} ${megabits(rung.bps)}`).join(", ")}`).join(". ");
  return shape("svg", {
    class: "figure ladder-figure", viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height,
    role: "img", "aria-labelledby": `${id}-title ${id}-desc`,
  },
    shape("title", { id: `${id}-title` }, "What each layer leaves of the line, Mbit/s, with two counts of its columns"),
    shape("desc", { id: `${id}-desc` }, said),
    ...names.flatMap((name, i) => [
      shape("text", { class: "title", x: n(starts[i]!), y: 34 }, name),
      shape("text", { class: "muted", x: n(starts[i]!), y: 54 }, i === 0 ? "Mbit/s" : more),
    ]),
    ...right.map((rung, i) => shape("text", { class: "strong", x: NAMES - 14, y: TOP + i * STEP + BAR / 2 + 5, "text-anchor": "end" }, rung.name)),
    ...drawRungs(right, starts[0], width, "west"), ...drawRungs(slip, starts[1], width, "east"));
}
