/**
 * Where cells are given out and rows come in: an HTTP server to which the tasks on a swarm's nodes come. Who
 * was not heard for a while counts as gone, and what it had is given to others.
 */

import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CannotRun } from "../../terminal/exit-code.ts";
import type { Cell } from "../cell.ts";
import { outcomeOf, type Row } from "../row.ts";
import type { Sweep } from "../sweep.ts";
import { Ledger } from "./ledger.ts";
import { type Answer, HEADER, type Question, readQuestion } from "./message.ts";
import { isSame, proofOfAnswer, proofOfQuestion } from "./proof.ts";

export interface DeskTerms {
  readonly address: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly idOf: (cell: Cell) => string;
  /** What people should know: who came, who is gone. */
  readonly say: (text: string) => void;
  /** In milliseconds. */
  readonly now?: () => number;
}

interface Task {
  readonly node: string;
  number: number;
  heard: number;
  isGone: boolean;
}

interface Work {
  readonly ledger: Ledger;
  readonly sweep: Omit<Sweep, "workers">;
  readonly end: () => void;
}

export class Desk implements AsyncDisposable {
  readonly secret = randomBytes(32).toString("base64url");
  readonly #terms: DeskTerms;
  readonly #server: Server;
  readonly #tasks = new Map<string, Task>();
  readonly #unable = new Map<string, string>();
  readonly #watch: NodeJS.Timeout;
  #work: Work | null = null;
  #isOver = false;
  readonly #now: () => number;
  #heard: number;
  /** Cells that were run twice, and came to the same. */
  same = 0;

  static async open(terms: DeskTerms): Promise<Desk> {
    // Who computes comes back after a while, on the connection that it has.
    const server = createServer({ keepAliveTimeout: PATIENCE_MS * 6 });
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) => reject(new CannotRun(reasonOf(error, terms))));
      server.listen(terms.port, terms.address, resolve);
    });
    return new Desk(terms, server);
  }

  private constructor(terms: DeskTerms, server: Server) {
    this.#terms = terms;
    this.#now = terms.now ?? (() => performance.now());
    this.#heard = this.#now();
    this.#server = server;
    server.on("request", (request, response) => void this.#take(request, response));
    this.#watch = setInterval(() => this.#lookForSilent(), WATCH_MS);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Since somebody was heard, in milliseconds. */
  get silence(): number {
    return this.#now() - this.#heard;
  }

  /** Nodes whose tasks came. */
  get nodes(): readonly string[] {
    return [...new Set([...this.#tasks.values()].map(({ node }) => node))];
  }

  /** Why a node cannot work, by its name. */
  get unable(): ReadonlyMap<string, string> {
    return this.#unable;
  }

  /** Until all cells are done, or `signal` says that no more are wanted; what is under way counts still. */
  async carryOut(sweep: Omit<Sweep, "workers"> & { readonly cells: Iterable<Cell> }): Promise<void> {
    this.#heard = this.#now();
    await new Promise<void>((resolve) => {
      this.#work = { ledger: new Ledger(sweep.cells, this.#terms.idOf), sweep, end: resolve };
      sweep.signal.addEventListener("abort", () => this.#settle(), { once: true });
      if (sweep.signal.aborted) this.#settle();
    });
    this.#work = null;
  }

  /** No more comes of it: whoever waits for its end is let go. */
  giveUp(): void {
    this.#work?.end();
  }

  /** Everybody who asks from now on is told that it is over. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    const patience = performance.now() + FAREWELL_MS;
    const isAwaited = (): boolean => [...this.#tasks.values()].some(({ isGone }) => !isGone);
    while (isAwaited() && performance.now() < patience)
      await new Promise((resolve) => setTimeout(resolve, FAREWELL_MS / 100));
    clearInterval(this.#watch);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number): void => void response.writeHead(status).end();
    const body = await bodyOf(request);
    if (body === null) return refuse(413);
    const proof = String(request.headers[HEADER] ?? "");
    if (!isSame(proof, proofOfQuestion(this.secret, body))) return refuse(403);
    const question = readQuestion(body);
    if (question === null) return refuse(400);
    const task = this.#taskOf(question);
    if (question.number <= task.number) return refuse(409);
    task.number = question.number;
    task.heard = this.#now();
    this.#heard = task.heard;
    const text = JSON.stringify(this.#answer(question, task));
    response.writeHead(200, { [HEADER]: proofOfAnswer(this.secret, proof, text) }).end(text);
  }

  #taskOf({ who, node }: Question): Task {
    const known = this.#tasks.get(who);
    if (known !== undefined && !known.isGone) return known;
    const task = { node, number: known?.number ?? -1, heard: 0, isGone: false };
    this.#tasks.set(who, task);
    if (!this.#isOver) this.#terms.say(`${node} ${known === undefined ? "takes cells" : "is back"}`);
    return task;
  }

  #answer({ who, says }: Question, task: Task): Answer {
    if (this.#isOver) {
      task.isGone = true;
      return { cells: [], isOver: true };
    }
    switch (says.kind) {
      case "take":
        return { cells: this.#cellsFor(who, says.count), isOver: false };
      case "row":
        this.#deliver(who, task.node, says.row);
        break;
      case "lost": {
        const cell = this.#work?.ledger.giveUp(who, says.id) ?? null;
        if (cell !== null) this.#work?.sweep.lost(cell, `${task.node}: ${says.reason}`);
        break;
      }
      case "unable":
        this.#unable.set(task.node, says.reason);
        this.#leave(who, task);
        break;
      case "leave":
        this.#leave(who, task);
        break;
      case "alive":
        break;
    }
    this.#settle();
    return { cells: [], isOver: false };
  }

  #cellsFor(who: string, count: number): readonly Cell[] {
    return this.#work === null || this.#work.sweep.signal.aborted ? [] : this.#work.ledger.take(who, count);
  }

  #deliver(who: string, node: string, row: Row): void {
    const delivery = this.#work?.ledger.deliver(who, row) ?? "unasked";
    if (delivery === "unasked") return;
    if (delivery === "first") this.#work?.sweep.done(row);
    else if (delivery === "same") this.same += 1;
    else {
      const [first, second] = [outcomeOf(delivery.before), outcomeOf(row)];
      this.#work?.sweep.differs?.(first, `${second} (${node})`);
    }
  }

  #leave(who: string, task: Task): void {
    task.isGone = true;
    const count = this.#work?.ledger.release(who) ?? 0;
    this.#terms.say(`${task.node} leaves; ${count} cells go to others`);
  }

  #lookForSilent(): void {
    for (const [who, task] of this.#tasks) {
      if (task.isGone || this.#now() - task.heard < PATIENCE_MS) continue;
      task.isGone = true;
      const count = this.#work?.ledger.release(who) ?? 0;
      this.#terms.say(`${task.node} is silent; ${count} cells go to others`);
    }
    this.#settle();
  }

  #settle(): void {
    if (this.#work === null) return;
    const { ledger, sweep, end } = this.#work;
    const isAlone = [...this.#tasks.values()].every(({ isGone }) => isGone);
    if (ledger.isDone || (sweep.signal.aborted && (ledger.open === 0 || isAlone))) end();
  }
}

function reasonOf({ code = "", message }: NodeJS.ErrnoException, { address, port }: DeskTerms): string {
  if (code === "EADDRINUSE") return `--at: port ${port} of ${address} is in use`;
  if (code === "EADDRNOTAVAIL")
    return `--at: this machine has no address ${address}; say one at which the swarm's nodes reach it`;
  return `--at: ${address}:${port}: ${message}`;
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > MOST_BYTES) return null;
      parts.push(part);
    }
  } catch {
    return null;
  }
  return Buffer.concat(parts).toString("utf8");
}

const MOST_BYTES = 1 << 20;
const WATCH_MS = 500;
const PATIENCE_MS = 20_000;
/** Tasks ask again within a second. */
const FAREWELL_MS = 3000;
