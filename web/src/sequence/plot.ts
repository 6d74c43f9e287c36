// The time–sequence plot: what was sent, acknowledged and sent again, from the whole transfer to single segments.
// Kinds differ in shape as well as colour: data are upright bars, acknowledgements a staircase, SACK blocks bars with
// feet, retransmissions triangles with an R.

import { h, plural } from "../dom";
import { exports } from "../drawn";
import * as format from "../format";
import { isOnPaper, onRedraw, PAPER_WIDTH } from "../paper";
import type { Follower, TimeBus } from "../time/bus";
import type { Ribbon, Sequence, SequenceKind } from "../types";
import { byteLabel, ticks, timeLabel } from "./axis";
import { drawSequence, endOf } from "./figure";
import { complete, expand, nearest, total, type Burst, type Detail, type Event } from "./burst";
import { letterOf, marks } from "./marks";
import { drawRibbons, ribbonAt, ribbonKey, rows } from "./ribbon";
import { firstLoss, opening, pan, segments, spanned, whole, zoom, type View } from "./view";

const HEIGHT = 460;
const LEFT = 84;
const AXIS = 34;
/** Height of a row of spans below the plot. */
const ROW = 14;
const TOP = 12;
/** On paper, dots for each pixel of the drawing. */
const PAPER_RATIO = 3;
/** Events closer than this many pixels are drawn as one stroke. */
const RESOLUTION = 2.5;
const ORDER: readonly SequenceKind[] = ["window", "data", "sack", "ack", "retransmit"];
const NAMES: Readonly<Record<SequenceKind, string>> = { data: "segment", ack: "ACK", sack: "SACK block", retransmit: "retransmission", window: "window update" };

interface Frame {
  readonly x: (t: number) => number;
  readonly y: (s: number) => number;
  readonly t: (x: number) => number;
  readonly s: (y: number) => number;
  readonly width: number;
  /** Pixels below the plot: its axis and the rows of spans. */
  readonly bottom: number;
}

function frame(view: View, width: number, bottom: number): Frame {
  const w = width - LEFT - 8;
  const hgt = HEIGHT - TOP - bottom;
  const kx = w / (view.t1 - view.t0);
  const ky = hgt / (view.s1 - view.s0);
  return {
    width, bottom, x: (t) => LEFT + (t - view.t0) * kx, y: (s) => TOP + hgt - (s - view.s0) * ky,
    t: (x) => view.t0 + (x - LEFT) / kx, s: (y) => view.s0 + (TOP + hgt - y) / ky,
  };
}

class Plot implements Follower {
  readonly element: HTMLElement;
  readonly #canvas = h("canvas", { class: "sequence-canvas", tabindex: 0, role: "img" });
  readonly #tip = h("output", { class: "sequence-tip" });
  readonly #bursts: readonly Burst[];
  readonly #ribbons: readonly Ribbon[];
  readonly #bottom: number;
  readonly #byKind: ReadonlyMap<SequenceKind, readonly Burst[]>;
  readonly #bus: TimeBus;
  readonly #all: View;
  #view: View;
  #cursor: number | null = null;
  #box: { x0: number; y0: number; x1: number; y1: number } | null = null;
  #pan: { x: number; y: number } | null = null;
  readonly #fingers = new Map<number, { x: number; y: number }>();
  #waiting = false;

  constructor(sequence: Sequence, name: string, bus: TimeBus, file: string, title: string) {
    this.#bursts = sequence.bursts.map(complete);
    this.#ribbons = sequence.ribbons ?? [];
    this.#bottom = AXIS + ROW * rows(this.#ribbons).length;
    this.#byKind = new Map(ORDER.map((kind) => [kind, this.#bursts.filter((b) => b.kind === kind)]));
    this.#bus = bus;
    this.#all = whole(this.#bursts);
    this.#view = this.#all;
    const kinds = ORDER.filter((kind) => (this.#byKind.get(kind)?.length ?? 0) > 0)
      .map((kind) => plural(total(this.#byKind.get(kind) ?? []), NAMES[kind]).replace(/^\d+/, (d) => format.count(Number(d))));
    this.#canvas.setAttribute("aria-label", `Time–sequence plot of ${name}: ${kinds.join(", ")}`);
    this.element = h("figure", { class: "sequence" },
      h("div", { class: "figure-head" }, h("figcaption", {}, `${name}: ${kinds.join(", ")}`, h("span", { class: "plot-hint" }, ` ${said(sequence)}`)),
        exports(file, (width) => drawSequence(sequence, { id: file, title: name, describe: kinds.join(", "), width, view: this.#view }), title)),
      this.#buttons(), h("div", { class: "sequence-frame" }, this.#canvas, this.#tip), key(kindsOf(this.#bursts)), ribbonKey(this.#ribbons));
    this.#listen();
    bus.join(this);
    new ResizeObserver(() => this.#draw()).observe(this.#canvas);
  }

  cursor(seconds: number | null): void {
    this.#cursor = seconds === null ? null : seconds * 1e9;
    this.#later();
  }

  span(span: readonly [number, number] | null): void {
    if (!span) return this.#show(this.#all, false);
    const [t0, t1] = [span[0] * 1e9, span[1] * 1e9];
    this.#show(spanned(this.#bursts, t0, t1) ?? { ...this.#view, t0, t1 }, false);
  }

  #buttons(): HTMLElement {
    const to = (name: string, view: View | null): HTMLButtonElement | null => {
      if (!view) return null;
      const button = h("button", { type: "button" }, name);
      button.addEventListener("click", () => this.#show(view));
      return button;
    };
    const step = (name: string, label: string, factor: number): HTMLButtonElement => {
      const button = h("button", { type: "button", "aria-label": label, title: label }, name);
      button.addEventListener("click", () => this.#zoomMiddle(factor));
      return button;
    };
    return h("div", { class: "buttons" }, to("Whole transfer", this.#all), to("Opening rounds", opening(this.#bursts)),
      to("First retransmission", firstLoss(this.#bursts)), to("Single segments", segments(this.#bursts)),
      step("+", "Closer", 0.5), step("−", "Further", 2));
  }

  /** Zooms about the curve, not about empty space: the event nearest to the middle keeps its place. */
  #zoomMiddle(factor: number): void {
    const v = this.#view;
    const f = this.#frame();
    const [mx, my] = [(LEFT + f.width) / 2, HEIGHT / 2];
    const e = nearest(this.#bursts, (v.t0 + v.t1) / 2, (c) => Math.hypot(f.x(c.t) - mx, f.y(c.seq) - my));
    const shown = e && e.t >= v.t0 && e.t <= v.t1 && e.seq >= v.s0 && e.seq <= v.s1;
    this.#show(zoom(v, shown ? e.t : (v.t0 + v.t1) / 2, shown ? e.seq : (v.s0 + v.s1) / 2, factor));
  }

  #show(view: View, tell = true): void {
    this.#view = view;
    if (tell) this.#bus.span(this, view === this.#all ? null : [Math.max(0, view.t0) / 1e9, view.t1 / 1e9]);
    this.#later();
  }

  #frame(): Frame {
    return frame(this.#view, Math.max(200, this.#width()), this.#bottom);
  }

  /** How wide it is drawn: paper has a width that no layout has yet when a print begins. */
  #width(): number {
    return isOnPaper() ? PAPER_WIDTH : this.#canvas.clientWidth;
  }

  #later(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#draw();
    });
  }

  #listen(): void {
    const c = this.#canvas;
    c.addEventListener("wheel", (e) => {
      // A page that swallows scrolling is a nuisance: the wheel zooms once the plot has been clicked, or with Ctrl.
      if (document.activeElement !== c && !e.ctrlKey) return;
      e.preventDefault();
      const f = this.#frame();
      const factor = Math.exp(Math.max(-1, Math.min(1, e.deltaY / 240)));
      const at = this.#anchor(f, e);
      this.#show(zoom(this.#view, at.t, at.seq, e.altKey ? 1 : factor, e.shiftKey ? 1 : factor));
    }, { passive: false });
    c.addEventListener("pointerdown", (e) => this.#down(e));
    c.addEventListener("pointermove", (e) => this.#move(e));
    for (const end of ["pointerup", "pointercancel"] as const) c.addEventListener(end, (e) => this.#up(e));
    c.addEventListener("pointerleave", () => {
      this.#bus.cursor(this, null);
      this.#tip.textContent = "";
    });
    c.addEventListener("dblclick", () => this.#show(this.#all));
    c.addEventListener("keydown", (e) => this.#key(e));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#later());
    onRedraw(() => this.#draw());
  }

  /** What keeps its place: the event under the pointer, so that the curve does not slip away, or else the point itself. */
  #anchor(f: Frame, at: { readonly offsetX: number; readonly offsetY: number }): { readonly t: number; readonly seq: number } {
    const away = (c: Event): number => Math.hypot(f.x(c.t) - at.offsetX, f.y(c.seq) - at.offsetY);
    const e = nearest(this.#bursts, f.t(at.offsetX), away);
    return e && away(e) < 24 ? e : { t: f.t(at.offsetX), seq: f.s(at.offsetY) };
  }

  #key(e: KeyboardEvent): void {
    const views: Readonly<Record<string, () => View>> = {
      ArrowLeft: () => pan(this.#view, -0.2, 0), ArrowRight: () => pan(this.#view, 0.2, 0),
      ArrowUp: () => pan(this.#view, 0, 0.2), ArrowDown: () => pan(this.#view, 0, -0.2), "0": () => this.#all,
    };
    const view = views[e.key];
    if (view) this.#show(view());
    else if (e.key === "+" || e.key === "=") this.#zoomMiddle(0.5);
    else if (e.key === "-") this.#zoomMiddle(2);
    else return;
    e.preventDefault();
  }

  #down(e: PointerEvent): void {
    const at = { x: e.offsetX, y: e.offsetY };
    this.#fingers.set(e.pointerId, at);
    if (e.pointerType === "touch") return;
    this.#canvas.setPointerCapture(e.pointerId);
    if (e.shiftKey || e.button === 1) this.#pan = at;
    else this.#box = { x0: at.x, y0: at.y, x1: at.x, y1: at.y };
  }

  #move(e: PointerEvent): void {
    const f = this.#frame();
    const at = { x: e.offsetX, y: e.offsetY };
    if (this.#fingers.has(e.pointerId) && this.#fingers.size === 2) return this.#pinch(e.pointerId, at);
    if (this.#box) this.#box = { ...this.#box, x1: at.x, y1: at.y };
    if (this.#pan) {
      const height = HEIGHT - TOP - this.#bottom;
      this.#show(pan(this.#view, (this.#pan.x - at.x) / (f.width - LEFT - 8), (at.y - this.#pan.y) / height));
      this.#pan = at;
    }
    this.#cursor = f.t(at.x);
    this.#bus.cursor(this, this.#cursor / 1e9);
    this.#point(f, at);
    this.#later();
  }

  /** Two fingers: what was under each stays under it, as far as one zoom about their middle can do. */
  #pinch(id: number, at: { x: number; y: number }): void {
    const before = [...this.#fingers.values()];
    this.#fingers.set(id, at);
    const after = [...this.#fingers.values()];
    const [p, q, r, s] = [before[0]!, before[1]!, after[0]!, after[1]!];
    const distance = (a: typeof p, b: typeof p): number => Math.max(20, Math.hypot(a.x - b.x, a.y - b.y));
    const f = this.#frame();
    const middle = { x: (r.x + s.x) / 2, y: (r.y + s.y) / 2 };
    const moved = pan(this.#view, ((p.x + q.x) / 2 - middle.x) / (f.width - LEFT - 8),
      (middle.y - (p.y + q.y) / 2) / (HEIGHT - TOP - this.#bottom));
    const g = frame(moved, f.width, this.#bottom);
    this.#show(zoom(moved, g.t(middle.x), g.s(middle.y), distance(p, q) / distance(r, s)));
  }

  #up(e: PointerEvent): void {
    this.#fingers.delete(e.pointerId);
    this.#pan = null;
    const box = this.#box;
    this.#box = null;
    if (!box || Math.abs(box.x1 - box.x0) < 6 || Math.abs(box.y1 - box.y0) < 6) return this.#later();
    const f = this.#frame();
    this.#show({
      t0: f.t(Math.min(box.x0, box.x1)), t1: f.t(Math.max(box.x0, box.x1)),
      s0: f.s(Math.max(box.y0, box.y1)), s1: f.s(Math.min(box.y0, box.y1)),
    });
  }

  #point(f: Frame, at: { x: number; y: number }): void {
    const ribbon = ribbonAt(this.#ribbons, f.t(at.x), Math.floor((at.y - HEIGHT + f.bottom) / ROW));
    if (ribbon) {
      this.#tip.textContent = `${(ribbon.from_ns / 1e9).toFixed(3)} s to ${(ribbon.until_ns / 1e9).toFixed(3)} s · ${ribbon.text}`;
      return;
    }
    const e = nearest(this.#bursts, f.t(at.x), (c) => Math.hypot(f.x(c.t) - at.x, f.y(c.seq + c.len / 2) - at.y));
    const near = e && Math.hypot(f.x(e.t) - at.x, Math.max(0, Math.abs(f.y(e.seq + e.len / 2) - at.y) - Math.abs(f.y(e.len) - f.y(0)) / 2)) < 14;
    this.#tip.textContent = near ? this.#words(e) : "";
  }

  #words(e: Event): string {
    const at = `${(e.t / 1e9).toFixed(6)} s`;
    if (e.kind === "window") return `${at} · the receiver's window ends at byte ${format.count(e.seq)}`;
    const bytes = e.kind === "ack" ? `everything before byte ${format.count(e.seq)}` : `bytes ${format.count(e.seq)} to ${format.count(e.seq + e.len)}`;
    return `${at} · ${NAMES[e.kind]}${e.label ? ` (${e.label})` : ""}: ${bytes}`;
  }

  #draw(): void {
    const width = this.#width();
    if (width === 0) return;
    const ratio = isOnPaper() ? PAPER_RATIO : devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(HEIGHT * ratio);
    const g = this.#canvas.getContext("2d");
    if (!g) return;
    g.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const f = this.#frame();
    // What is shown, for a reader of the page that is a program.
    this.#canvas.dataset["view"] = Object.values(this.#view).join(" ");
    axes(g, f, this.#view, colour);
    drawRibbons(g, this.#ribbons, { x: f.x, left: LEFT, right: f.width - 8, top: HEIGHT - f.bottom, row: ROW, colour });
    g.save();
    g.beginPath();
    g.rect(LEFT, TOP, width - LEFT - 8, HEIGHT - TOP - this.#bottom);
    g.clip();
    const v = this.#view;
    const px = { t: (width - LEFT - 8) / (v.t1 - v.t0), s: (HEIGHT - TOP - this.#bottom) / (v.s1 - v.s0) };
    const resolution = { t: RESOLUTION / px.t, s: RESOLUTION / px.s };
    for (const kind of ORDER) {
      const detail = expand(this.#byKind.get(kind) ?? [], v.t0, v.t1, resolution);
      g.strokeStyle = g.fillStyle = colour(`--seq-${kind}`);
      for (const s of detail.strokes) drawStroke(g, f, s.from, s.to);
      drawEvents(g, f, kind, detail);
    }
    g.fillStyle = colour("--seq-retransmit");
    for (const e of marks(this.#byKind.get("retransmit") ?? [], v, px)) triangle(g, f.x(e.t), f.y(e.seq + e.len), letterOf(e));
    if (this.#cursor !== null) {
      g.strokeStyle = colour("--muted");
      g.lineWidth = 1;
      g.setLineDash([3, 3]);
      segment(g, f.x(this.#cursor), TOP, f.x(this.#cursor), HEIGHT - this.#bottom);
    }
    if (this.#box) {
      const b = this.#box;
      g.strokeStyle = colour("--ink");
      g.setLineDash([4, 3]);
      g.strokeRect(b.x0, b.y0, b.x1 - b.x0, b.y1 - b.y0);
    }
    g.restore();
  }
}

function segment(g: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}

function axes(g: CanvasRenderingContext2D, f: Frame, v: View, colour: (name: string) => string): void {
  const bottom = HEIGHT - f.bottom;
  const ts = ticks(v.t0, v.t1, Math.max(2, f.width / 150));
  const ss = ticks(v.s0, v.s1, 7);
  g.font = "11px system-ui, sans-serif";
  g.lineWidth = 1;
  g.fillStyle = colour("--muted");
  g.strokeStyle = colour("--faint");
  g.textAlign = "center";
  for (const t of ts) {
    segment(g, f.x(t), TOP, f.x(t), bottom);
    g.fillText(timeLabel(t, (ts[1] ?? 1e9) - (ts[0] ?? 0)), f.x(t), HEIGHT - AXIS + 18);
  }
  g.textAlign = "right";
  const step = (ss[1] ?? 1) - (ss[0] ?? 0);
  const [base = 0] = ss;
  // Where the numbers have no room, they count from the lowest, which is written out in the plot.
  const long = byteLabel(ss.at(-1) ?? 0, step).length > 11;
  for (const s of ss) {
    segment(g, LEFT, f.y(s), f.width - 8, f.y(s));
    if (!long || s !== base) g.fillText(long ? `+${byteLabel(s - base, step)}` : byteLabel(s, step), LEFT - 8, f.y(s) + 4);
  }
  if (long) {
    g.textAlign = "left";
    g.fillText(`byte ${format.count(base)}`, LEFT + 6, f.y(base) - 5);
  }
  g.strokeStyle = colour("--muted");
  segment(g, LEFT, bottom, f.width - 8, bottom);
}

/** A dense stretch: a band as high as what its events cover, at least a line. */
function drawStroke(g: CanvasRenderingContext2D, f: Frame, from: Event, to: Event): void {
  const [x0, x1] = [f.x(from.t), Math.max(f.x(to.t), f.x(from.t) + 1)];
  const thick = from.len > 0 ? Math.abs(f.y(from.len) - f.y(0)) : 0;
  g.lineWidth = 1.8;
  segment(g, x0, f.y(from.seq), x1, f.y(to.seq));
  if (thick < 2) return;
  g.beginPath();
  g.moveTo(x0, f.y(from.seq));
  g.lineTo(x1, f.y(to.seq));
  g.lineTo(x1, f.y(to.seq + to.len));
  g.lineTo(x0, f.y(from.seq + from.len));
  g.fill();
}

function drawEvents(g: CanvasRenderingContext2D, f: Frame, kind: SequenceKind, { events, after }: Detail): void {
  const stepped = kind === "ack" || kind === "window";
  g.lineWidth = stepped ? 1.4 : 2;
  let before: Event | null = null;
  for (const [i, e] of events.entries()) {
    before = after.get(i) ?? before;
    const [x, low, high] = [f.x(e.t), f.y(e.seq), f.y(e.seq + e.len)];
    if (stepped) {
      if (before && e.t >= before.t && e.seq >= before.seq) stair(g, f, before, x, low);
      if (kind === "ack") {
        g.beginPath();
        g.arc(x, low, 2.2, 0, 7);
        g.fill();
      }
      before = e;
      continue;
    }
    segment(g, x, low, x, Math.min(high, low - 1));
    const tall = low - high > 9;
    if (kind === "data" && tall) arrow(g, x, high);
    if (kind === "sack" && tall) {
      segment(g, x - 3, low, x + 3, low);
      segment(g, x - 3, high, x + 3, high);
    }
  }
}

function stair(g: CanvasRenderingContext2D, f: Frame, before: Event, x: number, y: number): void {
  g.beginPath();
  g.moveTo(f.x(before.t), f.y(before.seq));
  g.lineTo(x, f.y(before.seq));
  g.lineTo(x, y);
  g.stroke();
}

function arrow(g: CanvasRenderingContext2D, x: number, y: number): void {
  g.beginPath();
  g.moveTo(x - 3, y + 4);
  g.lineTo(x, y);
  g.lineTo(x + 3, y + 4);
  g.stroke();
}

/** The mark of a retransmission, its point at `y`. */
function triangle(g: CanvasRenderingContext2D, x: number, y: number, letter: string): void {
  g.beginPath();
  g.moveTo(x, y - 1);
  g.lineTo(x - 6, y - 12);
  g.lineTo(x + 6, y - 12);
  g.closePath();
  g.fill();
  g.font = "bold 11px system-ui, sans-serif";
  g.textAlign = "center";
  g.fillText(letter, x, y - 15);
}

function kindsOf(bursts: readonly Burst[]): ReadonlySet<string> {
  return new Set(bursts.flatMap((b) => (b.label ? [b.kind, "label"] : [b.kind])));
}

function key(kinds: ReadonlySet<string>): HTMLElement {
  const entry = (kind: string, text: string): HTMLElement => h("li", {}, h("span", { class: `seq-key seq-${kind}`, "aria-hidden": "true" }), text);
  return h("div", { class: "sequence-key" },
    h("ul", {}, entry("data", "data: upright bars"), entry("ack", "ACKs: a staircase"), entry("sack", "SACK blocks: bars with feet"),
      entry("retransmit", kinds.has("label") ? "sent again or late: triangles with the first letter of the class, one for many that stand together" : "retransmissions: triangles marked R, one for many that stand together"),
      kinds.has("window") ? entry("window", "end of the receiver's window: a staircase above") : null),
    h("p", { class: "hint" }, "Drag a box to zoom; shift-drag moves; the wheel zooms after a click (shift: time only, alt: bytes only); "
      + "two fingers zoom; double-click or 0 shows everything; + − and the arrow keys work too."));
}

/** What the trace is, and what of it is kept. */
function said(sequence: Sequence): string {
  const time = (ns: number): string => `${(ns / 1e9).toFixed(2)} s`;
  const spans = (sequence.detail_ns ?? []).map(([from, until]) => `${time(from)} to ${time(until)}`);
  return [`${sequence.origin === "captured" ? "As captured" : `At the sender, ${sequence.origin}`}: upwards the bytes of the stream, to the right time.`,
    spans.length > 0 ? `Single segments are kept from ${spans.join(" and from ")}; elsewhere a stroke stands for many.` : "",
    endOf(sequence),
  ].filter((text) => text !== "").join(" ");
}

/** The plot of one stream. */
export function sequencePlot(sequence: Sequence, name: string, bus: TimeBus, file: string, title = `segments of ${name}`): HTMLElement {
  return new Plot(sequence, name, bus, file, title).element;
}
