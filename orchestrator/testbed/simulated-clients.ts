/**
 * The write clients in virtual time: each sends what the schedule says, to a server of its own site, and
 * notes what becomes of it.
 *
 * When its server's process dies, a client learns it from the connection; when the server is silent (its
 * machine died, it was paused), it learns it by waiting. What was under way is then unknown, and the client
 * goes on at another server of its site, or at the nearest that has one. Nothing is sent twice.
 */

import { assert } from "#node/core/assert.ts";
import { type ClientId, clientId, type ServerId, serverId } from "#node/core/identity.ts";
import { Random } from "#node/core/random.ts";
import { after, type Duration, type Instant, microseconds, milliseconds } from "#node/core/time.ts";
import { ZERO, type Zxid } from "#node/core/zxid.ts";
import type { VirtualEnsemble } from "#node/host/virtual/ensemble.ts";
import { encodeOperation } from "#node/replica/key-value-operation.ts";
import type { ReplicaOutput, ReplicaProtocol } from "#node/replica/replica-protocol.ts";
import { accessOf } from "../model.ts";
import type { Topology } from "../topology.ts";
import type { WriteOperation, Outcome } from "../workload/operation.ts";
import type { Schedule } from "../workload/schedule.ts";
import type { Client } from "../workload/workload.ts";

interface Session {
  readonly client: Client;
  server: ServerId;
  connection: ClientId;
  /** One way to the server. */
  hop: Duration;
  attached: boolean;
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
  readonly seed: number;
  /** What a machine adds to every way. */
  readonly handling: Duration;
  /** Servers that a client cannot use: crashed, or standing still. */
  readonly unusable: ReadonlySet<ServerId>;
}

export class SimulatedClients {
  readonly operations: WriteOperation[] = [];
  readonly #around: Surroundings;
  readonly #schedule: Schedule;
  readonly #origin: Instant;
  readonly #random: Random;
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
    this.#random = new Random(around.seed, CLIENTS_STREAM);
    const value = new Uint8Array(Math.max(schedule.payloadBytes, 4));
    this.#templates = new Map(
      schedule.clients.map(({ id }) => [id, encodeOperation({ kind: "put", key: keyOf(id), value })]),
    );
    this.#sessions = schedule.clients.map((client) => this.#open(client));
    this.#planNext();
  }

  answered(server: ServerId, output: ReplicaOutput, time: Instant): void {
    if (output.kind === "event") return;
    const session = this.#byConnection.get(output.client);
    if (session === undefined || session.connection !== output.client || session.server !== server) return;
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
    this.#leave(server, (hop) => hop);
  }

  /** A server stopped answering without a word. */
  silenced(server: ServerId): void {
    this.#leave(server, () => PATIENCE);
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
      server: serverId(client.home),
      connection: clientId(0),
      hop: microseconds(0),
      attached: false,
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
      ensemble.request(server, { kind: "write", client: connection, id, payload });
    });
  }

  /** The value begins with the id of the request. */
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

  #attach(session: Session): void {
    const { topology, unusable, ensemble, handling } = this.#around;
    const { servers, hop } = accessOf(topology, session.client.site, [...unusable]);
    if (servers.length === 0) {
      ensemble.at(after(ensemble.now, RETRY), () => this.#attach(session));
      return;
    }
    const home = serverId(session.client.home);
    session.server = servers.includes(home) ? home : this.#random.pick(servers);
    session.hop = microseconds(hop / 2 + handling);
    this.#byConnection.delete(session.connection);
    session.connection = clientId(++this.#connections);
    this.#byConnection.set(session.connection, session);
    session.attached = true;
    const { connection: client, server, seen } = session;
    ensemble.request(server, { kind: "attach", client, seen });
    // It answers at once when the client is ahead of it.
    if (!session.attached) return;
    const { waiting } = session;
    session.waiting = [];
    for (const id of waiting) this.#send(session, id);
  }

  #leave(server: ServerId, patience: (hop: Duration) => Duration): void {
    const { ensemble, unusable } = this.#around;
    for (const session of this.#sessions) {
      if (session.server !== server) continue;
      const { connection } = session;
      ensemble.at(after(ensemble.now, patience(session.hop)), () => {
        if (session.connection !== connection || !unusable.has(server)) return;
        for (const id of session.pending.keys()) this.#end(session, id, ensemble.now, "unknown");
        session.attached = false;
        // A new connection takes a round trip.
        ensemble.at(after(ensemble.now, microseconds(2 * session.hop)), () => this.#attach(session));
      });
    }
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
const CLIENTS_STREAM = 200;
/** Two thirds of a session of 4 s: when a ZooKeeper client leaves a server that does not answer. */
const PATIENCE = milliseconds(2667);
const RETRY = milliseconds(50);
