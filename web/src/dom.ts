// Elements of the page. Text is always set as text, never as markup.

type Child = Node | string | null | undefined | false;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Readonly<Record<string, string | number | boolean | undefined>> = {}, ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** A section of the page, in its table of contents under `name`. */
export function section(id: string, name: string, ...children: readonly Child[]): HTMLElement {
  return h("section", { id, "aria-labelledby": `${id}-head` }, h("h2", { id: `${id}-head` }, name), ...children);
}

/** Marks as `wide` what holds more than its frame shows, and as `goes-on` while some of that is right of it: the style sheet says so. */
export function sideways(frame: HTMLElement): void {
  const mark = (): void => {
    const beyond = frame.scrollWidth - frame.clientWidth;
    frame.classList.toggle("wide", beyond > 2);
    frame.classList.toggle("goes-on", beyond - frame.scrollLeft > 2);
  };
  frame.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(frame);
}

/** A wide thing that scrolls inside its own frame on a narrow screen. */
export function scroller(label: string, ...children: readonly Child[]): HTMLElement {
  const frame = h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": label }, ...children);
  sideways(frame);
  return frame;
}

/** Offers a text as a file. */
export function download(name: string, type: string, text: () => string): HTMLButtonElement {
  const button = h("button", { type: "button" }, `Download ${name}`);
  button.addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([text()], { type }));
    const anchor = h("a", { href: url, download: name });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
  return button;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
