/**
 * A service under comparison: several sessions, spread over its servers, that do one step after the other,
 * and what each of them heard in reply. A step is over when every session's server is level with the step: a
 * connection keeps order, so whatever the step had to tell a session was told before.
 */

import { setTimeout as delay } from "node:timers/promises";
import { type Epoch, epochOf, type Zxid } from "#node/core/zxid.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";
import type { WatchEvent } from "#node/wire/client/watch.ts";
import { SESSIONS, type Step } from "./script.ts";
import { type Answer, Longs, portsOf, ScriptSession, Silence } from "./session.ts";

export interface Heard {
  readonly answer: Answer;
  /** Of every session the events that came with this step. */
  readonly events: readonly (readonly WatchEvent[])[];
}

const LOOK: ClientRequest = { kind: "exists", path: "/", watch: false };
/** A server that is behind catches up within so many looks, a millisecond apart. */
const LOOKS = 5000;

export class Endpoint implements AsyncDisposable {
  readonly sessions: readonly ScriptSession[];
  readonly #connectString: string;
  readonly #epoch: Epoch;
  #lost = 0;

  private constructor(connectString: string, sessions: readonly ScriptSession[]) {
    this.#connectString = connectString;
    this.sessions = sessions;
    this.#epoch = this.#newestEpoch;
  }

  /**
   * What happened to the service itself meanwhile, or null: servers that were given no processor for long
   * enough leave their leader, and their clients lose their connections.
   */
  get unrest(): string | null {
    const elected = this.#newestEpoch === this.#epoch ? [] : ["another leader was elected"];
    const lost = this.#lost === 0 ? [] : [`${this.#lost} connections ended`];
    const all = [...elected, ...lost];
    return all.length === 0 ? null : `${all.join(" and ")} (${this.#connectString})`;
  }

  get #newestEpoch(): Epoch {
    return epochOf(Math.max(...this.sessions.map(({ lastZxid }) => lastZxid)) as Zxid);
  }

  static async open(connectString: string): Promise<Endpoint> {
    const ports = portsOf(connectString);
    const longs = new Longs();
    const sessions = Array.from({ length: SESSIONS }, (_, index) => new ScriptSession(ports, index, longs));
    for (const session of sessions) await session.connect();
    return new Endpoint(connectString, sessions);
  }

  async perform(step: Step): Promise<Heard> {
    try {
      return await this.#perform(step);
    } catch (error) {
      // Which of the two did not answer is the first thing to know.
      if (error instanceof Silence) throw new Silence(error.message, this.#connectString);
      throw error;
    }
  }

  async #perform(step: Step): Promise<Heard> {
    const session = this.sessions[step.session] as ScriptSession;
    const answer = await perform(session, step);
    if (answer.kind === "closed") this.#lost++;
    if (answer.kind === "closed" || answer.kind === "refused session") await session.restore();
    await this.#level();
    return { answer, events: this.sessions.map((each) => each.takeEvents()) };
  }

  async #level(): Promise<void> {
    const newest = Math.max(...this.sessions.map(({ lastZxid }) => lastZxid));
    for (const session of this.sessions) {
      for (let attempt = 0; ; attempt++) {
        const { kind } = await session.ask(LOOK);
        if (session.lastZxid >= newest && kind === "reply") break;
        if (kind === "closed") {
          this.#lost++;
          await session.restore();
        }
        if (attempt === LOOKS) throw new Error(`a server stays behind 0x${newest.toString(16)}`);
        await delay(1);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.sessions) session.end();
  }
}

async function perform(session: ScriptSession, step: Step): Promise<Answer> {
  switch (step.kind) {
    case "ask":
      return session.ask(step.request);
    case "rewatch": {
      const { session: _, since, ...paths } = step;
      const relativeZxid = since === "last" ? session.lastZxid : 0;
      return session.ask({ ...paths, kind: "setWatches2", relativeZxid });
    }
    case "close":
      return session.close();
    case "move":
      return session.move();
  }
}
