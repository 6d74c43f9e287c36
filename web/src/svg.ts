// A drawing as plain data, so that the same code draws in the page and, under node, into a file.

export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface Shape {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly (Shape | string)[];
}

export function shape(tag: string, attributes: Attributes = {}, ...children: readonly (Shape | string)[]): Shape {
  return { tag, attributes, children };
}

/** A number short enough for a path; a hundredth of a pixel is below what is seen. */
export function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

const SVG = "http://www.w3.org/2000/svg";

/** The drawing as nodes of the page. */
export function toDom(drawing: Shape): SVGElement {
  const element = document.createElementNS(SVG, drawing.tag);
  for (const [name, value] of Object.entries(drawing.attributes)) {
    if (value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of drawing.children) {
    element.append(typeof child === "string" ? child : toDom(child));
  }
  return element;
}

function escape(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

/** The drawing as text. */
export function toText(drawing: Shape, indent = ""): string {
  const attributes = Object.entries(drawing.attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join("");
  if (drawing.children.length === 0) return `${indent}<${drawing.tag}${attributes}/>`;
  const text = drawing.children.some((child) => typeof child === "string");
  const inner = drawing.children.map((child) =>
    typeof child === "string" ? escape(child) : toText(child, text ? "" : indent + "  "));
  return text
    ? `${indent}<${drawing.tag}${attributes}>${inner.join("")}</${drawing.tag}>`
    : `${indent}<${drawing.tag}${attributes}>\n${inner.join("\n")}\n${indent}</${drawing.tag}>`;
}

/** A file of its own: the drawing with the colours it needs, on a ground of its own, in light and dark. */
export function toFile(drawing: Shape, style: string): string {
  const own = shape("svg", { xmlns: SVG, ...drawing.attributes }, shape("style", {}, style),
    shape("rect", { class: "ground", width: "100%", height: "100%" }), ...drawing.children);
  return `${toText(own)}\n`;
}
