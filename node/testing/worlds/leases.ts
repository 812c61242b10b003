/**
 * When a session may be ended because its client is silent: by the server that hears the client a whole
 * timeout after it heard it last, and a whole timeout after that server began to serve under this leader; by
 * a leader a whole timeout after the client's server stopped serving under it. And whoever is cut off keeps
 * no client.
 *
 * A decision is seen where it leaves its server: in the instant in which that one looked at its sessions.
 */

import { MAX_SERVER_ID, type ServerId } from "../../core/identity.ts";
import { after, between, type Duration, type Instant, seconds } from "../../core/time.ts";
import type { Transaction } from "../../core/transaction.ts";
import type { ServerOutput, ServerProtocol } from "../../front/server.ts";
import type { Observer } from "../../host/virtual/ensemble.ts";
import { Violation } from "../../host/virtual/swarm/sequence.ts";
import { readPayload } from "../../tree/payload.ts";

interface Watched {
  /** Since it serves under its leader, and since it has been looking for one; null when it does not. */
  servingSince: Instant | null;
  lookingSince: Instant | null;
  lookedAt: Instant | null;
  /** Its clock leapt ahead then: whatever it waited for is due. */
  leaptAt: Instant | null;
  /** How many sessions it ended when it did so last. */
  endedAt: Instant | null;
  ends: number;
  /** Since when a follower serves under it (true), or no more. */
  readonly followers: Map<ServerId, { readonly serves: boolean; readonly since: Instant }>;
  /** When it heard the clients of sessions. */
  readonly heard: Map<number, Instant>;
}

export class Leases {
  readonly #servers = new Map<ServerId, Watched>();
  /** The timeouts of sessions, as they were agreed on. */
  readonly #timeouts = new Map<number, Duration>();
  readonly #decided = new Set<string>();
  /** How many ends were judged. */
  judged = 0;

  readonly observer: Observer<ServerProtocol> = {
    input: (server, input, time) => {
      if (input.kind === "start") this.#servers.set(server, nobody(time));
      else if (input.kind === "timeout" && (input.timer === "tick" || input.timer === "expiry"))
        this.#at(server).lookedAt = time;
    },
    effect: (server, effect, time) => {
      if (effect.kind === "append") {
        for (const record of effect.records) {
          if (record.kind === "transaction") this.#write(server, record.transaction, time);
        }
      } else if (effect.kind === "send" && effect.message.part === "broadcast") {
        const { message } = effect.message;
        if (message.kind === "forward") this.#write(server, message, time);
      }
    },
    output: (server, output, time) => this.#told(server, output, time),
  };

  /** A session was begun or brought to this server, and its client has been told so. */
  opened(session: number, server: ServerId, timeout: Duration, at: Instant): void {
    this.#timeouts.set(session, timeout);
    this.heard(session, server, at);
  }

  /** What a client asked then was answered by this server. */
  heard(session: number, server: ServerId, asked: Instant): void {
    const { heard } = this.#at(server);
    if ((heard.get(session) ?? -1) < asked) heard.set(session, asked);
  }

  /** Its client ends it. */
  closes(session: number): void {
    this.#timeouts.delete(session);
  }

  leapt(server: ServerId, at: Instant): void {
    this.#at(server).leaptAt = at;
  }

  /**
   * In peace this session, which no client holds, is still there; nobody has said anything in it since
   * `quiet`.
   */
  lingers(session: number, timeoutMs: number, server: ServerId, quiet: Instant, now: Instant): void {
    const begun = [...this.#servers.values()].map(({ servingSince }) => servingSince ?? now);
    const since = Math.max(quiet, ...begun);
    const late = now - since - timeoutMs * 1000;
    if (late <= TO_END) return;
    throw new Violation(`p${server} has not ended session ${session} ${late / 1e6} s after its timeout`);
  }

  /** A client is connected to this server, whose process is not held up, and whose elections wait so long. */
  keeps(name: string, server: ServerId, electionWait: Duration, now: Instant): void {
    const { lookingSince } = this.#at(server);
    const most = Math.max(LEAST_CUT_OFF, LONG_ELECTION * electionWait) + TO_NOTICE;
    if (lookingSince === null || between(lookingSince, now) < most) return;
    throw new Violation(
      `p${server} keeps ${name} waiting and has had no leader for ${between(lookingSince, now) / 1e6} s`,
    );
  }

  #told(server: ServerId, output: ServerOutput, time: Instant): void {
    if (output.kind !== "event") return;
    const watched = this.#at(server);
    const { event } = output;
    if (event.kind === "serving") {
      watched.servingSince = time;
      watched.lookingSince = null;
      watched.followers.clear();
    } else if (event.kind === "looking") watched.lookingSince ??= time;
    else if (event.kind === "synchronized" || event.kind === "parted") {
      const serves = event.kind === "synchronized";
      watched.followers.set(event.follower, { serves, since: time });
    }
  }

  #write(
    server: ServerId,
    { ticket, payload }: Pick<Transaction, "ticket" | "payload">,
    time: Instant,
  ): void {
    if (ticket.origin !== server || this.#at(server).lookedAt !== time) return;
    const read = readPayload(payload);
    if (read?.operation !== "closeSession") return;
    const name = `${server}/${ticket.life}/${ticket.sequence}`;
    if (this.#decided.has(name)) return;
    this.#decided.add(name);
    const watched = this.#at(server);
    watched.ends = watched.endedAt === time ? watched.ends + 1 : 1;
    watched.endedAt = time;
    if (watched.ends > MOST_AT_ONCE)
      throw new Violation(`p${server} ends ${watched.ends} sessions in one step`);
    this.#judge(server, read.caller.session, read.caller.xid % (MAX_SERVER_ID + 1), time);
  }

  /** `server` wants the end of a session whose client was at `place`. */
  #judge(server: ServerId, session: number, place: number, now: Instant): void {
    const timeout = this.#timeouts.get(session);
    const watched = this.#at(server);
    if (timeout === undefined || watched.servingSince === null) return;
    // Clocks differ a little; whose clock leapt has, as far as it can know, waited long enough.
    const least = Math.floor(timeout * 0.998) as Duration;
    if (watched.leaptAt !== null && after(watched.leaptAt, timeout) > now) return;
    this.judged += 1;
    const demand = (since: Instant, what: string): void => {
      if (after(since, least) <= now) return;
      const [waited, due] = [between(since, now) / 1e6, timeout / 1e6];
      throw new Violation(
        `p${server} ends session ${session} of p${place} ${waited} s after ${what}, not ${due}`,
      );
    };
    demand(watched.servingSince, "it began to serve");
    if (place === server) {
      const heard = watched.heard.get(session);
      if (heard !== undefined) demand(heard, "it heard the client");
      return;
    }
    const follower = watched.followers.get(place as ServerId);
    if (follower?.serves === true)
      throw new Violation(`p${server} ends session ${session} of p${place}, which serves it`);
    if (follower !== undefined) demand(follower.since, "that server parted");
  }

  #at(server: ServerId): Watched {
    const known = this.#servers.get(server);
    if (known !== undefined) return known;
    const begun = nobody(null);
    this.#servers.set(server, begun);
    return begun;
  }
}

const nobody = (lookingSince: Instant | null): Watched => ({
  servingSince: null,
  lookingSince,
  lookedAt: null,
  leaptAt: null,
  endedAt: null,
  ends: 0,
  followers: new Map(),
  heard: new Map(),
});

const MOST_AT_ONCE = 500;
const LEAST_CUT_OFF = seconds(2);
const LONG_ELECTION = 10;
/** A tick at most, and the way. */
const TO_NOTICE = seconds(1.2);
/** A tick, what is held up by those that end together, and the way. */
const TO_END = seconds(2.5);
