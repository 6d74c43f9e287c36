// What the plots over time share: where the cursor stands and which span is shown, in seconds since the run began.

export interface Follower {
  cursor(seconds: number | null): void;
  /** Null shows everything. */
  span(span: readonly [number, number] | null): void;
}

export class TimeBus {
  readonly #followers: Follower[] = [];

  /** `whole` is what is shown when nothing is zoomed. */
  constructor(readonly whole: readonly [number, number]) {}

  join(follower: Follower): void {
    this.#followers.push(follower);
  }

  /** Says where the reader points; the plot that says it is left alone. */
  cursor(from: Follower, seconds: number | null): void {
    for (const follower of this.#followers) if (follower !== from) follower.cursor(seconds);
  }

  span(from: Follower, span: readonly [number, number] | null): void {
    for (const follower of this.#followers) if (follower !== from) follower.span(span);
  }
}
