/** The machine's clocks: one that never goes back and begins with the host, and the wall's. */

import { type Instant, instant, type TimeOfDay, timeOfDay } from "../../core/time.ts";

export class Clock {
  readonly #origin = performance.now();

  now(): Instant {
    return instant(Math.floor((performance.now() - this.#origin) * 1e3));
  }

  timeOfDay(): TimeOfDay {
    return timeOfDay(Date.now());
  }
}
