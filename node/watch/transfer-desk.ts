/**
 * Where an operator orders that another server lead: `POST /commands/transfer?to=3`, at the one that leads.
 *
 * The order is answered when this server serves under the other, or when it has been refused or given up,
 * with the reason; one order at a time. What comes of it is heard in the server's own events.
 */

import type { ServerId } from "../core/identity.ts";
import { between, type Instant, toMilliseconds } from "../core/time.ts";
import type { Page } from "../host/tcp/pages.ts";
import type { ReplicaEvent } from "../telemetry/event.ts";

/**
 * A successor that cannot serve is replaced by an election; the ensemble goes on, and this order has failed.
 */
const PATIENCE_MS = 10_000;

export interface TransferDeskOptions {
  readonly servers: readonly ServerId[];
  readonly order: (to: ServerId) => void;
  readonly now: () => Instant;
}

interface Order {
  readonly to: ServerId;
  readonly since: Instant;
  readonly answer: (page: Page) => void;
}

export class TransferDesk {
  readonly #options: TransferDeskOptions;
  #open: Order | null = null;

  constructor(options: TransferDeskOptions) {
    this.#options = options;
  }

  async order(path: string, query: URLSearchParams): Promise<Page> {
    if (path !== "/commands/transfer")
      return said(404, { error: "what can be ordered is /commands/transfer?to=ID" });
    const wanted = query.get("to") ?? "";
    const to = this.#options.servers.find((server) => String(server) === wanted);
    if (to === undefined) {
      return said(400, { error: `to=${wanted} is none of the servers ${this.#options.servers.join(", ")}` });
    }
    if (this.#open !== null) return said(409, { error: `server ${this.#open.to} is about to lead` });
    const { promise, resolve } = Promise.withResolvers<Page>();
    this.#open = { to, since: this.#options.now(), answer: resolve };
    const patience = setTimeout(
      () => this.#answer(504, { error: `server ${to} does not serve after ${PATIENCE_MS / 1000} s` }),
      PATIENCE_MS,
    );
    this.#options.order(to);
    return promise.finally(() => clearTimeout(patience));
  }

  observe(event: ReplicaEvent): void {
    if (this.#open === null) return;
    const { to, since } = this.#open;
    if (event.kind === "kept") {
      // Another may have been refused meanwhile.
      if (event.to === to) this.#answer(409, { error: event.reason });
    } else if (event.kind !== "serving") return;
    else if (event.leader === to) {
      const took = toMilliseconds(between(since, this.#options.now()));
      this.#answer(200, { leader: to, epoch: event.epoch, milliseconds: Number(took.toFixed(1)) });
    } else this.#answer(409, { error: `server ${event.leader} was elected instead` });
  }

  #answer(status: number, body: Readonly<Record<string, unknown>>): void {
    const order = this.#open;
    this.#open = null;
    order?.answer(said(status, body));
  }
}

const said = (status: number, body: Readonly<Record<string, unknown>>): Page => ({
  status,
  type: "application/json; charset=utf-8",
  text: `${JSON.stringify({ command: "transfer", error: null, ...body }, null, 2)}\n`,
});
