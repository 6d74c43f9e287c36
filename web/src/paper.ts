// The page on paper: it is white, as wide as a sheet whatever the reader's screen, and nothing on it can be opened.

/** What A4 has between its margins, in pixels. */
export const PAPER_WIDTH = 720;
/** Of a `details` that is open on paper. */
export const OPEN_ON_PAPER = "open-on-paper";

/** Whether the page is being printed. */
export function isOnPaper(): boolean {
  return document.documentElement.classList.contains("paper");
}

/** Calls `draw` when a print begins and when it is over: what was drawn for the screen is drawn for paper, and again for the screen. */
export function onRedraw(draw: () => void): void {
  addEventListener("farpath-redraw", draw);
}

/** Draws everything for paper while the page is printed, and opens what a reader of paper cannot. */
export function forPaper(): void {
  let opened: HTMLDetailsElement[] = [];
  const set = (print: boolean) => (): void => {
    if (print) opened = [...opened, ...document.querySelectorAll<HTMLDetailsElement>(`details.${OPEN_ON_PAPER}:not([open])`)];
    for (const one of opened) one.open = print;
    if (!print) opened = [];
    document.documentElement.classList.toggle("paper", print);
    dispatchEvent(new Event("farpath-redraw"));
  };
  addEventListener("beforeprint", set(true));
  addEventListener("afterprint", set(false));
}
