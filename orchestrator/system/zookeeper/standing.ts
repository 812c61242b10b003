/** How far a server is, as it tells itself. */

import { setTimeout as delay } from "node:timers/promises";
import type { ServerProcess } from "../ensemble.ts";
import { ask } from "./four-letter-word.ts";

interface Standing {
  readonly zxid: number;
  readonly znodes: number;
}

const LOOK_EVERY_MS = 20;

/** Null while it serves nobody. */
async function standingOf({ clientPort }: ServerProcess): Promise<Standing | null> {
  const text = await ask(clientPort, "srvr");
  const zxid = /^Zxid: 0x([0-9a-f]+)$/m.exec(text);
  const znodes = /^Node count: (\d+)$/m.exec(text);
  if (zxid === null || znodes === null || !/^Mode: /m.test(text)) return null;
  return { zxid: Number.parseInt(zxid[1] ?? "", 16), znodes: Number(znodes[1]) };
}

/** Waits until one server serves, and has everything that another has by now. */
export async function level(late: ServerProcess, other: ServerProcess, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  const goal = await standingOf(other);
  for (;;) {
    const standing = await standingOf(late);
    if (goal !== null && standing !== null && standing.zxid >= goal.zxid && standing.znodes >= goal.znodes) {
      return;
    }
    if (!late.running) throw new Error(`p${late.id} ended:\n${late.printed()}`);
    if (performance.now() > deadline) {
      throw new Error(`p${late.id} is not level after ${withinMs} ms:\n${late.printed()}`);
    }
    await delay(LOOK_EVERY_MS);
  }
}
