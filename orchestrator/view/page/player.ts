/** The moment that is shown, and how it moves: at a speed, from event to event, or with what happens now. */

export const SPEEDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10] as const;
/** A live trial is shown so far behind what was told last, so that time moves evenly. */
const BEHIND_US = 400_000;

export class Player {
  at = 0;
  speed = 1;
  isPlaying = false;
  /** The newest moment is shown as it comes. */
  isLive: boolean;
  readonly #changed: () => void;
  #from = 0;
  #to = 0;
  #stops: readonly number[] = [];

  constructor(isLive: boolean, changed: () => void) {
    this.isLive = isLive;
    this.#changed = changed;
  }

  get from(): number {
    return this.#from;
  }

  get to(): number {
    return this.#to;
  }

  spread(from: number, to: number, stops: readonly number[]): void {
    [this.#from, this.#to, this.#stops] = [from, to, stops];
    if (!this.isLive) this.at = Math.min(Math.max(this.at, from), to);
  }

  /** So many microseconds have passed for who looks. */
  pass(us: number): void {
    if (this.isLive) {
      const next = this.at + us;
      const latest = this.#to - BEHIND_US;
      this.at = next > latest || next < latest - 2 * BEHIND_US ? Math.max(latest, this.#from) : next;
    } else if (this.isPlaying) {
      this.at = Math.min(this.#to, this.at + us * this.speed);
      if (this.at === this.#to) this.toggle();
    }
  }

  seek(at: number): void {
    this.isLive = false;
    this.at = Math.min(Math.max(at, this.#from), this.#to);
    this.#changed();
  }

  toggle(): void {
    this.isLive = false;
    this.isPlaying = !this.isPlaying;
    if (this.isPlaying && this.at >= this.#to) this.at = this.#from;
    this.#changed();
  }

  live(): void {
    [this.isLive, this.isPlaying] = [true, false];
    this.at = this.#to;
    this.#changed();
  }

  /** To the next event, or the one before. */
  step(direction: 1 | -1): void {
    const next =
      direction === 1
        ? this.#stops.find((stop) => stop > this.at)
        : this.#stops.findLast((stop) => stop < this.at);
    this.isPlaying = false;
    this.seek(next ?? (direction === 1 ? this.#to : this.#from));
  }

  faster(direction: 1 | -1): void {
    const index = SPEEDS.findIndex((speed) => speed === this.speed) + direction;
    this.speed = SPEEDS[index] ?? this.speed;
    this.#changed();
  }
}
