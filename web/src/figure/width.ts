// How wide a text is, in a font that is wider than most: a drawing knows no browser.

/** Letters of DejaVu Sans Bold by their advance, in hundredths of the size. Those that are not here are as wide as `WIDE`. */
const ADVANCES: readonly (readonly [hundredths: number, letters: string])[] = [
  [20, "\u202f"], [31, "'"], [35, "ijl \u00a0"], [38, "/IJ|,."], [40, ":;"], [44, "-f\u2011"], [46, "!()[]"], [50, "tr_`\u2013"], [53, "\"*"], [60, "?zcs"],
  [66, "Lvxy"], [69, "akEFTeo"], [72, "$0123456789hnu{}SYbdgpq"], [77, "CPZBAKRVX"], [83, "UGD"], [85, "#+<=>HN^~OQ"], [93, "&w"],
];
/** In the same: of `%@Mm`, and W. */
const [WIDE, WIDEST] = [104, 110];

const OF: ReadonlyMap<string, number> = new Map([...ADVANCES.flatMap(([width, letters]) => [...letters].map((letter) => [letter, width] as const)), ["W", WIDEST]]);

/** The regular weight is narrower than this share of the bold one. */
const REGULAR = 0.94;

/** At most so many pixels, in letters of `size` pixels of the heavier weight. */
export function boldWidth(text: string, size = 12): number {
  return ([...text].reduce((sum, letter) => sum + (OF.get(letter) ?? WIDE), 0) * size) / 100;
}

/** The same in the regular weight. */
export function textWidth(text: string, size = 12): number {
  return boldWidth(text, size) * REGULAR;
}
