// Opens report pages in a headless Chromium, uses them, and checks what came of it:
//   node scripts/smoke.mjs PAGE.html [--svg N] [--canvas N] [--section ID]... [--trace] [--figure TITLE WHAT]... [--figures M] [PAGE.html ...]
// The numbers are the least that must be there and hold for the page named before them; --trace wants a
// time–sequence plot, which is zoomed wherever there is one. --figure NAME panels=N,bars=N,legend=N,gaps=N,log=xy says what the
// figure of a sweep whose title begins so shows: exactly that (also stated=N diamonds, covered=N of them over points). --figures M adds every figure's buttons: M of each at least.
// --repeats N: so many repeats stand in the distributions, of which there is one at least. Chromium is required: a page
// nobody opened is a page nobody tested. CHROMIUM names another binary.

import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

import { BROWSERS, FLAGS } from "./browser.mjs";

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
/** A page is mailed and opened on a phone; that of a capture may hold more. */
const LARGEST = 5_000_000;
const LARGEST_CAPTURE = 25_000_000;

function usage(text) {
  console.error(`${text}\nusage: node scripts/smoke.mjs PAGE.html [--svg N] [--canvas N] [--section ID]... [--trace]`);
  process.exit(2);
}

function parse(words) {
  const pages = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (!word.startsWith("--")) {
      pages.push({ path: word, svg: 0, canvas: 0, sections: [], trace: false, figures: [], files: 0, repeats: 0 });
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
    else if (word === "--repeats") page.repeats = Number(value);
    else if (word === "--figures") page.files = Number(value);
    else if (word === "--figure") {
      const what = words[++i] ?? usage("--figure needs a title and what it shows");
      page.figures.push({ title: value, what: Object.fromEntries(what.split(",").map((pair) => pair.split("="))) });
    }
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

/** What each figure of a sweep shows, those that are drawn on demand too: counted in its drawing. */
async function swept(tab, page, fault) {
  const more = tab.locator("details.more > summary");
  if (await more.count() > 0) {
    await more.click();
    await tab.locator("details.more figure").first().waitFor();
  }
  const found = await tab.evaluate(() => [...document.querySelectorAll("figure.sweep")].map((figure) => {
    const svg = figure.querySelector("svg.figure");
    const room = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")];
    // Text is at most a letter's width beyond the drawing's edge: a descender's box is larger than its ink.
    const cut = texts.filter((t) => { const b = t.getBoundingClientRect(); return b.left < room.left - 3 || b.right > room.right + 3; }).map((t) => t.textContent);
    const curves = [...svg.querySelectorAll(".panel path.curve")].map((c) => c.getAttribute("d") ?? "");
    return {
      title: figure.querySelector("h3")?.textContent ?? "", wide: svg.getBoundingClientRect().width, cut,
      panels: svg.querySelectorAll(".panel").length, bars: svg.querySelectorAll(".panel rect.bar").length,
      legend: svg.querySelectorAll(".legend-entry").length, curves: curves.filter((d) => d !== "").length,
      gaps: curves.reduce((sum, d) => sum + Math.max(0, (d.match(/M/g) ?? []).length - 1), 0),
      stated: svg.querySelectorAll(".panel .stated").length,
      // A mark that is drawn over a point hides it.
      covered: [...svg.querySelectorAll(".panel .stated-mark")].filter((m) => [...svg.querySelectorAll(".panel g.point .mark")].some((p) => p.compareDocumentPosition(m) & Node.DOCUMENT_POSITION_FOLLOWING)).length,
      missing: svg.querySelectorAll(".missing").length, log: svg.getAttribute("data-log")?.replaceAll(" ", "") ?? "",
    };
  }));
  const { clientWidth } = await tab.evaluate(() => ({ clientWidth: document.documentElement.clientWidth }));
  for (const figure of found) {
    if (figure.wide > clientWidth) fault(`${figure.title}: ${figure.wide} pixels wide`);
    for (const text of figure.cut) fault(`${figure.title}: cut: ${text}`);
  }
  for (const { title, what } of page.figures) {
    const figure = found.find((f) => f.title.startsWith(title));
    if (!figure) {
      fault(`no figure ${title}`);
      continue;
    }
    for (const [name, wanted] of Object.entries(what)) {
      if (String(figure[name]) !== wanted) fault(`${title}: ${name} ${figure[name]}, ${wanted} wanted`);
    }
  }
}

/** Distributions over repeats: each curve rises by one step a repeat, from none to all. */
async function repeated(tab, page, fault) {
  const found = await tab.evaluate(() => [...document.querySelectorAll("figure.repeats")].map((figure) => ({
    title: figure.querySelector("h3")?.textContent ?? "",
    curves: [...figure.querySelectorAll("svg.figure > path.curve, svg.figure > g > path.curve")].map((c) => c.getAttribute("d") ?? "").filter((d) => d.split(",").length > 3),
  })));
  if (page.repeats === 0) return;
  if (found.length === 0) fault("no distribution over the repeats");
  for (const { title, curves } of found) {
    if (curves.length === 0) fault(`${title}: no curve`);
    for (const d of curves) {
      const ys = [...d.matchAll(/,([\d.]+)/g)].map((m) => Number(m[1]));
      const rises = ys.slice(1).filter((y, i) => y < ys[i]).length;
      if (rises !== page.repeats || ys.slice(1).some((y, i) => y > ys[i])) fault(`${title}: ${rises} steps, ${page.repeats} wanted`);
    }
  }
}

/** A long table is folded on a narrow screen, and opens. */
async function folds(tab, fault) {
  const rows = () => tab.evaluate(() => [...document.querySelectorAll(".results tbody tr")].filter((r) => r.checkVisibility({ contentVisibilityAuto: true })).length);
  const before = await rows();
  if (before > 20) fault(`${before} rows of results on a narrow screen`);
  const fold = tab.locator("details.fold > summary");
  if (await fold.count() === 0) return;
  await fold.click();
  const after = await rows();
  if (before !== 0 || after <= 20) fault(`the folded table opens from ${before} to ${after} rows`);
}

/** What a narrow table says stands in its second column: a figure and its mark, side by side. Nothing it has no word for is shown. */
async function columns(tab, fault) {
  const found = await tab.evaluate(() => [...document.querySelectorAll(".results td[data-head], .stacked td[data-head]")].filter((td) => td.checkVisibility()).map((td) => {
    const text = document.createRange();
    text.selectNodeContents(td);
    return { head: td.dataset.head, left: text.getBoundingClientRect().left - td.getBoundingClientRect().left };
  }));
  for (const { head, left } of found) if (left < 80) fault(`${head}: its text begins at ${left} pixels, below its name`);
  const broken = await tab.evaluate(() => [...document.querySelectorAll(".fact dt")].map((dt) => dt.textContent).filter((t) => /\de-\d/.test(t)));
  for (const text of broken) fault(`a number may be broken at its hyphen: ${text}`);
}

/** What is wider than a narrow screen says that it scrolls. */
async function scrolls(tab, fault) {
  const silent = await tab.evaluate(() => [...document.querySelectorAll(".scroller")].filter((s) => s.checkVisibility() && s.scrollWidth > s.clientWidth + 2 && !getComputedStyle(s, "::before").content.includes("sideways")).map((s) => s.getAttribute("aria-label")));
  for (const label of silent) fault(`${label}: nothing says that it scrolls`);
  const tables = await tab.evaluate(() => innerWidth > 480 ? [] : [...document.querySelectorAll(".scroller:has(.results, .stacked)")].filter((s) => s.checkVisibility() && s.scrollWidth > s.clientWidth + 2).map((s) => s.getAttribute("aria-label")));
  for (const label of tables) fault(`${label}: its rows are wider than the screen`);
}

/** Every figure can be had as a file; one of them is taken, in both forms: as the page is, and as the reader chooses. */
async function files(tab, page, fault) {
  const counts = await tab.evaluate(() => ({
    buttons: document.querySelectorAll("button.export").length, figures: document.querySelectorAll("main figure").length,
  }));
  if (counts.buttons < 2 * Math.max(page.files, counts.figures)) fault(`${counts.buttons} buttons for ${counts.figures} figures`);
  if (counts.figures === 0) return;
  for (const [kind, first] of [["SVG", "<svg"], ["PNG", "\x89PNG"]]) {
    const [download] = await Promise.all([tab.waitForEvent("download"), tab.locator("button.export:visible", { hasText: kind }).last().click()]);
    const bytes = readFileSync(await download.path());
    if (!bytes.toString("latin1").startsWith(first)) fault(`${download.suggestedFilename()} is no ${kind}`);
    if (kind === "SVG" && /var\(|class=|style=/.test(bytes.toString("utf8"))) fault(`${download.suggestedFilename()} needs a style sheet`);
    if (kind === "SVG" && !bytes.includes('height="100%" fill="#ffffff"')) fault(`${download.suggestedFilename()} is not on white`);
  }
  return chosen(tab, fault);
}

/** The choice beside one figure holds for another: a dark file, and as many pixels of a narrower drawing, so that its text is larger. */
async function chosen(tab, fault) {
  const button = (kind) => tab.locator("figure:not(.path) button.export:visible", { hasText: kind }).last();
  if (await button("SVG").count() === 0) return;
  await tab.locator("select.export:visible").first().selectOption({ label: "dark, 480 px" });
  const files = [];
  for (const kind of ["SVG", "PNG"]) {
    const [download] = await Promise.all([tab.waitForEvent("download"), button(kind).click()]);
    files.push(readFileSync(await download.path()));
  }
  const [svg, png] = files;
  if (!/ width="480"/.test(svg.toString("utf8"))) fault("the chosen width is not that of the SVG");
  if (!svg.includes('height="100%" fill="#14171b"')) fault("a dark SVG is not on the ground of a dark page");
  if (png.readUInt32BE(16) !== 1920) fault(`a PNG is ${png.readUInt32BE(16)} pixels wide, 1920 wanted`);
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

  // A page whose marks stand for several has no single segments.
  if (await button("Single segments").count() > 0) {
    await button("Single segments").click();
    const single = await view();
    must(single.t < Math.max(50e6, whole.t / 50) && single.s < 5e6, `"Single segments" shows ${single.t} ns and ${single.s} bytes`);
    await button("Whole transfer").click();
    must((await view()).t === whole.t, `"Whole transfer" does not show it`);
  }

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
  return zooms(tab, box);
}

/** The slowest of twelve zooms, milliseconds: from the wheel's turn until the frame after it is drawn. */
async function zooms(tab, box) {
  const at = { x: box.x + box.width / 2, y: box.y + 60 };
  const slowest = await tab.evaluate(async ({ x, y }) => {
    const canvas = document.querySelector(".sequence-canvas");
    const drawn = () => new Promise((done) => requestAnimationFrame(() => { const port = new MessageChannel(); port.port1.onmessage = done; port.port2.postMessage(0); }));
    let most = 0;
    for (let i = 0; i < 12; i++) {
      await drawn();
      const begun = performance.now();
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -200, clientX: x, clientY: y, bubbles: true, cancelable: true }));
      await drawn();
      most = Math.max(most, performance.now() - begun);
    }
    return most;
  }, at);
  await tab.keyboard.press("0");
  return slowest;
}

/** On paper: what is drawn is as wide as a sheet whatever the screen, keeps its proportions and shows what the screen does; nothing is folded
 * that paper should show. Afterwards the screen is as it was. */
async function printed(tab, fault) {
  const look = () => tab.evaluate(() => ({
    plots: document.querySelectorAll(".time-plot").length,
    drawings: [...document.querySelectorAll(".time-paper svg")].filter((s) => s.checkVisibility() && s.getBoundingClientRect().height > 50).length,
    canvases: [...document.querySelectorAll(".time-plot canvas")].filter((c) => c.checkVisibility()).length,
    bent: [...document.querySelectorAll(".sequence-canvas")].map((c) => (c.width / c.height) / (c.clientWidth / c.clientHeight)).filter((bend) => Math.abs(bend - 1) > 0.02).length,
    haloed: [...document.querySelectorAll(".time-paper text")].filter((t) => getComputedStyle(t).stroke !== "none").length,
    folded: document.querySelectorAll("details.open-on-paper:not([open])").length,
  }));
  const before = await look();
  await tab.emulateMedia({ media: "print" });
  await tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const paper = await look();
  // Those that a reader has folded are not laid out.
  const seen = await tab.evaluate(() => [...document.querySelectorAll(".time-plot")].filter((p) => p.checkVisibility()).length);
  if (paper.drawings !== seen) fault(`${paper.drawings} drawings on paper of ${seen} plots over time`);
  if (paper.canvases > 0) fault(`${paper.canvases} plots over time are as wide on paper as on the screen`);
  if (paper.bent > 0) fault("a time–sequence plot is stretched on paper");
  if (paper.haloed > 0) fault(`${paper.haloed} texts of drawings on paper have an outline`);
  if (paper.folded > 0) fault(`${paper.folded} parts are folded on paper`);
  await tab.evaluate(() => dispatchEvent(new Event("afterprint")));
  await tab.emulateMedia({ media: null });
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const after = await look();
  if (JSON.stringify(after) !== JSON.stringify(before)) fault(`a print leaves ${JSON.stringify(after)} of ${JSON.stringify(before)}`);
}

async function check(browser, page) {
  const faults = [];
  const fault = (text) => faults.push(text);
  const bytes = statSync(page.path).size;
  const largest = page.path.endsWith("trace.html") ? LARGEST_CAPTURE : LARGEST;
  if (bytes > largest) fault(`${bytes} bytes, ${largest} allowed`);
  let summary = "";
  let slowest;
  for (const [viewport, colorScheme] of [[WIDE, "light"], [WIDE, "dark"], [NARROW, "light"], [NARROW, "dark"]]) {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
    const tab = await context.newPage();
    tab.on("pageerror", (error) => fault(`${error}`));
    tab.on("console", (message) => { if (message.type() === "error") fault(message.text()); });
    tab.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) fault(`asks for ${request.url()}`); });
    await tab.goto(pathToFileURL(resolve(page.path)).href);
    summary = await drawn(tab, page, fault);
    const width = await tab.evaluate(() => document.documentElement.scrollWidth);
    if (width > viewport.width) fault(`${width} pixels wide in a window of ${viewport.width}`);
    await swept(tab, page, fault);
    await repeated(tab, page, fault);
    if (viewport === NARROW) {
      await folds(tab, fault);
      await columns(tab, fault);
      await scrolls(tab, fault);
    }
    await printed(tab, fault);
    if (viewport === WIDE && colorScheme === "light") {
      slowest = await traced(tab, page.trace, fault);
      await files(tab, page, fault);
    }
    await context.close();
  }
  const zoom = slowest === undefined ? "" : `, slowest zoom ${slowest.toFixed(0)} ms`;
  console.log(`${page.path}: ${faults.length === 0 ? `ok, ${summary}, ${Math.ceil(bytes / 1000)} kB${zoom}` : "FAILED"}`);
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
