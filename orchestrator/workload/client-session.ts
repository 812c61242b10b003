/**
 * One write client: a pipeline that sends each request when it is due, whether or not earlier ones were
 * answered, and notes what became of it. What was under way when a connection ended is unknown.
 */

import { ERRORS } from "#node/wire/client/error.ts";
import { type Asked, Pipeline, type PipelineUser } from "./load/pipeline.ts";
import { creation, payload, RequestTemplate } from "./load/request.ts";
import { ID_BYTES, type PlannedClient, znodeOf } from "./client-plan.ts";
import type { Outcome } from "./operation.ts";

/** What became of a request; instants in microseconds of the monotonic clock. */
export interface Ending {
  readonly client: number;
  readonly id: number;
  readonly server: number;
  readonly sent: number;
  readonly completed: number;
  readonly outcome: Outcome;
  readonly zxid: number;
}

export interface ClientSurroundings {
  readonly clientPort: number;
  readonly payloadBytes: number;
  now(): number;
  ended(ending: Ending): void;
}

/** The shortest that servers with a tick of 2 s grant; a server may keep silent for two thirds of it. */
const SESSION_TIMEOUT_MS = 4000;
export const PATIENCE_MS = (2 / 3) * SESSION_TIMEOUT_MS;

export class WriteClient implements PipelineUser {
  readonly #plan: PlannedClient;
  readonly #around: ClientSurroundings;
  readonly #pipeline: Pipeline;
  /** It has a session, and its znode is there. */
  readonly prepared: Promise<void>;

  constructor(plan: PlannedClient, around: ClientSurroundings) {
    this.#plan = plan;
    this.#around = around;
    const places = plan.servers.map(({ host }) => ({ host, port: around.clientPort }));
    this.#pipeline = new Pipeline(places, SESSION_TIMEOUT_MS, PATIENCE_MS, this);
    this.prepared = this.#prepare();
  }

  get isIdle(): boolean {
    return this.#pipeline.isIdle;
  }

  /** They go out together, at once or as soon as there is a connection. */
  due(ids: readonly number[]): void {
    for (const id of ids) this.#pipeline.due(id);
    this.#pipeline.send();
  }

  /** To be called a few times a second. */
  tick(): void {
    this.#pipeline.tick();
  }

  /** The run is over; what was not answered will not be known. Resolves when its session has ended. */
  async finish(): Promise<void> {
    const now = this.now();
    for (const asked of this.#pipeline.takeUnderWay()) this.#end(asked, now, "unknown");
    for (const id of this.#pipeline.takeWaiting()) this.#end({ id, sent: now }, now, "failed");
    await this.#pipeline.close();
  }

  now(): number {
    return this.#around.now();
  }

  answered(asked: Asked, error: number, zxid: number, at: number): void {
    const outcome = outcomeOf(error);
    this.#end(asked, at, outcome, outcome === "ok" ? zxid : 0);
  }

  lost(asked: Asked, at: number): void {
    this.#end(asked, at, "unknown");
  }

  async #prepare(): Promise<void> {
    const path = znodeOf(this.#plan.id);
    const data = payload(Math.max(ID_BYTES, this.#around.payloadBytes));
    // Behind the data there is only the version.
    this.#pipeline.use(
      new RequestTemplate({ kind: "setData", path, data, version: -1 }, data.length + VERSION_BYTES),
    );
    for (let error: number = ERRORS.connectionLoss; error !== ERRORS.ok && error !== ERRORS.nodeExists; ) {
      error = await this.#pipeline.once(creation(path, new Uint8Array(0)));
    }
  }

  #end({ id, sent }: Asked, completed: number, outcome: Outcome, zxid = 0): void {
    const { id: client, servers } = this.#plan;
    const server = servers[this.#pipeline.at]?.id ?? 0;
    this.#around.ended({ client, id, server, sent, completed, outcome, zxid });
  }
}

function outcomeOf(error: number): Outcome {
  if (error === ERRORS.ok) return "ok";
  return error === ERRORS.connectionLoss || error === ERRORS.operationTimeout ? "unknown" : "failed";
}

const VERSION_BYTES = 4;
