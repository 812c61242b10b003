/**
 * Progress for people, on stderr: one line that changes on a terminal, plain lines in a pipe. The time left
 * is told from the first moment on: what the parts are expected to take, and once some are done, so many
 * times as much as those took longer than expected.
 */

export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export class Progress {
  readonly #expected: readonly number[];
  readonly #screen: Screen | null;
  readonly #now: () => number;
  readonly #started: number;
  readonly #redraw: NodeJS.Timeout | null = null;
  #began: number;
  #spent = 0;
  #done = 0;
  #what = "";

  /** Seconds that each part will take, in their order; 0 for those that are there already. */
  constructor(
    expected: readonly number[],
    quiet: boolean,
    screen: Screen = process.stderr,
    now = (): number => performance.now() / 1e3,
  ) {
    this.#expected = expected;
    this.#screen = quiet ? null : screen;
    this.#now = now;
    this.#started = now();
    this.#began = this.#started;
    if (!quiet && screen.isTTY === true)
      this.#redraw = setInterval(() => this.#show(this.#what, false), 1000).unref();
  }

  /** What is under way: the next part, or another phase of it. */
  begin(what: string): void {
    this.#show(what, false);
  }

  /** The part that was under way is done. */
  finish(what: string): void {
    const now = this.#now();
    if (this.#expected[this.#done] !== 0) this.#spent += now - this.#began;
    this.#began = now;
    this.#done += 1;
    this.#show(what, true);
  }

  end(): void {
    if (this.#redraw === null) return;
    clearInterval(this.#redraw);
    this.#screen?.write("\n");
  }

  #left(): number {
    const sum = (seconds: readonly number[]): number => seconds.reduce((all, one) => all + one, 0);
    const foreseen = sum(this.#expected.slice(0, this.#done));
    const stretch = foreseen === 0 ? 1 : this.#spent / foreseen;
    const current = stretch * (this.#expected[this.#done] ?? 0) - (this.#now() - this.#began);
    return Math.max(0, current) + stretch * sum(this.#expected.slice(this.#done + 1));
  }

  #show(what: string, finished: boolean): void {
    this.#what = what;
    if (this.#screen === null) return;
    const total = this.#expected.length;
    const times = `${spoken(this.#now() - this.#started)}, ${spoken(this.#left())} left`;
    const line = `[${this.#done}/${total}] ${what} (${times})`;
    if (this.#redraw !== null) this.#screen.write(`\r\x1b[2K${line}`);
    else if (finished || total === 1) this.#screen.write(`${line}\n`);
  }
}

/** For people. */
export function spoken(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
