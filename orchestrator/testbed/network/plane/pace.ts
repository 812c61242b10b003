/**
 * When the plane sleeps, for how long, and what time it takes it to be when it wakes.
 *
 * The kernel wakes a thread late: 3 us where the processor was at work, 20 to 50 us where it slept, and that
 * changes with whatever else runs. Timed wake-ups show by how much, because they were asked for; so the plane
 * asks for each as much sooner as nine of ten need, spins through what is left, and takes what woke it to
 * have arrived as much earlier as half of them need. What remains is the same for every packet, and
 * calibration takes it off.
 *
 * Where packets come so densely that each would cost a wake-up of its own, the plane does not spin, looks for
 * new ones only once in a while, and delivers what is nearly due along with what is due.
 *
 * Knows no clock; all times are microseconds.
 */

/** Of a processor that sleeps; a few dozen wake-ups make it right. */
const FIRST_GUESS = 20;
/** Later than this is a stall, and says nothing of the next time. */
const STALL = 60;
/** By how much one wake-up moves an estimate at most. */
const STEP = 1;
/** What returns sooner has not slept. */
const BLINK = 4;
/** The precise mode is awake for so long before a due time. */
const SPIN = 60;
/** The traffic of so long ago counts as e^-1 of what is. */
const MEMORY = 20_000;
/**
 * Packets a microsecond: below the first each gets its wake-up, from the second on naps are at their longest.
 * At 1,000 writes/s of five servers (16,500 packets/s) naps of 160 us cost 24 % of a processor without jitter
 * and 30 % in a trial with it, naps of 250 us 20 and 21 %; what is delivered half a nap early and half a
 * nap late is right in the mean.
 */
const DENSE = 0.008;
const DENSEST = 0.013;
const LONGEST_NAP = 250;

export class Pace {
  /** When what was found by the last look had arrived. */
  arrived = 0;
  readonly #isPrecise: boolean;
  readonly #half = new Quantile(0.5);
  readonly #mostly = new Quantile(0.9);
  #looked = 0;
  /** Packets that were collected in the last while, and when that was counted. */
  #recent = 0;
  #counted = 0;

  constructor(isPrecise: boolean) {
    this.#isPrecise = isPrecise;
  }

  /** For so long nobody looks for what arrives. */
  get nap(): number {
    if (this.#isPrecise) return 0;
    const part = (this.#recent / MEMORY - DENSE) / (DENSEST - DENSE);
    return LONGEST_NAP * Math.min(1, Math.max(0, part));
  }

  /** What is due so soon is delivered now. */
  get lead(): number {
    return this.nap > 0 ? Math.max(this.#half.value, this.nap / 2) : 0;
  }

  /** When to ask to be woken for what is due then. */
  wakeAt(due: number): number {
    if (this.#isPrecise) return due - SPIN;
    return due - (this.nap > 0 ? this.#half : this.#mostly).value;
  }

  /** Slept from `since`, to be woken at `target` or by what arrives; now it is `now`. */
  woke(since: number, target: number, now: number, hasArrived: boolean): void {
    if (!hasArrived && target > since) {
      this.#half.learn(now - target);
      this.#mostly.learn(now - target);
    }
    const hasSlept = now - since > BLINK;
    // What a look finds without having slept came at any time since the look before.
    this.arrived = hasSlept ? Math.max(this.#looked, now - this.#half.value) : (this.#looked + now) / 2;
    this.#looked = now;
  }

  /** So many packets were there. */
  collected(packets: number): void {
    this.#recent = this.#recent * Math.exp((this.#counted - this.#looked) / MEMORY) + packets;
    this.#counted = this.#looked;
  }
}

/** What this part of all values is below, learned from one value after the other. */
class Quantile {
  value = FIRST_GUESS;
  readonly #part: number;

  constructor(part: number) {
    this.#part = part;
  }

  learn(value: number): void {
    const next = this.value + STEP * (value > this.value ? this.#part : this.#part - 1);
    this.value = Math.min(STALL, Math.max(0, next));
  }
}
