// What a window allows: goodput against the window, a curve for each size of packet.

import * as format from "../format";
import type { Shape } from "../svg";
import type { ReportData } from "../types";
import { drawChart, type Curve } from "./chart";

const WINDOW = "window";
const PACKET = "mtu";

/** The value of the swept key that ends so. */
function value(point: Readonly<Record<string, string>>, end: string): string | undefined {
  return Object.entries(point).find(([key]) => key.split(".").at(-1) === end)?.[1];
}

function curves(data: ReportData): Curve[] {
  const records = data.document.records.filter((r) => typeof r.metrics["goodput_bps"] === "number");
  const packets = [...new Set(records.flatMap((r) => value(r.point, PACKET) ?? []))];
  return packets.flatMap((packet, i) => (["simulated", "predicted"] as const).map((origin): Curve => {
    const points = records.filter((r) => r.origin === origin && value(r.point, PACKET) === packet)
      .map((r) => [format.quantity(value(r.point, WINDOW) ?? "")?.value ?? 0, r.metrics["goodput_bps"] ?? 0] as const);
    const most = Math.max(...points.map((p) => p[1]));
    return {
      name: `MTU ${packet}`, detail: `at most ${format.rate(most)}`, points, tone: i === 0 ? "east" : "west",
      ...(origin === "predicted" ? { dashed: true, nameless: true, marks: "square" as const } : { marks: "round" as const }),
    };
  }));
}

/** Goodput against window, a line where the window is the path's rate × delay; null without such a sweep. */
export function drawWindow(data: ReportData, bps: number, rttS: number, id: string): Shape | null {
  const drawn = curves(data);
  if (drawn.length === 0) return null;
  const ticks = [...new Set(drawn.flatMap((c) => c.points.map((p) => p[0])))].sort((p, q) => p - q);
  const bdp = (bps * rttS) / 8;
  const said = drawn.filter((c) => c.nameless !== true)
    .map((c) => `${c.name}: ${c.points.map(([x, y]) => `${format.window(x)} ${format.rate(y)}`).join(", ")}`).join(". ");
  return drawChart({
    id, width: 900, height: 400, title: "Goodput against window for two sizes of packet", describe: said, curves: drawn,
    rules: [{ x: bdp, name: `${format.rate(bps, 2)} × ${format.delay(rttS * 1e9, 2)} = ${format.size(bdp)}`}],
    xName: "window, bytes in flight at most", yName: "goodput: simulated dots, predicted open squares", xFormat: format.window,
    yFormat: (v) => format.rate(v, 3), xTicks: ticks, logX: true,
  });
}
