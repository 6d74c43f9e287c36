// A figure of the page: drawn again at every width, and offered as a file.

import { h } from "./dom";
import { entitled, titleOf, toStandalone } from "./export";
import style from "./figure.css?raw";
import { rangeOf, type Quantity, type Range } from "./format";
import { isOnPaper, onRedraw, PAPER_WIDTH } from "./paper";
import { METRICS } from "./registry";
import { toDom, type Shape } from "./svg";

/** How wide a file may be drawn, whatever the reader's screen. Text keeps its size: it is larger on a slide in a narrower figure. */
const WIDTHS: readonly number[] = [960, 640, 480];
/** How wide a picture of pixels is, however the figure was drawn. */
const PNG_WIDTH = 1920;
/** No figure of the page is wider. */
const WIDEST = 1120;

export interface Drawn {
  /** Of the file, without its ending. */
  readonly file: string;
  readonly title?: string;
  readonly class: string;
  /** Draws it as wide as that, or as near to it as it can; with what of `over` is switched on, and that part of y. */
  readonly draw: (width: number, on?: readonly string[], range?: Range) => Shape;
  /** What its y axis has, where a part of it can be drawn. */
  readonly kind?: Quantity["kind"];
  /** What can be drawn over it. */
  readonly over?: Over;
  /** What stands below it. */
  readonly below?: () => readonly (HTMLElement | null)[];
}

/** What a reader can switch on in a figure. */
export interface Over {
  /** What they all are: `Laws`. */
  readonly name: string;
  readonly of: readonly { readonly name: string; readonly title: string; readonly hint: string; readonly apart?: boolean }[];
  /** Those that are on, in words. */
  readonly words: (on: readonly string[]) => readonly string[];
}

/** A name that every file system takes. */
export function fileName(...parts: readonly string[]): string {
  return parts.map((p) => p.replace(/[^A-Za-z0-9_.+-]+/g, "-").replace(/^-+|-+$/g, "")).filter((p) => p !== "").join("-");
}

/** A metric's name without its unit. */
function unitless(metric: string): string {
  return metric.replace(/_(ns|s|bps|bytes|km|ratio)$/, "");
}

/** Which of these files are asked for by a part of their names, all without one. What is a metric but for its unit means figures of that
 * metric alone, where there are any: `goodput` is `goodput_bps`. */
export function filesWith(part: string | undefined, files: readonly string[]): ReadonlySet<string> {
  const metrics = [...METRICS.keys()].filter((metric) => metric !== part && unitless(metric) === part);
  const exact = metrics.length === 1 ? files.filter((file) => `-${file}-`.includes(`-${metrics[0]!}-`)) : [];
  return new Set(exact.length > 0 ? exact : files.filter((file) => file.includes(part ?? "")));
}

function save(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The drawing as a picture of pixels, `sharp` for each of its own. */
async function toPng(svg: string, sharp: number): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = h("canvas", { width: Math.round(image.naturalWidth * sharp), height: Math.round(image.naturalHeight * sharp) });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("this browser makes no PNG"))), "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** What the titles of files begin with: what was run. */
let run = "";

/** Takes the name of what was run, for every file from here on. */
export function nameRun(name: string): void {
  run = name;
}

/** The title of a figure's file: what was run, and what is drawn of it. */
export function titleInFile(drawing: Shape, title?: string): string {
  return [run, title ?? titleOf(drawing)].filter((text) => text !== "").join(": ");
}

/** How files are drawn: what a reader chooses at one figure holds for all. */
interface FileLook {
  readonly dark: boolean;
  readonly width: number;
}

const LOOKS: readonly FileLook[] = [false, true].flatMap((dark) => WIDTHS.map((width) => ({ dark, width })));
let chosen = 0;

function look(): FileLook {
  return LOOKS[chosen]!;
}

/** On which ground and how wide files are drawn: the same choice beside every figure. */
function lookChoice(): HTMLElement {
  const select = h("select", { class: "export", "aria-label": "Ground and width of downloaded figures", title: "What files are drawn on, and how wide: text is larger on a slide in a narrower one" },
    ...LOOKS.map(({ dark, width }, i) => h("option", { value: i, ...(i === chosen ? { selected: "" } : {}) }, `${dark ? "dark" : "white"}, ${width} px`)));
  select.addEventListener("change", () => {
    chosen = select.selectedIndex;
    for (const other of document.querySelectorAll<HTMLSelectElement>("select.export")) other.selectedIndex = chosen;
  });
  return select;
}

/** A choice and two small buttons: the drawing as SVG and as PNG. */
export function exports(file: string, draw: (width: number) => Shape, title?: string): HTMLElement {
  const text = (): string => {
    const drawing = draw(look().width);
    return toStandalone(entitled(drawing, titleInFile(drawing, title)), style, look().dark);
  };
  const button = (kind: string, act: () => void): HTMLButtonElement => {
    const element = h("button", { type: "button", class: "export", "data-export": `${file}.${kind.toLowerCase()}`, title: `Download this figure as ${kind}` }, kind);
    element.addEventListener("click", act);
    return element;
  };
  const png = button("PNG", () => {
    toPng(text(), PNG_WIDTH / look().width).then((blob) => save(`${file}.png`, blob), (error: unknown) => { png.textContent = `no PNG: ${String(error)}`; });
  });
  return h("span", { class: "exports" }, lookChoice(), button("SVG", () => save(`${file}.svg`, new Blob([text()], { type: "image/svg+xml" }))), png);
}

/** A drawing as wide as its place on the page, drawn again when that changes. */
export function fitted(draw: (width: number) => Shape): HTMLElement {
  return redrawn(draw).holder;
}

/** The same, with what draws it again. */
function redrawn(draw: (width: number) => Shape): { readonly holder: HTMLElement; readonly again: () => void } {
  const holder = h("div", { class: "drawing" });
  const guess = Math.min(WIDEST, document.documentElement.clientWidth - (document.documentElement.clientWidth < 640 ? 32 : 48));
  let width = 0;
  const fit = (wanted: number): void => {
    const now = Math.round(Math.min(WIDEST, wanted));
    if (now <= 0 || now === width) return;
    width = now;
    holder.replaceChildren(toDom(draw(width)));
  };
  fit(guess);
  const measure = (): void => fit(isOnPaper() ? PAPER_WIDTH : holder.clientWidth);
  new ResizeObserver(measure).observe(holder);
  onRedraw(measure);
  return { holder, again: () => { if (width > 0) holder.replaceChildren(toDom(draw(width))); } };
}

/** The names with one more, or without it, in the order of `all`. */
export function switched(all: readonly string[], on: readonly string[], name: string): string[] {
  return all.filter((one) => (one === name ? !on.includes(one) : on.includes(one)));
}

/** A button for each thing that can be drawn over a figure. */
function switches(over: Over, change: (on: readonly string[]) => void): HTMLElement {
  let on: readonly string[] = [];
  const names = over.of.map((one) => one.name);
  const buttons = over.of.map(({ name, title, hint }) => {
    const button = h("button", { type: "button", class: "over", "data-over": name, "aria-pressed": "false", title: hint }, title);
    button.addEventListener("click", () => {
      on = switched(names, on, name);
      button.setAttribute("aria-pressed", String(on.includes(name)));
      change(on);
    });
    return button;
  });
  return h("div", { class: "overs", role: "group", "aria-label": over.name }, h("span", { class: "overs-name" }, over.name), ...buttons);
}

/** What a field for a part of y suggests. */
const EXAMPLES: Readonly<Partial<Record<Quantity["kind"], string>>> = { rate: "0..100 Mbit/s", time: "0..100 ms", size: "0..1 MB" };

/** The part of y that a text asks for: undefined for all of it, null where it is none of that kind. */
export function partOf(text: string, kind: Quantity["kind"]): Range | undefined | null {
  if (text.trim() === "") return undefined;
  const [low = "", high = ""] = text.split("..");
  const range = rangeOf(low, high);
  return range !== null && range[0].kind === kind && range[0].value < range[1].value ? range : null;
}

/** A field for a part of the y axis; empty for all of it. */
function partField(kind: Quantity["kind"], change: (range: Range | undefined) => void): HTMLElement {
  const field = h("input", { type: "text", class: "part", size: 14, placeholder: EXAMPLES[kind] ?? "0..1", "aria-label": "Part of the y axis", title: "Part of the y axis, from the least to the greatest value with units; empty for all of it" });
  field.addEventListener("change", () => {
    const range = partOf(field.value, kind);
    field.setAttribute("aria-invalid", String(range === null));
    if (range !== null) change(range);
  });
  return h("label", { class: "part" }, "y ", field);
}

/** The figure with its title, its buttons and what stands below it. */
export function drawn(figure: Drawn): HTMLElement {
  let on: readonly string[] = [];
  let range: Range | undefined;
  const draw = (width: number): Shape => figure.draw(width, on, range);
  const { holder, again } = redrawn(draw);
  const words = h("ul", { class: "over-words" });
  const { over } = figure;
  const row = over === undefined ? null : switches(over, (now) => {
    on = now;
    words.replaceChildren(...over.words(on).map((text) => h("li", {}, text)));
    again();
  });
  const part = figure.kind === undefined ? null : partField(figure.kind, (now) => {
    range = now;
    again();
  });
  const head = h("div", { class: "figure-head" }, figure.title === undefined ? null : h("h3", {}, figure.title), part, exports(figure.file, draw, figure.title));
  return h("figure", { class: figure.class }, head, row, holder, ...(figure.below?.() ?? []), over === undefined ? null : words);
}
