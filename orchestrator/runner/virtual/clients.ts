/**
 * The write clients in virtual time: each sends what the schedule says, to a server of its own site, and
 * notes what becomes of it.
 *
 * When its server's process dies, a client learns it from the connection; when the server is silent (its
 * machine died, it was paused, it is cut off), it learns it by waiting as long as live clients do. What was
 * under way is then unknown, and the client goes on at the next server of the list that live clients have.
 * Nothing is sent twice.
 */

import { assert } from "#node/core/assert.ts";
import { type ClientId, clientId, type ServerId, serverId } from "#node/core/identity.ts";
import { after, type Duration, type Instant, microseconds, milliseconds } from "#node/core/time.ts";
import { ZERO, type Zxid } from "#node/core/zxid.ts";
import type { VirtualEnsemble } from "#node/host/virtual/ensemble.ts";
import { encodeOperation } from "#node/replica/key-value-operation.ts";
import type { ReplicaOutput, ReplicaProtocol } from "#node/replica/replica-protocol.ts";
import type { Topology } from "../../topology/topology.ts";
import { PATIENCE } from "../../workload/client-session.ts";
import type { WriteOperation, Outcome } from "../../workload/operation.ts";
import { placesOf } from "../../workload/places.ts";
import type { Schedule } from "../../workload/schedule.ts";
import type { Client } from "../../workload/workload.ts";

type ReplicaAnswer = Exclude<ReplicaOutput, { readonly kind: "event" }>;

interface Session {
  readonly client: Client;
  /** Where it may go, best first, and which of them it is at. */
  readonly places: readonly ServerId[];
  at: number;
  server: ServerId;
  connection: ClientId;
  /** One way to the server. */
  hop: Duration;
  attached: boolean;
  /** Since when its server is silent, and whether it ever said a word on this connection. */
  heardAt: Instant;
  wasHeard: boolean;
  /** What cannot pass between the two at the moment. */
  held: (() => void)[];
  /** The newest state it was told of. */
  seen: Zxid;
  /** Sent and not answered: when. */
  readonly pending: Map<number, number>;
  /** Due while there was no server. */
  waiting: number[];
}

export interface Surroundings {
  readonly topology: Topology;
  readonly ensemble: VirtualEnsemble<ReplicaProtocol>;
  /** What a machine adds to every way. */
  readonly handling: Duration;
  /** Servers that a client cannot use: crashed, or standing still. */
  readonly unusable: ReadonlySet<ServerId>;
  /** By `wayKey`: where clients of a site and a server do not reach each other. */
  readonly cutWays: ReadonlySet<string>;
}

export const wayKey = (site: string, server: ServerId): string => `${site} p${server}`;

export class SimulatedClients {
  readonly operations: WriteOperation[] = [];
  readonly #around: Surroundings;
  readonly #schedule: Schedule;
  readonly #origin: Instant;
  readonly #sessions: readonly Session[];
  readonly #byConnection = new Map<ClientId, Session>();
  /** By client: what it writes, but for the id. */
  readonly #templates: ReadonlyMap<number, Uint8Array>;
  /**
   * Payloads are cut from it: a small buffer of its own for each costs more than all else that a request
   * does.
   */
  #slab = new Uint8Array(0);
  #cut = 0;
  #connections = 0;
  #next = 0;

  /** The load begins at `origin`. */
  constructor(around: Surroundings, schedule: Schedule, origin: Instant) {
    this.#around = around;
    this.#schedule = schedule;
    this.#origin = origin;
    const value = new Uint8Array(Math.max(schedule.payloadBytes, 4));
    this.#templates = new Map(
      schedule.clients.map(({ id }) => [id, encodeOperation({ kind: "raise", key: keyOf(id), value })]),
    );
    this.#sessions = schedule.clients.map((client) => this.#open(client));
    this.#planNext();
    this.#planTick();
  }

  answered(server: ServerId, output: ReplicaOutput, time: Instant): void {
    if (output.kind === "event") return;
    const session = this.#byConnection.get(output.client);
    if (session === undefined || session.connection !== output.client || session.server !== server) return;
    this.#pass(session, () =>
      this.#take(session, output, Math.max(time, this.#around.ensemble.now) as Instant),
    );
  }

  #take(session: Session, output: ReplicaAnswer, time: Instant): void {
    session.heardAt = after(time, session.hop);
    session.wasHeard = true;
    switch (output.kind) {
      case "reply":
        session.seen = Math.max(session.seen, output.zxid) as Zxid;
        this.#end(session, output.id, time + session.hop, "ok", output.zxid);
        break;
      case "refused":
        this.#end(session, output.id, time + session.hop, "failed");
        break;
      case "unknown":
        this.#end(session, output.id, time + session.hop, "unknown");
        break;
      case "behind":
        session.attached = false;
        this.#around.ensemble.at(after(time, RETRY), () => this.#attach(session));
        break;
    }
  }

  /** A process died: its machine says so to those connected. */
  disconnected(server: ServerId): void {
    const { ensemble, unusable } = this.#around;
    for (const session of this.#sessions) {
      if (session.server !== server) continue;
      const { connection } = session;
      ensemble.at(after(ensemble.now, session.hop), () => {
        if (session.connection === connection && unusable.has(server)) this.#leave(session);
      });
    }
  }

  /** The run is over; what was not answered will not be known. */
  finish(): void {
    const now = this.#around.ensemble.now;
    for (const session of this.#sessions) {
      for (const id of session.pending.keys()) this.#end(session, id, now, "unknown");
      for (const id of session.waiting) this.#note(session, id, now, now, "failed", ZERO);
      session.waiting = [];
    }
    this.operations.sort((a, b) => a.completed - b.completed || a.id - b.id);
  }

  #open(client: Client): Session {
    const session: Session = {
      client,
      places: placesOf(client, this.#around.topology),
      at: 0,
      server: serverId(client.home),
      connection: clientId(0),
      hop: microseconds(0),
      attached: false,
      heardAt: this.#around.ensemble.now,
      wasHeard: false,
      held: [],
      seen: ZERO,
      pending: new Map(),
      waiting: [],
    };
    this.#attach(session);
    return session;
  }

  #planNext(): void {
    const at = this.#schedule.intended[this.#next];
    if (at === undefined) return;
    this.#around.ensemble.at(after(this.#origin, microseconds(at)), () => {
      const id = this.#next++;
      this.#planNext();
      const session = this.#sessions[(this.#schedule.client[id] ?? 0) - 1];
      if (session === undefined) return;
      if (session.attached) this.#send(session, id);
      else session.waiting.push(id);
    });
  }

  #send(session: Session, id: number): void {
    const { ensemble } = this.#around;
    const { connection, server, client, hop } = session;
    session.pending.set(id, ensemble.now);
    ensemble.at(after(ensemble.now, hop), () => {
      if (session.connection !== connection) return;
      const payload = this.#payload(client.id, id);
      this.#pass(session, () => ensemble.request(server, { kind: "write", client: connection, id, payload }));
    });
  }

  /**
   * The value begins with the id of the request. What a server that the client left passes on late is too
   * late, as it is live once a session has moved.
   */
  #payload(client: number, id: number): Uint8Array {
    const template = this.#templates.get(client);
    assert(template !== undefined, `client ${client} is not of the schedule`);
    if (this.#cut + template.length > this.#slab.length) {
      this.#slab = new Uint8Array(Math.max(SLAB_BYTES, template.length));
      this.#cut = 0;
    }
    const payload = this.#slab.subarray(this.#cut, this.#cut + template.length);
    this.#cut += template.length;
    payload.set(template);
    const at = template.length - Math.max(this.#schedule.payloadBytes, 4);
    new DataView(payload.buffer, payload.byteOffset + at).setUint32(0, id);
    return payload;
  }

  /** To the first that can be used, from where it is in its list. */
  #attach(session: Session): void {
    const { topology, unusable, ensemble, handling } = this.#around;
    const { places, client } = session;
    const ahead = [...places.slice(session.at), ...places.slice(0, session.at)];
    const server = ahead.find((place) => !unusable.has(place));
    if (server === undefined) {
      ensemble.at(after(ensemble.now, RETRY), () => this.#attach(session));
      return;
    }
    const [here, there] = [client.site, topology.servers.get(server) ?? ""];
    const bothWays = topology.link(here, there).delay + topology.link(there, here).delay;
    session.at = places.indexOf(server);
    session.server = server;
    session.hop = microseconds(bothWays / 2 + handling);
    this.#byConnection.delete(session.connection);
    session.connection = clientId(++this.#connections);
    this.#byConnection.set(session.connection, session);
    session.attached = true;
    session.heardAt = ensemble.now;
    session.wasHeard = false;
    session.held = [];
    const { connection, seen } = session;
    this.#pass(session, () => ensemble.request(server, { kind: "attach", client: connection, seen }));
    // It answers at once when the client is ahead of it.
    if (!session.attached) return;
    const { waiting } = session;
    session.waiting = [];
    for (const id of waiting) this.#send(session, id);
  }

  /** Now, or as soon as the way between the two is free again. */
  #pass(session: Session, what: () => void): void {
    if (session.held.length > 0 || !this.#reaches(session)) session.held.push(what);
    else what();
  }

  #reaches({ client, server }: Session): boolean {
    return !this.#around.cutWays.has(wayKey(client.site, server));
  }

  #planTick(): void {
    const { ensemble } = this.#around;
    ensemble.at(after(ensemble.now, TICK), () => {
      for (const session of this.#sessions) this.#tick(session);
      this.#planTick();
    });
  }

  #tick(session: Session): void {
    const { ensemble, unusable } = this.#around;
    if (!session.attached) return;
    if (this.#reaches(session)) {
      for (const what of session.held.splice(0)) what();
      const silence = ensemble.now - session.heardAt;
      // Who waits for nothing asks for a sign of life.
      if (silence > PING_AFTER && session.pending.size === 0 && !unusable.has(session.server)) {
        session.heardAt = ensemble.now;
      }
    }
    if (ensemble.now - session.heardAt > PATIENCE) this.#leave(session);
  }

  #leave(session: Session): void {
    const { ensemble } = this.#around;
    for (const id of session.pending.keys()) this.#end(session, id, ensemble.now, "unknown");
    session.attached = false;
    session.held = [];
    // Whoever lost its server begins with the best of the others; whoever found none goes on to the next.
    session.at = session.wasHeard && session.at !== 0 ? 0 : (session.at + 1) % session.places.length;
    // A new connection takes a round trip.
    ensemble.at(after(ensemble.now, microseconds(2 * session.hop)), () => this.#attach(session));
  }

  #end(session: Session, id: number, at: number, outcome: Outcome, zxid: Zxid = ZERO): void {
    const sent = session.pending.get(id);
    if (sent === undefined) return;
    session.pending.delete(id);
    this.#note(session, id, sent, at, outcome, zxid);
  }

  #note(session: Session, id: number, sent: number, at: number, outcome: Outcome, zxid: Zxid): void {
    this.operations.push({
      id,
      client: session.client.id,
      site: session.client.site,
      server: session.server,
      intended: this.#schedule.intended[id] ?? 0,
      sent: sent - this.#origin,
      completed: at - this.#origin,
      outcome,
      zxid,
    });
  }
}

/** Where a client writes; the value begins with the id of the request. */
export const keyOf = (client: number): string => `client-${client}`;

const SLAB_BYTES = 2 ** 20;
/** When a client leaves a server that does not answer, and when it asks for a sign of life. */
const PING_AFTER = (PATIENCE / 2) as Duration;
const TICK = milliseconds(100);
const RETRY = milliseconds(50);
