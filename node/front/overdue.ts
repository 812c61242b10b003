/** How long a client may leave its connection without a word. */

import { after, type Duration, type Instant, milliseconds } from "../core/time.ts";
import type { ClientConnection } from "./client-connection.ts";

/** Why it is to be closed, or null. `patience` is for what has to be there in time. */
export function overdue(connection: ClientConnection, patience: Duration, now: Instant): string | null {
  const { phase, heardAt, since, paused, timeoutMs } = connection;
  switch (phase) {
    case "open":
      return !paused && now > after(heardAt, milliseconds(timeoutMs)) ? "it fell silent" : null;
    case "ended":
      return now > after(heardAt, patience) ? "its last answer took too long" : null;
    default:
      return now > after(since, patience) ? "no session in time" : null;
  }
}
