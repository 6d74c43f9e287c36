// A drawing as a file of its own: every style written out as an attribute, so that any program that reads SVG shows it.

import { wrapped } from "./figure/legend";
import { n, shape, toText, type Attributes, type Shape } from "./svg";

type Values = Readonly<Record<string, string>>;

interface Rule {
  readonly tag: string;
  readonly classes: readonly string[];
  readonly weight: number;
  readonly values: Values;
}

interface Sheet {
  readonly variables: Values;
  readonly rules: readonly Rule[];
}

/** What CSS says that is not a property of SVG. */
const NOT_SVG = /^(transition|cursor|display|width|height|min-width|max-width|margin|font-variant-numeric)$/;
const SVG = "http://www.w3.org/2000/svg";
/** What stands for the reader's own font in programs that know no system font. */
const FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif";
const CODE = "'DejaVu Sans Mono', Consolas, monospace";

function declarations(text: string): Values {
  return Object.fromEntries(text.split(";").map((d) => d.split(/:(.*)/s).map((t) => t.trim())).filter(([name, value]) => name && value).map(([name, value]) => [name!, value!]));
}

/** Our own style sheet: `:root` and selectors of tags and classes, in light colours or in those of a dark page; what else depends on
 * the reader's screen is left out. */
export function readSheet(css: string, dark = false): Sheet {
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/@media([^{]*)\{((?:[^{}]*\{[^{}]*\})*)[^{}]*\}/g, (_, screen: string, rules: string) => (dark && screen.trim() === "(prefers-color-scheme: dark)" ? rules : ""));
  const rules: Rule[] = [];
  let variables: Values = {};
  for (const [, selectors, body] of plain.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    const values = declarations(body!);
    for (const selector of selectors!.split(",").map((s) => s.trim())) {
      if (selector === ":root") variables = { ...variables, ...values };
      else if (!/[[:>]/.test(selector)) rules.push({ ...compound(selector), values });
    }
  }
  return { variables, rules };
}

/** The last part of a selector; what comes before it is the drawing itself and always there. */
function compound(selector: string): Omit<Rule, "values"> {
  const parts = selector.split(/\s+/);
  const [tag = "", ...classes] = parts.at(-1)!.split(".");
  return { tag, classes, weight: parts.length * 10 + classes.length * 10 + (tag === "" ? 0 : 1) };
}

function matches(rule: Rule, drawing: Shape, classes: readonly string[]): boolean {
  return (rule.tag === "" || rule.tag === drawing.tag) && rule.classes.every((c) => classes.includes(c));
}

/** Replaces variables, and mixtures by the colour they come to; null where a variable has no value. */
function resolve(value: string, variables: Values): string | null {
  let text = value;
  for (let depth = 0; depth < 10 && text.includes("var("); depth++) {
    text = text.replace(/var\((--[\w-]+)(?:,\s*([^()]*(?:\([^()]*\)[^()]*)*))?\)/g, (_, name: string, other?: string) => variables[name] ?? other ?? "\0");
  }
  if (text.includes("\0")) return null;
  return text.replace(/color-mix\(in oklab, (#\w+) ([\d.]+)%, (#\w+)\)/g, (_, a: string, share: string, b: string) => mixed(a, b, Number(share) / 100));
}

/** `share` of colour a in colour b, in Oklab (B. Ottosson, "A perceptual color space for image processing", 2020). */
export function mixed(a: string, b: string, share: number): string {
  const [p, q] = [oklab(a), oklab(b)];
  return hex(p.map((v, i) => v * share + q[i]! * (1 - share)));
}

function oklab(colour: string): number[] {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

function hex([l, a, b]: readonly number[]): string {
  const [p, q, r] = [[0.3963377774, 0.2158037573], [-0.1055613458, -0.0638541728], [-0.0894841775, -1.291485548]].map(([x, y]) => (l! + x! * a! + y! * b!) ** 3) as [number, number, number];
  const linear = [4.0767416621 * p - 3.3077115913 * q + 0.2309699292 * r, -1.2684380046 * p + 2.6097574011 * q - 0.3413193965 * r, -0.0041960863 * p - 0.7034186147 * q + 1.707614701 * r];
  return `#${linear.map((v) => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055)).map((v) => Math.round(Math.min(1, Math.max(0, v)) * 255).toString(16).padStart(2, "0")).join("")}`;
}

function flat(drawing: Shape, sheet: Sheet, inherited: Values): Shape {
  const { class: names, style, ...rest } = drawing.attributes;
  const classes = String(names ?? "").split(" ").filter((c) => c !== "");
  const found = sheet.rules.filter((rule) => matches(rule, drawing, classes)).sort((p, q) => p.weight - q.weight);
  const own: Values = Object.assign({}, ...found.map((rule) => rule.values), declarations(String(style ?? "")));
  const variables: Values = { ...inherited, ...Object.fromEntries(Object.entries(own).filter(([name]) => name.startsWith("--"))) };
  const attributes: Record<string, string | number | undefined> = {};
  for (const [name, value] of Object.entries(rest)) if (!name.startsWith("data-")) attributes[name] = value;
  for (const [name, value] of Object.entries(own)) {
    if (name.startsWith("--") || NOT_SVG.test(name)) continue;
    const resolved = resolve(value, variables);
    if (resolved !== null) attributes[name] = name === "font-family" ? (value.includes("monospace") ? CODE : FONT) : name === "font-weight" ? weight(resolved) : resolved;
  }
  return { tag: drawing.tag, attributes: attributes as Attributes, children: drawing.children.map((child) => (typeof child === "string" ? child : flat(child, sheet, variables))) };
}

/** The weights that every font has. */
function weight(value: string): string {
  return Number(value) > 550 ? "bold" : "normal";
}

/** What a file is drawn on: what the page's own light ground prints as a tint. */
const PAPER = "#ffffff";

/** The drawing as an SVG file that needs no style sheet: on white, or light on the ground of a dark page. */
export function toStandalone(drawing: Shape, css: string, dark = false): string {
  const read = readSheet(css, dark);
  const ground = (dark ? read.variables["--ground"] : undefined) ?? PAPER;
  const sheet: Sheet = { ...read, variables: { ...read.variables, "--ground": ground } };
  const whole = flat(drawing, sheet, sheet.variables);
  const [x, y] = boxOf(drawing);
  const own = shape("svg", { xmlns: SVG, ...whole.attributes }, shape("rect", { x, y, width: "100%", height: "100%", fill: ground }), ...whole.children);
  return `${toText(own)}\n`;
}

function boxOf({ attributes }: Shape): readonly [x: number, y: number, width: number, height: number] {
  const [x = 0, y = 0, width = 0, height = 0] = String(attributes["viewBox"] ?? "").split(/\s+/).filter((t) => t !== "").map(Number);
  return [x, y, width, height];
}

/** A 15-pixel letter of the heavier weight, on average: of DejaVu Sans, the widest of the fonts. */
const TITLE_LETTER = 10;
/** From a line of a title to its next. */
const TITLE_LINE = 20;

/** The drawing with a title above it, in as many lines as it needs; an empty title leaves it as it is. */
export function entitled(drawing: Shape, title: string): Shape {
  const [x, y, width, height] = boxOf(drawing);
  if (title.trim() === "" || width === 0) return drawing;
  const lines = wrapped(title, Math.floor((width - 8) / TITLE_LETTER));
  const room = lines.length * TITLE_LINE + 12;
  const texts = lines.map((text, i) => shape("text", { class: "title", x: n(x + 4), y: n(y - room + 18 + i * TITLE_LINE) }, text));
  return { ...drawing, attributes: { ...drawing.attributes, viewBox: `${n(x)} ${n(y - room)} ${n(width)} ${n(height + room)}`, height: n(height + room) }, children: [...drawing.children, ...texts] };
}

/** What a drawing is called: its `title`. */
export function titleOf(drawing: Shape): string {
  const own = drawing.children.find((child): child is Shape => typeof child !== "string" && child.tag === "title");
  return own?.children.filter((child) => typeof child === "string").join("") ?? "";
}
