/**
 * Progress of thousands of like parts, on stderr: how many, how many a second, and how long it still takes.
 * On a terminal a line that changes; in a pipe a line now and then.
 */

import { type Screen, spoken } from "./progress.ts";

export class Pace {
  readonly #total: number;
  readonly #kept: number;
  readonly #screen: Screen | null;
  readonly #now: () => number;
  readonly #started: number;
  #done: number;
  #shownAt = Number.NEGATIVE_INFINITY;

  /** `kept` were done by an earlier call. */
  constructor(
    total: number,
    kept: number,
    quiet: boolean,
    screen: Screen = process.stderr,
    now = (): number => performance.now() / 1e3,
  ) {
    this.#total = total;
    this.#kept = kept;
    this.#done = kept;
    this.#screen = quiet ? null : screen;
    this.#now = now;
    this.#started = now();
    if (kept > 0) this.#screen?.write(`${kept} of ${total} are there from before\n`);
  }

  finish(): void {
    this.#done += 1;
    const every = this.#screen?.isTTY === true ? 0.5 : 30;
    if (this.#now() - this.#shownAt < every) return;
    this.#shownAt = this.#now();
    this.#show();
  }

  end(): void {
    if (this.#done === this.#kept) return;
    this.#show();
    if (this.#screen?.isTTY === true) this.#screen.write("\n");
  }

  #show(): void {
    const spent = this.#now() - this.#started;
    const perSecond = (this.#done - this.#kept) / Math.max(spent, 1e-3);
    const left = (this.#total - this.#done) / perSecond;
    const times = `${spoken(spent)}, ${spoken(left)} left`;
    const line = `[${this.#done}/${this.#total}] ${perSecond.toFixed(1)}/s (${times})`;
    this.#screen?.write(this.#screen.isTTY === true ? `\r\x1b[2K${line}` : `${line}\n`);
  }
}
