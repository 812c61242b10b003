/**
 * One write client: a session that sends each request when it is due, whether or not earlier ones were
 * answered, and notes what became of it. What was under way when a connection ended is unknown.
 */

import type { Driven, DrivenSession } from "#node/client/driven-session.ts";
import type { Policy } from "#node/client/policy.ts";
import { type Asked, Question } from "#node/client/question.ts";
import type { SessionEvent } from "#node/client/session-protocol.ts";
import { type Duration, instant, milliseconds, seconds } from "#node/core/time.ts";
import { LiveSession } from "#node/host/tcp/live-session.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { creation, payload } from "./load/request.ts";
import { ID_BYTES, type PlannedClient, znodeOf } from "./client-plan.ts";
import type { Outcome } from "./operation.ts";
import type { Writer, WriterSurroundings } from "./writing.ts";

export interface ClientSurroundings extends Omit<WriterSurroundings, "clientPort"> {
  /** A session with the client's servers, in the order of its plan. */
  session(client: PlannedClient, driven: Driven<number>): DrivenSession<number>;
}

/** Where servers are really reached, all at the same port. */
export const liveSession =
  (clientPort: number, now: () => number): ClientSurroundings["session"] =>
  ({ servers }, driven) =>
    new LiveSession({ ...driven, now, places: servers.map(({ host }) => ({ host, port: clientPort })) });

/** The shortest that servers with a tick of 2 s grant. */
const SESSION_TIMEOUT = seconds(4);
/** How long a write client bears a silent server: two thirds of its session's timeout. */
export const PATIENCE = ((2 / 3) * SESSION_TIMEOUT) as Duration;

/** How write clients behave, live and in virtual time. */
export const WRITER: Partial<Policy> = {
  timeout: SESSION_TIMEOUT,
  patience: PATIENCE,
  pause: milliseconds(10),
  order: { kind: "nearest first" },
};

export class WriteClient implements Writer {
  readonly #plan: PlannedClient;
  readonly #around: ClientSurroundings;
  readonly #session: DrivenSession<number>;
  readonly #create: Question;
  readonly #write: Question;
  readonly #prepared = Promise.withResolvers<void>();
  readonly #finished = Promise.withResolvers<void>();
  /** It has a session, and its znode is there. */
  isPrepared = false;
  /** Its session has ended, and all that it asked. */
  isFinished = false;
  /** When the run was over; what is answered later is not known. */
  #overAt = Infinity;

  constructor(plan: PlannedClient, around: ClientSurroundings) {
    this.#plan = plan;
    this.#around = around;
    const path = znodeOf(plan.id);
    const data = payload(Math.max(ID_BYTES, around.payloadBytes));
    this.#create = creation(path, new Uint8Array(0));
    // Behind the data there is only the version.
    this.#write = new Question({ kind: "setData", path, data, version: -1 }, data.length + VERSION_BYTES);
    const heard = (event: SessionEvent<number>): void => this.#hear(event);
    this.#session = around.session(plan, { policy: WRITER, heard });
    this.#session.connect();
    this.#session.ask(this.#create, 0);
  }

  /** Resolves when it is prepared. */
  get prepared(): Promise<void> {
    return this.#prepared.promise;
  }

  get isIdle(): boolean {
    const { waiting, underWay } = this.#session.state;
    return waiting + underWay === 0;
  }

  /** They go out together, at once or as soon as there is a connection. */
  due(ids: readonly number[]): void {
    for (const id of ids) this.#session.ask(this.#write, id, id);
    this.#session.flush();
  }

  /** The run is over; what was not answered will not be known. Resolves when its session has ended. */
  async finish(): Promise<void> {
    const now = this.#around.now();
    this.#overAt = now;
    for (const asked of this.#session.takeWaiting()) {
      if (asked.question === this.#create) continue;
      this.#end({ ...asked, sent: instant(now), server: this.#session.state.server }, now, "failed");
    }
    this.#session.close();
    await this.#finished.promise;
  }

  #hear(event: SessionEvent<number>): void {
    if (event.kind === "ended") {
      this.isFinished = true;
      this.#finished.resolve();
    }
    if (event.kind !== "answered" && event.kind !== "lost") return;
    const { asked } = event;
    if (asked.question === this.#create) return this.#created(event);
    const now = this.#around.now();
    if (event.kind === "lost" || now > this.#overAt) {
      return this.#end(asked, Math.min(now, this.#overAt), "unknown");
    }
    const outcome = outcomeOf(event.error);
    this.#end(asked, now, outcome, outcome === "ok" ? event.zxid : 0);
  }

  #created(event: SessionEvent<number>): void {
    const { ok, nodeExists } = ERRORS;
    const isThere = event.kind === "answered" && (event.error === ok || event.error === nodeExists);
    if (isThere) {
      this.isPrepared = true;
      this.#prepared.resolve();
    } else this.#session.ask(this.#create, 0);
  }

  #end({ tag: id, sent, server: at }: Asked<number>, completed: number, outcome: Outcome, zxid = 0): void {
    const { id: client, servers } = this.#plan;
    const server = servers[at]?.id ?? 0;
    this.#around.ended({ client, id, server, sent, completed, outcome, zxid });
  }
}

function outcomeOf(error: number): Outcome {
  if (error === ERRORS.ok) return "ok";
  return error === ERRORS.connectionLoss || error === ERRORS.operationTimeout ? "unknown" : "failed";
}

const VERSION_BYTES = 4;
