/** The machine's clocks: one that never goes back and begins with the host, and the wall's. */

import { type Instant, instant, type TimeOfDay, timeOfDay } from "../../core/time.ts";
import { WallClock } from "../../core/wall-clock.ts";

/** In milliseconds: as far apart the two come by what is rounded. */
const ROUNDING = 10;

export class Clock {
  readonly #origin = performance.now();
  readonly #told = new WallClock();

  now(): Instant {
    return instant(Math.floor((performance.now() - this.#origin) * 1e3));
  }

  /** To be told at `now`. */
  timeOfDay(now: Instant): TimeOfDay {
    const shown = timeOfDay(Date.now());
    this.#told.tell(shown, now);
    return shown;
  }

  /** Whether the wall clock shows something else than what was told last, and the time since. */
  wasSet(now: Instant): boolean {
    return Math.abs(Date.now() - this.#told.read(now)) > ROUNDING;
  }
}
