/**
 * What the wall clock of a machine shows: what its host told last, and the time since. The host tells it when
 * a life begins, and again when somebody has set the clock.
 */

import { between, type Instant, type TimeOfDay, toMilliseconds } from "./time.ts";

export class WallClock {
  #told = 0 as TimeOfDay;
  #at = 0 as Instant;

  tell(timeOfDay: TimeOfDay, now: Instant): void {
    this.#told = timeOfDay;
    this.#at = now;
  }

  read(now: Instant): TimeOfDay {
    return (this.#told + Math.floor(toMilliseconds(between(this.#at, now)))) as TimeOfDay;
  }
}
