/**
 * A member of a trial: it stands in an election with a session of its own, and while it leads it writes to
 * what is fenced.
 *
 *   node member-main.ts <recipe> <servers> <id> <site> <session timeout ms> <takeover ms>
 */

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonic } from "#node/host/monotonic.ts";
import {
  connect,
  ConnectionLost,
  Election,
  isRefusal,
  PriorityElection,
  SessionOver,
} from "#node/recipe/recipe.ts";
import { ELECTION, FENCE, type MemberLine } from "./member-line.ts";

const [recipe = "", servers = "", id = "", site = "", timeoutMs = "", takeoverMs = ""] =
  process.argv.slice(2);
const [timeout, takeover] = [Number(timeoutMs), Number(takeoverMs)];
const PAUSE = 20;

type Said = MemberLine extends infer Line ? (Line extends MemberLine ? Omit<Line, "at"> : never) : never;

const say = (said: Said): void =>
  void process.stdout.write(`${JSON.stringify({ at: monotonic() / 1e3, ...said })}\n`);

const client = await connect(servers, { timeout });
await client.createAll(FENCE);

async function lead(term: number, signal: AbortSignal): Promise<void> {
  say({ kind: "acts", term });
  signal.addEventListener("abort", () => say({ kind: "rests", term }));
  while (!signal.aborted) {
    await write(term);
    await sleep(PAUSE);
  }
}

/** What a lost connection leaves open is not told: whether it was taken nobody knows. */
async function write(term: number): Promise<void> {
  try {
    const { data, stat } = await client.get(FENCE);
    const isTaken = Number(Buffer.from(data).toString()) <= term;
    const made = isTaken ? await client.set(FENCE, String(term), stat.version) : stat;
    say({ kind: "wrote", term, isTaken, order: made.mzxid });
  } catch (error) {
    const isOpen =
      error instanceof ConnectionLost || error instanceof SessionOver || isRefusal(error, "badVersion");
    if (!isOpen) throw error;
  }
}

function stand(): { leave(): Promise<void> } {
  const led = ({ by, term }: { by: string; term: number }): void => {
    if (by !== id) say({ kind: "follows", leader: by, term });
  };
  const candidature = { servers, path: ELECTION, id, timeout };
  if (recipe === "priority") {
    return new PriorityElection({
      ...candidature,
      site,
      takeOver: async ({ term }) => {
        say({ kind: "takes over", term });
        await sleep(takeover);
      },
      lead: async ({ term, signal }) => lead(term, signal),
    }).on("led", led);
  }
  return new Election({ ...candidature, wakes: recipe === "herd" ? "all" : "next" })
    .on("led", led)
    .on("elected", ({ term, signal }) => void lead(term, signal));
}

const election = stand();
await once(process, "SIGTERM");
await election.leave();
await client.close();
