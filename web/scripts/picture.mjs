// The upper part of a report's page as an image, as the README shows it:
//   node scripts/picture.mjs REPORT_HTML OUT_PNG LAST
// From the headline to the end of LAST, a CSS selector, without what an image cannot use: the table of contents, buttons,
// and what is folded away.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

import { BROWSERS, FLAGS } from "./browser.mjs";

const WIDTH = 1240;
const MARGIN = 24;
const HIDDEN = "nav, button, .buttons, details { display: none !important; }";

const [from, to, last] = process.argv.slice(2);
if (from === undefined || to === undefined || last === undefined) {
  console.error("usage: node scripts/picture.mjs REPORT_HTML OUT_PNG LAST");
  process.exit(2);
}
const executablePath = BROWSERS.find((path) => existsSync(path));
if (!executablePath || !existsSync(from)) {
  console.error(executablePath ? `${from}: no such page` : `no Chromium at ${BROWSERS.join(", ")}: install it or name it in CHROMIUM`);
  process.exit(3);
}
const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 900 }, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(pathToFileURL(resolve(from)).href);
  await page.addStyleTag({ content: HIDDEN });
  const bottom = await page.evaluate((selector) => {
    const end = document.querySelector(selector)?.getBoundingClientRect().bottom;
    return end === undefined ? null : end + scrollY;
  }, last);
  if (bottom === null) throw new Error(`nothing is ${last}`);
  await page.screenshot({ path: to, fullPage: true, clip: { x: 0, y: 0, width: WIDTH, height: Math.ceil(bottom) + MARGIN } });
} catch (error) {
  console.error(`${from}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 3;
} finally {
  await browser.close();
}
