/** Have these servers everything that was acknowledged until now? Asked as a client, of each of them. */

import { setTimeout as delay } from "node:timers/promises";
import { ERRORS } from "#node/wire/client/error.ts";
import { create } from "./request.ts";
import { type ClientAddress, now, type TortureSession } from "./session.ts";
import { LEVELS } from "./workload.ts";

const LOOK_MS = 20;

/**
 * Writes once more, after everything else, and waits until each server shows it; false when that takes too
 * long.
 */
export async function areLevel(
  servers: readonly ClientAddress[],
  open: (to: readonly ClientAddress[]) => TortureSession,
  withinMs: number,
): Promise<boolean> {
  const path = `${LEVELS}/${now()}`;
  const sessions = servers.map((server) => open([server]));
  const writer = open(servers);
  const look = async (): Promise<boolean> => {
    await until(writer, async () => {
      const [answer] = await writer.ask([create(path)]);
      return answer?.error === ERRORS.ok || answer?.error === ERRORS.nodeExists;
    });
    await Promise.all(
      sessions.map((session) =>
        until(session, async () => {
          const [answer] = await session.ask([{ kind: "exists", path, watch: false }]);
          return answer?.error === ERRORS.ok;
        }),
      ),
    );
    return true;
  };
  const level = await Promise.race([look(), delay(withinMs, false)]);
  for (const session of [writer, ...sessions]) session.stop();
  return level;
}

async function until(session: TortureSession, condition: () => Promise<boolean>): Promise<void> {
  while (!session.isStopped && !(await condition())) await delay(LOOK_MS);
}
