/**
 * When the plane sleeps, for how long, and what time it takes it to be when it wakes.
 *
 * The kernel wakes a thread late: 3 us where the processor was at work, 20 to 50 us where it slept, and that
 * changes with whatever else runs. Timed wake-ups show by how much, because they were asked for; so the plane
 * asks for each that much sooner, and takes what woke it to have arrived that much earlier. What is left is
 * the same for every packet, and calibration takes it off.
 *
 * Where packets come so densely that each would cost a wake-up of its own, the plane looks for new ones only
 * once in a while, and delivers what is nearly due along with what is due.
 *
 * Knows no clock; all times are microseconds.
 */

/** Of a processor that sleeps; a few dozen wake-ups make it right. */
const FIRST_GUESS = 20;
/** Later than this is a stall, and says nothing of the next time. */
const LATEST = 60;
/** By how much one wake-up moves the estimate. */
const STEP = 0.5;
/** What returns sooner has not slept. */
const BLINK = 4;
/** The precise mode is awake for so long before a due time. */
const SPIN = 60;
/** The traffic of so long ago counts as e^-1 of what is. */
const MEMORY = 20_000;
/**
 * Packets a microsecond: below the first each gets its wake-up, from the second on naps are at their longest.
 */
const DENSE = 0.01;
const DENSEST = 0.02;
const LONGEST_NAP = 100;

export class Pace {
  /** When what was found by the last look had arrived. */
  arrived = 0;
  readonly #isPrecise: boolean;
  #late = FIRST_GUESS;
  #looked = 0;
  /** Packets that were collected in the last while, and when that was counted. */
  #recent = 0;
  #counted = 0;

  constructor(isPrecise: boolean) {
    this.#isPrecise = isPrecise;
  }

  /** How late a timed wake-up comes: half of them later, half of them sooner. */
  get late(): number {
    return this.#late;
  }

  /** For so long nobody looks for what arrives. */
  get nap(): number {
    if (this.#isPrecise) return 0;
    const part = (this.#recent / MEMORY - DENSE) / (DENSEST - DENSE);
    return LONGEST_NAP * Math.min(1, Math.max(0, part));
  }

  /** What is due so soon is delivered now. */
  get lead(): number {
    return this.#isPrecise ? 0 : Math.max(this.#late, this.nap / 2);
  }

  /** When to ask to be woken for what is due then. */
  wakeAt(due: number): number {
    return due - (this.#isPrecise ? SPIN : this.#late);
  }

  /** Slept from `since`, to be woken at `target` or by what arrives; now it is `now`. */
  woke(since: number, target: number, now: number, hasArrived: boolean): void {
    if (!hasArrived && target > since) this.#learn(now - target);
    const hasSlept = now - since > BLINK;
    // What a look finds without having slept came at any time since the look before.
    this.arrived = hasSlept ? Math.max(this.#looked, now - this.#late) : (this.#looked + now) / 2;
    this.#looked = now;
  }

  /** So many packets were there. */
  collected(packets: number): void {
    this.#recent = this.#recent * Math.exp((this.#counted - this.#looked) / MEMORY) + packets;
    this.#counted = this.#looked;
  }

  #learn(late: number): void {
    const next = this.#late + (late > this.#late ? STEP : -STEP);
    this.#late = Math.min(LATEST, Math.max(0, next));
  }
}
