/**
 * Clients in virtual time. Each asks its server something every now and then without waiting for answers, and
 * goes to another server when its own has crashed.
 */

import { type ClientId, clientId, type ServerId } from "../../../core/identity.ts";
import type { Random } from "../../../core/random.ts";
import { after, type Duration } from "../../../core/time.ts";
import { encodeOperation, encodeQuery } from "../../../testing/replica/key-value-operation.ts";
import type { ReplicaProtocol } from "../../../replica/replica-protocol.ts";
import type { VirtualEnsemble } from "../ensemble.ts";
import type { Question, Beliefs } from "./beliefs.ts";
import type { World } from "./world.ts";

/** A client that went to another server is another connection: the old one's answers are not for it. */
interface Client {
  connection: ClientId | null;
  server: ServerId;
  asked: number;
  /** Asks for nothing that changes anything, and so is never held up by a write of its own. */
  readonly onlyReads: boolean;
}

export class Workload {
  readonly #world: World;
  readonly #ensemble: VirtualEnsemble<ReplicaProtocol>;
  readonly #beliefs: Beliefs;
  readonly #random: Random;
  readonly #clients: Client[] = [];
  #connections = 0;
  #finishing = false;

  constructor(world: World, ensemble: VirtualEnsemble<ReplicaProtocol>, beliefs: Beliefs, random: Random) {
    this.#world = world;
    this.#ensemble = ensemble;
    this.#beliefs = beliefs;
    this.#random = random;
  }

  /** Questions to servers that live, without an answer yet. */
  get unanswered(): number {
    return this.#beliefs.unanswered;
  }

  begin(): void {
    for (const server of this.#world.servers) {
      for (let count = 0; count < this.#world.clientsPerServer; count++) {
        const onlyReads = this.#random.chance(0.3);
        const client: Client = { connection: null, server, asked: 0, onlyReads };
        this.#clients.push(client);
        this.#sometime(() => this.#live(client));
      }
    }
  }

  /** Trouble is over: everyone asks a last time. True once all have. */
  finish(): boolean {
    this.#finishing = true;
    let done = true;
    for (const client of this.#clients) {
      if (client.asked < 0) continue;
      if (this.#connect(client)) {
        this.#ask(client, { kind: "write", payload: this.#payload(client) });
        this.#ask(client, { kind: "sync" });
        this.#ask(client, { kind: "read", key: this.#key() });
        client.asked = -1;
      } else done = false;
    }
    return done;
  }

  #live(client: Client): void {
    if (this.#finishing) return;
    if (this.#connect(client) && this.#beliefs.unansweredOf(client.connection) < MOST_UNANSWERED) {
      this.#ask(client, this.#question(client));
    }
    this.#sometime(() => this.#live(client));
  }

  /** Attached to a server that runs; a server that is behind what the client has seen sends it away. */
  #connect(client: Client): boolean {
    const { connection, server } = client;
    if (connection !== null && this.#ensemble.isRunning(server) && !this.#beliefs.isGone(connection))
      return true;
    if (connection !== null && this.#ensemble.isRunning(server)) {
      this.#ensemble.request(server, { kind: "detach", client: connection });
    }
    client.server = this.#random.pick(this.#world.servers);
    if (!this.#ensemble.isRunning(client.server)) return false;
    this.#connections += 1;
    client.connection = clientId(this.#connections);
    const seen = this.#beliefs.moved(connection, client.connection, client.server);
    this.#ensemble.request(client.server, { kind: "attach", client: client.connection, seen });
    return !this.#beliefs.isGone(client.connection);
  }

  #ask(client: Client, question: Question): void {
    const { connection, server } = client;
    if (connection === null) return;
    const id = client.asked;
    client.asked += 1;
    this.#beliefs.asked(connection, id, server, question);
    const asked =
      question.kind === "read" ? { kind: "read" as const, query: encodeQuery(question.key) } : question;
    this.#ensemble.request(server, { ...asked, client: connection, tag: id });
  }

  #question(client: Client): Question {
    const kind = this.#random.pick(client.onlyReads ? READS : QUESTIONS);
    if (kind === "write") return { kind, payload: this.#payload(client) };
    if (kind === "sync then read") this.#ask(client, { kind: "sync" });
    return { kind: "read", key: this.#key() };
  }

  /** Every write is unlike any other, so that one cannot be taken for another. */
  #payload({ connection, asked }: Client): Uint8Array {
    const value = new Uint8Array(8 + this.#world.valueBytes);
    new DataView(value.buffer).setUint32(0, connection ?? 0);
    new DataView(value.buffer).setUint32(4, asked);
    const key = this.#key();
    if (this.#random.chance(0.7)) return encodeOperation({ kind: "put", key, value });
    return encodeOperation({ kind: "swap", key, version: this.#random.integer(0, 4), value });
  }

  #key(): string {
    return `k${this.#random.integer(1, this.#world.keys)}`;
  }

  #sometime(action: () => void): void {
    const wait = (this.#random.exponential() * this.#world.questionEvery) as Duration;
    this.#ensemble.at(after(this.#ensemble.now, Math.round(wait) as Duration), action);
  }
}

/** A client that waits for so many answers asks nothing more: a slow ensemble must not be buried. */
const MOST_UNANSWERED = 8;

const READS = ["read", "sync then read"] as const;
const QUESTIONS = ["write", "write", "write", ...READS] as const;
