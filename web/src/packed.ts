// What the page carries, unpacked: times that series share stand once, and like objects are columns (crates/report/src/html/packed.rs).

interface Packed {
  readonly rows?: readonly number[];
  readonly all?: unknown;
  readonly count?: number;
  readonly list?: readonly unknown[];
  readonly steps?: readonly number[];
  readonly runs?: readonly [values: readonly unknown[], counts: readonly number[]];
  readonly every?: { readonly first: number; readonly step: number; readonly count: number };
  readonly words?: readonly string[];
  readonly at?: readonly number[];
}

interface Columns {
  readonly count: number;
  readonly columns: Readonly<Record<string, Packed>>;
}

/** Whole numbers, from the first and the steps to each next. */
function summed(steps: readonly number[]): number[] {
  let value = 0;
  return steps.map((step) => (value += step));
}

function values(packed: Packed): unknown[] {
  const { every, words, runs } = packed;
  if (packed.list) return [...packed.list];
  if (packed.steps) return summed(packed.steps);
  if (every) return Array.from({ length: every.count }, (_, i) => every.first + i * every.step);
  if (runs) return runs[0].flatMap((value, i) => new Array<unknown>(runs[1][i]!).fill(value));
  if (words) return (packed.at ?? []).map((i) => words[i]);
  return new Array<unknown>(packed.count ?? 0).fill(packed.all);
}

function objects({ count, columns }: Columns): Record<string, unknown>[] {
  const rows = Array.from({ length: count }, (): Record<string, unknown> => ({}));
  for (const [key, packed] of Object.entries(columns)) {
    const at = packed.rows === undefined ? null : summed(packed.rows);
    for (const [i, value] of values(packed).entries()) rows[at?.[i] ?? i]![key] = value;
  }
  return rows;
}

/** Lists that have a value for each of the times beside them. */
const TIMED: readonly string[] = ["v", "rate_bps", "queue_bytes"];

type Tree = Record<string, unknown>;

/** Puts back what was packed, in place: series of the same times share one list. */
export function unpack(data: Tree): unknown {
  const { times, ...rest } = data;
  if (!Array.isArray(times)) return data;
  const lists = (times as Packed[]).map(values);
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    if (Array.isArray(value)) {
      // Lists of numbers are long, and hold nothing.
      if (typeof value[0] === "object" || value.some((v) => typeof v === "object")) value.forEach(visit);
      return;
    }
    const tree = value as Tree;
    if (typeof tree["times"] === "number") {
      tree["t_ns"] = lists[tree["times"]];
      delete tree["times"];
      for (const key of TIMED) {
        const list = tree[key];
        if (list !== undefined && !Array.isArray(list)) tree[key] = values(list as Packed);
      }
    }
    const bursts = tree["bursts"] as Columns | undefined;
    if (bursts?.columns) tree["bursts"] = objects(bursts);
    else Object.values(tree).forEach(visit);
  };
  visit(rest);
  return rest;
}
