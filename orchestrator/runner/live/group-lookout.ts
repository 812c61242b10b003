/** Tells whoever looks on what the members of a live group have told so far. */

import type { Mark, MemberEvent } from "../../recording/recording.ts";
import { fresh, type GroupObserver } from "../observer.ts";

interface Told {
  readonly events: readonly MemberEvent[];
  readonly marks: readonly Mark[];
  readonly now: number;
}

/** Some times a second, at what members have written down meanwhile; and once more in the end. */
export function lookOn(group: Told, onlooker: GroupObserver): Disposable {
  // What is written down late may belong before what was seen, so it is counted and not cut.
  const seen = new Set<string>();
  const marks = fresh(() => group.marks);
  const look = (): void => {
    const events = group.events.filter((event) => {
      const key = JSON.stringify(event);
      return !seen.has(key) && seen.add(key);
    });
    onlooker.saw({ events, marks: marks(), until: group.now });
  };
  const looking = setInterval(look, LOOK_MS);
  return {
    [Symbol.dispose]: () => {
      clearInterval(looking);
      look();
    },
  };
}

const LOOK_MS = 500;
