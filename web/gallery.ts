// Draws one figure of docs/gallery from the report.json a run leaves behind:
//   node dist-gallery/gallery.js tunnel|load REPORT_JSON OUT_SVG

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import style from "./src/figure.css?raw";
import { distinctPaths, drawPath } from "./src/diagram/draw";
import { drawLoad } from "./src/figure/load";
import { toFile, type Shape } from "./src/svg";
import type { ReportData } from "./src/types";

function tunnel(data: ReportData): Shape {
  const longest = distinctPaths(data.paths ?? [])[0];
  if (!data.topology || !longest) throw new Error("the report holds no topology and paths");
  return drawPath(data.topology, longest.path, "tunnel");
}

function load(data: ReportData): Shape {
  const drawing = drawLoad(data, "load");
  if (!drawing) throw new Error("the report holds no rates of a link in both directions");
  return drawing;
}

const FIGURES: Readonly<Record<string, (data: ReportData) => Shape>> = { tunnel, load };

function main(): number {
  const [figure, from, to] = process.argv.slice(2);
  const draw = figure === undefined ? undefined : FIGURES[figure];
  if (!draw || from === undefined || to === undefined) {
    console.error(`usage: gallery ${Object.keys(FIGURES).join("|")} REPORT_JSON OUT_SVG`);
    return 2;
  }
  try {
    const data = JSON.parse(readFileSync(from, "utf8")) as ReportData;
    const text = toFile(draw(data), style);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
    return 0;
  } catch (error) {
    console.error(`${from}: ${error instanceof Error ? error.message : String(error)}`);
    return 3;
  }
}

process.exitCode = main();
