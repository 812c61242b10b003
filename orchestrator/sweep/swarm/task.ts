/**
 * What runs on a node of a swarm, in the replica's image: takes cells from the sweep's desk until there are
 * none, and gives back their rows. It ends well when nobody needs it any more, or nobody is there any more,
 * so that the swarm does not start it again.
 */

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname, availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cell, idOf } from "../cell.ts";
import { sourcesOfSweep } from "../sources.ts";
import { carryOut } from "../sweep.ts";
import { type Answer, CONFIG_FILE, HEADER, type Says, SECRET_FILE, type TaskTerms } from "./message.ts";
import { isSame, proofOfAnswer, proofOfQuestion } from "./proof.ts";

export interface TaskPlan extends TaskTerms {
  readonly secret: string;
  readonly node: string;
}

export async function work(plan: TaskPlan, signal: AbortSignal): Promise<void> {
  const desk = new Counter(plan);
  const sources = sourcesOfSweep();
  if (sources !== plan.sources) {
    await desk.tell({ kind: "unable", reason: `its image is of other sources (${sources})` });
    return;
  }
  const workers = plan.workers ?? availableParallelism();
  const beat = setInterval(() => void desk.tell({ kind: "alive" }), BEAT_MS);
  try {
    await carryOut({
      cells: desk.cells(workers, signal),
      workers,
      signal,
      done: (row) => void desk.tell({ kind: "row", row }),
      lost: (cell, reason) => void desk.tell({ kind: "lost", id: idOf(cell, plan.sources), reason }),
    });
    if (signal.aborted) await desk.tell({ kind: "leave" });
  } finally {
    clearInterval(beat);
    await desk.quiet();
  }
}

/** The desk as it is seen from here: one question at a time, in order. */
class Counter {
  readonly #plan: TaskPlan;
  readonly #who = randomUUID();
  #number = 0;
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #heard = performance.now();

  constructor(plan: TaskPlan) {
    this.#plan = plan;
  }

  /** One for each worker at a time. */
  async *cells(workers: number, signal: AbortSignal): AsyncGenerator<Cell> {
    while (!this.#isOver && !signal.aborted) {
      const answer = await this.tell({ kind: "take", count: workers });
      yield* answer?.cells ?? [];
      if ((answer?.cells.length ?? 0) === 0) await sleep(PAUSE_MS);
    }
  }

  /** Repeated until it is answered; null when there is nobody any more who would. */
  tell(says: Says): Promise<Answer | null> {
    const answer = this.#last.then(() => this.#told(says));
    this.#last = answer;
    return answer;
  }

  async quiet(): Promise<void> {
    await this.#last;
  }

  async #told(says: Says): Promise<Answer | null> {
    while (!this.#isOver) {
      const answer = await this.#ask(says);
      if (answer !== null) {
        this.#heard = performance.now();
        this.#isOver ||= answer.isOver;
        return answer;
      }
      if (performance.now() - this.#heard > PATIENCE_MS) this.#isOver = true;
      else await sleep(PAUSE_MS);
    }
    return null;
  }

  async #ask(says: Says): Promise<Answer | null> {
    const { address, port, secret, node } = this.#plan;
    this.#number += 1;
    const body = JSON.stringify({ who: this.#who, node, number: this.#number, says });
    const proof = proofOfQuestion(secret, body);
    try {
      const host = address.includes(":") ? `[${address}]` : address;
      const response = await fetch(`http://${host}:${port}/`, {
        method: "POST",
        headers: { [HEADER]: proof },
        body,
        signal: AbortSignal.timeout(PATIENCE_MS / 4),
      });
      const text = await response.text();
      const expected = proofOfAnswer(secret, proof, text);
      if (!response.ok || !isSame(response.headers.get(HEADER) ?? "", expected)) return null;
      return JSON.parse(text) as Answer;
    } catch {
      return null;
    }
  }
}

const PAUSE_MS = 500;
const BEAT_MS = 3000;
const PATIENCE_MS = 60_000;

if (import.meta.main) {
  const terms = JSON.parse(readFileSync(CONFIG_FILE, "utf8")) as TaskTerms;
  const secret = readFileSync(SECRET_FILE, "utf8");
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort());
  await work({ ...terms, secret, node: process.env["POLEBENCH_NODE"] ?? hostname() }, stop.signal);
  process.exit();
}
