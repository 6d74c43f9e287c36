// Lines and dots on a bar that tell it from others without its colour. They are drawn as they are and not as a pattern, which not every
// program that reads SVG knows.

import { n } from "../svg";

interface Room {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** From a line to the next. */
const STEP = 6;

/** Places of lines in a stretch, the first half a step from its end; the middle of a short one. */
function places(from: number, to: number, step = STEP): number[] {
  const count = Math.ceil((to - from - step / 2) / step);
  return count < 1 ? [(from + to) / 2] : Array.from({ length: count }, (_, i) => from + step / 2 + i * step);
}

/** Lines that rise or fall by 45 degrees. */
function slanted({ x, y, width, height }: Room, rises: boolean): string {
  return places(0, width + height, STEP * Math.SQRT2).map((c) => {
    // A line is where the distances from the left edge and from the foot add up to c.
    const [from, to] = [Math.max(0, c - height), Math.min(width, c)];
    const level = (along: number): number => (rises ? y + c - along : y + height - (c - along));
    return `M${n(x + from)},${n(level(from))}L${n(x + to)},${n(level(to))}`;
  }).join("");
}

function level({ x, y, width, height }: Room): string {
  return places(0, height).map((at) => `M${n(x)},${n(y + height - at)}h${n(width)}`).join("");
}

function upright({ x, y, width, height }: Room): string {
  return places(0, width).map((at) => `M${n(x + at)},${n(y)}v${n(height)}`).join("");
}

function dots(room: Room): string {
  const [columns, rows] = [places(0, room.width), places(0, room.height)];
  return columns.flatMap((at) => rows.map((up) => `M${n(room.x + Math.max(0, at - 1))},${n(room.y + room.height - up)}h${n(Math.min(2, room.width))}`)).join("");
}

const HATCHES: readonly ((room: Room) => string)[] = [
  () => "", (room) => slanted(room, true), level, (room) => slanted(room, false), upright, (room) => slanted(room, true) + slanted(room, false), dots,
  (room) => level(room) + upright(room),
];

/** The hatch of a number as the outline of a path, within the room; empty for none. */
export function hatch(number: number, room: Room): string {
  return HATCHES[number % HATCHES.length]!(room);
}
