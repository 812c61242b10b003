/** Progress for people, on stderr: one line that changes on a terminal, plain lines in a pipe. */

export class Progress {
  readonly #quiet: boolean;
  readonly #total: number;
  readonly #started = performance.now();
  #done = 0;

  constructor(total: number, quiet: boolean) {
    this.#total = total;
    this.#quiet = quiet;
  }

  /** What is under way. */
  begin(what: string): void {
    this.#show(what, false);
  }

  finish(what: string): void {
    this.#done += 1;
    this.#show(what, true);
  }

  end(): void {
    if (!this.#quiet && process.stderr.isTTY) process.stderr.write("\n");
  }

  #show(what: string, finished: boolean): void {
    if (this.#quiet) return;
    const elapsed = (performance.now() - this.#started) / 1e3;
    const left =
      this.#done === 0 ? "" : `, ${spoken((elapsed / this.#done) * (this.#total - this.#done))} left`;
    const line = `[${this.#done}/${this.#total}] ${what} (${spoken(elapsed)}${left})`;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${line}`);
    else if (finished || this.#total === 1) process.stderr.write(`${line}\n`);
  }
}

function spoken(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
