// Opens report pages in a headless Chromium, uses them, and checks what came of it:
//   node scripts/smoke.mjs PAGE.html [--svg N] [--canvas N] [--section ID]... [--trace] [PAGE.html ...]
// The numbers are the least that must be there and hold for the page named before them; --trace wants a
// time–sequence plot, which is zoomed wherever there is one. Chromium is required: a page nobody opened is a page nobody
// tested. CHROMIUM names another binary.

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

import { BROWSERS, FLAGS } from "./browser.mjs";

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
/** A page is mailed and opened on a phone. */
const LARGEST = 5_000_000;

function usage(text) {
  console.error(`${text}\nusage: node scripts/smoke.mjs PAGE.html [--svg N] [--canvas N] [--section ID]... [--trace]`);
  process.exit(2);
}

function parse(words) {
  const pages = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (!word.startsWith("--")) {
      pages.push({ path: word, svg: 0, canvas: 0, sections: [], trace: false });
      continue;
    }
    const page = pages.at(-1) ?? usage(`${word} stands before any page`);
    if (word === "--trace") {
      page.trace = true;
      continue;
    }
    const value = words[++i] ?? usage(`${word} needs a value`);
    if (word === "--svg") page.svg = Number(value);
    else if (word === "--canvas") page.canvas = Number(value);
    else if (word === "--section") page.sections.push(value);
    else usage(`unknown option ${word}`);
  }
  return pages.length > 0 ? pages : usage("no page named");
}

/** What is wrong with what is drawn. */
async function drawn(tab, page, fault) {
  const found = await tab.evaluate(() => ({
    svg: document.querySelectorAll("svg").length,
    canvas: document.querySelectorAll("canvas").length,
    sections: [...document.querySelectorAll("section[id]")].map((s) => s.id),
    banners: [...document.querySelectorAll(".error-banner")].map((b) => b.textContent),
    plain: document.getElementById("plain") !== null,
    text: document.body.innerText,
    markup: [...document.querySelectorAll("svg")].map((s) => s.outerHTML).join(""),
  }));
  for (const banner of found.banners) fault(`error banner: ${banner}`);
  if (found.plain) fault("the script did not take over from the plain page");
  for (const word of ["NaN", "undefined", "Infinity"]) {
    if (new RegExp(`\\b${word}\\b`).test(found.text + found.markup)) fault(`${word} is shown`);
  }
  if (found.svg < page.svg) fault(`${found.svg} drawings, ${page.svg} wanted`);
  if (found.canvas < page.canvas) fault(`${found.canvas} canvases, ${page.canvas} wanted`);
  for (const id of page.sections) if (!found.sections.includes(id)) fault(`no section ${id}`);
  return `${found.svg} drawings, ${found.canvas} canvases`;
}

/** Zooms the time–sequence plot by button, wheel, box and keys. */
async function traced(tab, wanted, fault) {
  const canvas = tab.locator(".sequence-canvas").first();
  if (await canvas.count() === 0) {
    if (wanted) fault("no time–sequence plot");
    return;
  }
  await canvas.scrollIntoViewIfNeeded();
  const frame = () => tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const view = async () => {
    await frame();
    const [t0, t1, s0, s1] = (await canvas.getAttribute("data-view")).split(" ").map(Number);
    return { t: t1 - t0, s: s1 - s0 };
  };
  const must = (holds, text) => { if (!holds) fault(text); };
  const whole = await view();
  const button = (name) => tab.locator("figure.sequence").first().getByRole("button", { name });

  await button("Single segments").click();
  const single = await view();
  must(single.t < 50e6 && single.s < 5e6, `"Single segments" shows ${single.t} ns and ${single.s} bytes`);
  await button("Whole transfer").click();
  must((await view()).t === whole.t, `"Whole transfer" does not show it`);

  const box = await canvas.boundingBox();
  const wheel = async (times) => {
    for (let i = 0; i < times; i++) await tab.mouse.wheel(0, -200);
  };
  await canvas.click({ position: { x: box.width / 2, y: 60 } });
  // Where it is to be seen, and not how far the page is scrolled: plots that are drawn late above it move that.
  const { y: scrolled } = await canvas.boundingBox();
  await wheel(12);
  const near = await view();
  must(near.t < whole.t / 1000, `twelve turns of the wheel come from ${whole.t} ns to ${near.t} ns`);
  // A wheel's turn scrolls a hundred pixels; text that changes above the plot may shift it by a fraction of one.
  must(Math.abs((await canvas.boundingBox()).y - scrolled) < 2, "the page scrolls under the wheel");
  await tab.keyboard.press("0");
  must((await view()).t === whole.t, "the key 0 does not show everything");

  await tab.mouse.move(box.x + 200, box.y + 100);
  await tab.mouse.down();
  await tab.mouse.move(box.x + 400, box.y + 300, { steps: 4 });
  await tab.mouse.up();
  const boxed = await view();
  must(boxed.t < whole.t / 3 && boxed.s < whole.s / 1.5, `a box shows ${boxed.t} ns and ${boxed.s} bytes`);
  await canvas.dblclick();
  must((await view()).t === whole.t, "a double click does not show everything");
}

async function check(browser, page) {
  const faults = [];
  const fault = (text) => faults.push(text);
  const bytes = statSync(page.path).size;
  if (bytes > LARGEST) fault(`${bytes} bytes, ${LARGEST} allowed`);
  let summary = "";
  for (const [viewport, colorScheme] of [[WIDE, "light"], [NARROW, "dark"]]) {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
    const tab = await context.newPage();
    tab.on("pageerror", (error) => fault(`${error}`));
    tab.on("console", (message) => { if (message.type() === "error") fault(message.text()); });
    tab.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) fault(`asks for ${request.url()}`); });
    await tab.goto(pathToFileURL(resolve(page.path)).href);
    summary = await drawn(tab, page, fault);
    const width = await tab.evaluate(() => document.documentElement.scrollWidth);
    if (width > viewport.width) fault(`${width} pixels wide in a window of ${viewport.width}`);
    if (viewport === WIDE) await traced(tab, page.trace, fault);
    await context.close();
  }
  console.log(`${page.path}: ${faults.length === 0 ? `ok, ${summary}, ${Math.ceil(bytes / 1000)} kB` : "FAILED"}`);
  for (const text of new Set(faults)) console.log(`  ${text}`);
  return faults.length === 0;
}

const pages = parse(process.argv.slice(2));
const executablePath = BROWSERS.find((path) => existsSync(path));
if (!executablePath) {
  console.error(`no Chromium at ${BROWSERS.join(", ")}: install it (apt-get install chromium) or name it in CHROMIUM`);
  process.exit(3);
}
for (const { path } of pages) {
  if (!existsSync(path)) {
    console.error(`${path}: no such page`);
    process.exit(3);
  }
}
const browser = await chromium.launch({ executablePath, args: FLAGS });
let good = true;
for (const page of pages) good = await check(browser, page) && good;
await browser.close();
process.exit(good ? 0 : 1);
