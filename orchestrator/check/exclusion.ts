/**
 * No two sessions hold a lock at once, and a later holder's token (the place of its lock node in the history)
 * is greater, so that whatever the lock protects can turn away a holder that slept through the end of its
 * session.
 */

import { entriesOf, type History, type Hold } from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

export function exclusiveLocks(history: History): Finding {
  const holds = entriesOf(history, "hold");
  const wrong: string[] = [];
  for (const ofLock of Map.groupBy(holds, ({ key }) => key).values()) {
    let latest: Hold | undefined;
    for (const hold of ofLock.toSorted((a, b) => a.from - b.from)) {
      if (latest !== undefined && hold.from < latest.until) {
        wrong.push(`two holders: ${quote(latest)} and ${quote(hold)}`);
      }
      if (latest !== undefined && hold.token <= latest.token) {
        wrong.push(`a token not greater than the one before: ${quote(latest)}, then ${quote(hold)}`);
      }
      if (latest === undefined || hold.until > latest.until) latest = hold;
    }
  }
  return finding("no two holders of a lock", holds.length, wrong);
}

const quote = ({ key, session, from, until, token }: Hold): string =>
  `${session} holds ${key} [${from}, ${until}] by 0x${token.toString(16)}`;
