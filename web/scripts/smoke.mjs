// Opens report pages in a headless Chromium and looks at what came of them:
//   node scripts/smoke.mjs PAGE.html [--svg N] [--canvas N] [--section ID]... [PAGE.html ...]
// The numbers are the least that must be there and hold for the page named before them. Chromium is required:
// a page nobody opened is a page nobody tested. CHROMIUM names another binary.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const BROWSERS = process.env.CHROMIUM ? [process.env.CHROMIUM] : ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--virtual-time-budget=5000", "--enable-logging=stderr", "--window-size=1280,2000",
];

function usage(text) {
  console.error(`${text}\nusage: node scripts/smoke.mjs PAGE.html [--svg N] [--canvas N] [--section ID]...`);
  process.exit(2);
}

function parse(words) {
  const pages = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (!word.startsWith("--")) {
      pages.push({ path: word, svg: 0, canvas: 0, sections: [] });
      continue;
    }
    const page = pages.at(-1) ?? usage(`${word} stands before any page`);
    const value = words[++i] ?? usage(`${word} needs a value`);
    if (word === "--svg") page.svg = Number(value);
    else if (word === "--canvas") page.canvas = Number(value);
    else if (word === "--section") page.sections.push(value);
    else usage(`unknown option ${word}`);
  }
  return pages.length > 0 ? pages : usage("no page named");
}

function open(browser, path) {
  const profile = mkdtempSync(join(tmpdir(), "farpath-smoke-"));
  try {
    const run = spawnSync(browser, [...FLAGS, `--user-data-dir=${profile}`, "--dump-dom", pathToFileURL(resolve(path)).href],
      { encoding: "utf8", maxBuffer: 1 << 28, timeout: 120_000 });
    if (run.error) throw run.error;
    return run;
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What is wrong with a page; empty if nothing is. */
function faults(page, { stdout, stderr, status }) {
  const found = [];
  // Only what is drawn counts, not the script and data the page carries.
  const drawn = stdout.replace(/<script[\s\S]*?<\/script>/g, "");
  const count = (pattern) => (drawn.match(pattern) ?? []).length;
  if (status !== 0) found.push(`chromium ended with ${status}`);
  const banner = /class="error-banner"[^>]*>([^<]*)/.exec(drawn);
  if (banner) found.push(`error banner: ${banner[1]}`);
  if (/id="plain"/.test(drawn)) found.push("the script did not take over from the plain page");
  for (const line of stderr.split("\n").filter((l) => /CONSOLE.*(Uncaught|Error|Refused)/.test(l))) found.push(line);
  if (/\b(NaN|undefined|Infinity)\b/.test(drawn.replace(/<style[\s\S]*?<\/style>/g, ""))) found.push("NaN, undefined or Infinity is shown");
  if (count(/<svg\b/g) < page.svg) found.push(`${count(/<svg\b/g)} drawings, ${page.svg} wanted`);
  if (count(/<canvas\b/g) < page.canvas) found.push(`${count(/<canvas\b/g)} canvases, ${page.canvas} wanted`);
  for (const id of page.sections) if (!drawn.includes(`<section id="${id}"`)) found.push(`no section ${id}`);
  return { found, summary: `${count(/<svg\b/g)} drawings, ${count(/<canvas\b/g)} canvases` };
}

const pages = parse(process.argv.slice(2));
const browser = BROWSERS.find((path) => existsSync(path));
if (!browser) {
  console.error(`no Chromium at ${BROWSERS.join(", ")}: install it (apt-get install chromium) or name it in CHROMIUM`);
  process.exit(3);
}
let failed = false;
for (const page of pages) {
  if (!existsSync(page.path)) {
    console.error(`${page.path}: no such page`);
    process.exit(3);
  }
  const { found, summary } = faults(page, open(browser, page.path));
  console.log(`${page.path}: ${found.length === 0 ? `ok, ${summary}` : "FAILED"}`);
  for (const fault of found) console.log(`  ${fault}`);
  failed ||= found.length > 0;
}
process.exit(failed ? 1 : 0);
