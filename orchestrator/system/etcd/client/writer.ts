/** One write client of a trial, by etcd's own protocol: each request puts its id into the client's key. */

import { toMilliseconds } from "#node/core/time.ts";
import { ID_BYTES, type PlannedClient, znodeOf } from "../../../workload/client-plan.ts";
import { PATIENCE } from "../../../workload/client-session.ts";
import { payload } from "../../../workload/load/request.ts";
import type { Writer, WriterSurroundings } from "../../../workload/writing.ts";
import { METHODS, put, readHeader, utf8 } from "../wire/messages.ts";
import { outcomeOf, placeOf } from "./outcome.ts";
import { type Answered, EtcdSession } from "./session.ts";

/** As write clients of other systems behave. */
const POLICY = { patienceMs: toMilliseconds(PATIENCE), pauseMs: 10 };

export class EtcdWriter implements Writer {
  readonly #plan: PlannedClient;
  readonly #around: WriterSurroundings;
  readonly #session: EtcdSession;
  readonly #key: Uint8Array;
  readonly #value: Buffer;
  readonly #prepared = Promise.withResolvers<void>();
  /** When the run was over; what is answered later is not known. */
  #overAt = Infinity;

  constructor(plan: PlannedClient, around: WriterSurroundings) {
    this.#plan = plan;
    this.#around = around;
    this.#key = utf8(znodeOf(plan.id));
    this.#value = Buffer.from(payload(Math.max(ID_BYTES, around.payloadBytes)));
    const places = plan.servers.map(({ host }) => ({ host, port: around.clientPort }));
    this.#session = new EtcdSession(places, 0, POLICY, () => around.now());
    this.#create();
  }

  get prepared(): Promise<void> {
    return this.#prepared.promise;
  }

  get isIdle(): boolean {
    return this.#session.isIdle;
  }

  due(ids: readonly number[]): void {
    for (const id of ids) {
      this.#value.writeUInt32BE(id, 0);
      this.#session.ask(METHODS.put, put(this.#key, this.#value), (asked) => this.#answered(id, asked));
    }
  }

  finish(): Promise<void> {
    this.#overAt = this.#around.now();
    this.#session.end();
    return this.#session.ended;
  }

  /** So that all changes of the key that count are those of the load. */
  #create(): void {
    this.#session.ask(METHODS.put, put(this.#key, utf8("")), ({ reply }) => {
      if (reply?.status === 0) this.#prepared.resolve();
      else if (this.#overAt === Infinity) this.#create();
    });
  }

  #answered(id: number, asked: Answered): void {
    const { id: client, servers } = this.#plan;
    const now = this.#around.now();
    const isLate = now > this.#overAt;
    const outcome = isLate && asked.server >= 0 ? "unknown" : outcomeOf(asked);
    this.#around.ended({
      client,
      id,
      server: servers[asked.server < 0 ? this.#session.server : asked.server]?.id ?? 0,
      sent: asked.sent,
      completed: Math.min(now, this.#overAt),
      outcome,
      zxid: outcome === "ok" && asked.reply !== null ? placeOf(readHeader(asked.reply.body)) : 0,
    });
  }
}
