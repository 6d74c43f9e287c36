// Every figure of a run as SVG, drawn without a browser: farpath carries this script and runs it for `farpath figures`.

import style from "./src/figure.css?raw";
import type { Drawn } from "./src/drawn";
import { toStandalone } from "./src/export";
import { loadFigure, pathFigures } from "./src/section/path";
import { repeatFigures } from "./src/section/repeats";
import { sweepFigures } from "./src/section/sweep";
import { timedPoints, timeFigures } from "./src/section/time";
import { witnessFigures } from "./src/section/witnesses";
import { nameKeys } from "./src/format";
import type { Bars } from "./src/sweep";
import type { ReportData } from "./src/types";

/** As wide as those that a page gives. */
const WIDTH = 960;

/** The figures of a report's JSON, as JSON: a list of `{name, svg}`; `bars` is what stands around the points of repeats. */
function figures(report: string, bars: Bars): string {
  const data = JSON.parse(report) as ReportData;
  nameKeys(data.keys);
  const load = loadFigure(data);
  const all: Drawn[] = [
    ...pathFigures(data), ...(load === null ? [] : [load]), ...witnessFigures(data), ...sweepFigures(data, bars), ...repeatFigures(data),
    ...timedPoints(data).flatMap((point) => timeFigures(data, point)),
  ];
  const taken = new Map<string, number>();
  return JSON.stringify(all.map(({ file, draw }) => {
    const times = (taken.get(file) ?? 0) + 1;
    taken.set(file, times);
    return { name: times === 1 ? file : `${file}-${times}`, svg: toStandalone(draw(WIDTH), style) };
  }));
}

Object.assign(globalThis, { farpathFigures: figures });
