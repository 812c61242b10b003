/** What every server holds when a load is over, as its clients read it back, and who is asked for it. */

import { setTimeout as delay } from "node:timers/promises";
import { EXIT } from "#node/core/exit-code.ts";
import type { ServerPlace } from "./client-plan.ts";

/** Each client writes the id of its operation into a key of its own, so its last one is there in the end. */
export interface FinalState {
  readonly server: number;
  /** The place of the last write that it holds, in the one order of all writes. */
  readonly zxid: number;
  /** Of all keys, and of what their servers keep about them. */
  readonly digest: string;
  readonly keys: readonly { readonly client: number; readonly lastId: number; readonly version: number }[];
}

export interface ReadBackPlan {
  readonly servers: readonly ServerPlace[];
  readonly clientPort: number;
  /** Ids of the clients that wrote. */
  readonly clients: readonly number[];
}

/** When servers do not agree on one place by then, what they have is told all the same. */
const ATTEMPTS = 20;
const PAUSE_MS = 250;

/** Reads all of them until all were read at one place: what ends sessions moves servers on. */
export async function readEvenly(
  readers: readonly (() => Promise<FinalState>)[],
): Promise<readonly FinalState[]> {
  let states: readonly FinalState[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    states = await Promise.all(readers.map((read) => read()));
    if (new Set(states.map(({ zxid }) => zxid)).size === 1) break;
    await delay(PAUSE_MS);
  }
  return states;
}

/** The program around it: it prints what was found, or says in a sentence who cannot be read. It leaves. */
export async function runReadBack(
  read: (plan: ReadBackPlan) => Promise<readonly FinalState[]>,
): Promise<never> {
  try {
    console.log(JSON.stringify(await read(JSON.parse(process.argv[2] ?? "") as ReadBackPlan)));
    process.exit(EXIT.passed);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(EXIT.failed);
  }
}
