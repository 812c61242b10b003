/**
 * A member of a trial: it stands in an election with a session of its own, and while it leads it writes to
 * what is fenced. Its only argument is its orders, as JSON.
 */

import { once } from "node:events";
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonic } from "#node/host/monotonic.ts";
import {
  connect,
  ConnectionLost,
  Election,
  isRefusal,
  PriorityElection,
  SessionOver,
  strategyOf,
} from "#node/recipe/recipe.ts";
import type { Stat } from "#node/wire/client/stat.ts";
import type { MemberLine, MemberOrders, MISCONDUCT } from "../member-line.ts";

const orders = JSON.parse(process.argv[2] ?? "{}") as MemberOrders;
const { id, site, score, root, fence, servers, timeout, takeover, within, word } = orders;
const PAUSE = 20;

type Said = MemberLine extends infer Line ? (Line extends MemberLine ? Omit<Line, "at"> : never) : never;

const say = (said: Said): void =>
  void process.stdout.write(`${JSON.stringify({ at: monotonic() / 1e3, ...said })}\n`);

const work = `${fence}/work`;
const client = await connect(servers, { timeout, inOrder: true, within: 60_000 });
await client.createAll(work);

async function lead(term: number, signal: AbortSignal): Promise<void> {
  say({ kind: "acts", term });
  let stays = false;
  signal.addEventListener("abort", () => {
    stays = isTold("stay");
    say({ kind: stays ? "stays" : "rests", term });
  });
  const fenced = new Fenced(term);
  while (!signal.aborted || stays) {
    const isTaken = await fenced.write();
    if (stays && !isTaken) break;
    await sleep(PAUSE);
  }
  if (stays) say({ kind: "rests", term });
}

/** The fence is raised to the term once; each write holds only while nobody has raised it since. */
class Fenced {
  readonly #term: number;
  /** Of the fence as this term raised it; null where that is to be done. */
  #version: number | null = null;

  constructor(term: number) {
    this.#term = term;
  }

  /** Whether it may go on. Of what a lost connection leaves open nobody knows whether it was taken. */
  async write(): Promise<boolean> {
    const term = this.#term;
    try {
      const later = this.#version === null ? await this.#raise() : null;
      if (later !== null || this.#version === null) {
        say({ kind: "wrote", term, isTaken: false, order: later?.mzxid ?? 0 });
        return false;
      }
      const [, made] = await client.multi([
        { kind: "check", path: fence, version: this.#version },
        { kind: "setData", path: work, data: Buffer.from(String(term)), version: -1 },
      ]);
      if (made !== undefined && "stat" in made)
        say({ kind: "wrote", term, isTaken: true, order: made.stat.mzxid });
    } catch (error) {
      const isOpen = error instanceof ConnectionLost || error instanceof SessionOver;
      if (!isOpen && !isRefusal(error, "badVersion")) throw error;
      this.#version = null;
    }
    return true;
  }

  /** What was found where a later term had raised it. */
  async #raise(): Promise<Stat | null> {
    const { data, stat } = await client.get(fence);
    if (Number(Buffer.from(data).toString()) > this.#term) return stat;
    this.#version = (await client.set(fence, String(this.#term), stat.version)).version;
    return null;
  }
}

/** Among all members one is told. */
function isTold(what: (typeof MISCONDUCT)[number]): boolean {
  try {
    unlinkSync(join(orders.conduct, what));
    return true;
  } catch {
    return false;
  }
}

async function stand(): Promise<{ leave(): Promise<void> }> {
  const led = ({ by, term }: { by: string; term: number }): void => {
    if (by !== id) say({ kind: "follows", leader: by, term });
  };
  const candidature = { servers, path: root, id, timeout, inOrder: true };
  if (orders.recipe === "priority") {
    return new PriorityElection({
      ...candidature,
      site,
      score,
      strategy: await strategyOf(orders.strategy, process.cwd()),
      watching: orders.watching,
      takeoverWithin: within,
      releaseWithin: within,
      takeOver: async ({ term, signal }) => {
        say({ kind: "takes over", term });
        if (isTold("hang-takeover")) {
          say({ kind: "hangs", term });
          await once(signal, "abort");
        } else await sleep(takeover);
      },
      lead: async ({ term, signal }) => lead(term, signal),
    }).on("led", led);
  }
  const line = {
    wakes: orders.recipe === "herd" ? "all" : "next",
    ...(word !== null && { beside: word }),
  } as const;
  return new Election({ ...candidature, ...line })
    .on("led", led)
    .on("elected", ({ term, signal }) => void lead(term, signal));
}

const election = await stand();
say({ kind: "stands" });
await once(process, "SIGTERM");
await election.leave();
await client.close();
