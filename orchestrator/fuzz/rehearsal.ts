/**
 * Three honest servers play the life of an ensemble once, in memory: disks are safe at once, connections pass
 * everything on in order, timers fire when nothing else happens. What server 1 went through is written down,
 * so that another server 1 can be brought to any moment of that life again.
 */

import type { Input } from "#node/core/automaton.ts";
import { clientId, ensemble, type ServerId, serverId } from "#node/core/identity.ts";
import { BLANK } from "#node/core/recovery.ts";
import { type Instant, instant, microseconds, milliseconds, timeOfDay } from "#node/core/time.ts";
import { preference } from "#node/oracle/preference.ts";
import { choose, DEFAULT_ELECTION, entryOf } from "#node/election/catalog.ts";
import type { PeerMessage } from "#node/replica/message.ts";
import { Server, type ServerProtocol } from "#node/front/server.ts";
import type { Secrets } from "#node/front/credentials.ts";
import { requestFrame } from "#node/testing/front/front-stage.ts";
import { frameOf } from "#node/front/frame.ts";
import { DEFAULTS } from "#node/tree/payload.ts";
import { Tree } from "#node/tree/tree.ts";
import { OPEN } from "#node/wire/client/acl.ts";
import { writeConnectRequest } from "#node/wire/client/handshake.ts";
import { JuteWriter } from "#node/wire/client/jute.ts";

export const SERVERS = ensemble([1, 2, 3]);
export const SELF = serverId(1);
const SECRETS: Secrets = {
  sha1: (bytes) => bytes,
  password: () => new Uint8Array(16),
  seal: () => "a seal",
  superDigest: null,
};
/** As usual, but waiting for nobody long. */
const QUICK = choose(DEFAULT_ELECTION, (option) =>
  entryOf(DEFAULT_ELECTION).options[option]?.kind === "duration" ? milliseconds(20) : null,
);
const ONE_WAY = microseconds(100);
const MOST_TURNS = 10_000;

/** One thing that happened to server 1. */
export interface Step {
  readonly input: Input<ServerProtocol>;
  readonly now: Instant;
}

export interface Plot {
  /** Who leads, if it is there. */
  readonly leader: number;
  /** Server 1 is cut off while the others serve, and comes back. */
  readonly isAway: boolean;
  /** Who ends just when it comes back. */
  readonly goes: number | null;
}

/** A server whose disk is safe at once and whose timers wait to be fired. */
export class Played {
  readonly timers = new Map<ServerProtocol["timer"], Instant>();
  readonly #server: Server;
  #appended = 0;

  constructor(self: ServerId, leader: ServerId) {
    this.#server = new Server({
      tree: new Tree(),
      readOnly: false,
      front: {
        self,
        tick: milliseconds(2000),
        timeouts: { least: milliseconds(4000), most: milliseconds(40_000) },
        skipAcl: false,
        patience: milliseconds(5000),
        secrets: SECRETS,
        options: DEFAULTS,
      },
      replica: {
        servers: SERVERS,
        oracle: preference([leader]),
        election: QUICK,
        // Whoever comes late gets a snapshot.
        broadcast: { historyBytes: 100, checkpointTransactions: 3 },
      },
    });
  }

  get isServing(): boolean {
    return this.#server.status.role !== "looking";
  }

  /** What it sends, in order. */
  step(input: Input<ServerProtocol>, now: Instant): readonly Sending[] {
    const sendings: Sending[] = [];
    let before = -1;
    for (let next: Input<ServerProtocol> = input; before < this.#appended; ) {
      before = this.#appended;
      for (const step of [next, { kind: "turn" } as const]) this.#step(step, now, sendings);
      next = { kind: "durable", upTo: this.#appended };
    }
    return sendings;
  }

  #step(input: Input<ServerProtocol>, now: Instant, sendings: Sending[]): void {
    for (const effect of this.#server.step(input, now)) {
      if (effect.kind === "append") this.#appended += effect.records.length;
      else if (effect.kind === "arm") this.timers.set(effect.timer, instant(now + effect.after));
      else if (effect.kind === "disarm") this.timers.delete(effect.timer);
      else if (effect.kind === "send")
        for (const to of effect.to) sendings.push({ to, message: effect.message });
    }
  }

  /** The timer that is due first. */
  get next(): { readonly timer: ServerProtocol["timer"]; readonly due: Instant } | null {
    let first: { readonly timer: ServerProtocol["timer"]; readonly due: Instant } | null = null;
    for (const [timer, due] of this.timers) if (first === null || due < first.due) first = { timer, due };
    return first;
  }
}

interface Sending {
  readonly to: ServerId;
  readonly message: PeerMessage;
}

export function rehearse(plot: Plot): readonly Step[] {
  const stage = new Stage(plot.leader);
  for (const id of SERVERS) stage.start(id);
  stage.play(SERVERS);
  stage.write(serverId(3));
  if (plot.isAway) {
    const others = SERVERS.filter((id) => id !== SELF);
    for (const id of others) stage.cut(SELF, id);
    stage.play(others);
    stage.write(serverId(3));
    if (plot.goes !== null) stage.end(serverId(plot.goes));
    for (const id of others) stage.connect(SELF, id);
    stage.play(SERVERS.filter((id) => id !== plot.goes));
  }
  stage.write(serverId(2));
  return stage.steps;
}

class Stage {
  readonly steps: Step[] = [];
  readonly #leader: ServerId;
  readonly #played = new Map<ServerId, Played>();
  /** By "from>to"; what is not here is not connected. */
  readonly #roads = new Map<string, PeerMessage[]>();
  #now = instant(0);

  constructor(leader: number) {
    this.#leader = serverId(leader);
  }

  start(id: ServerId): void {
    const others = [...this.#played.keys()];
    this.#played.set(id, new Played(id, this.#leader));
    this.#give(id, { kind: "start", recovered: BLANK, life: id, timeOfDay: timeOfDay(1e12) });
    for (const other of others) this.connect(id, other);
  }

  end(id: ServerId): void {
    this.#played.delete(id);
    for (const other of this.#played.keys()) this.cut(other, id);
  }

  connect(a: ServerId, b: ServerId): void {
    if (!this.#played.has(a) || !this.#played.has(b)) return;
    for (const [from, to] of both(a, b)) this.#roads.set(`${from}>${to}`, []);
    for (const [from, to] of both(a, b)) this.#give(from, { kind: "connected", server: to });
  }

  cut(a: ServerId, b: ServerId): void {
    for (const [from, to] of both(a, b)) {
      if (this.#roads.delete(`${from}>${to}`)) this.#give(from, { kind: "unreachable", server: to });
    }
  }

  /** A client comes and creates a few znodes. */
  write(id: ServerId): void {
    const client = clientId(1 + this.steps.length);
    const wish = { lastZxidSeen: 0, timeoutMs: 10_000, session: 0, password: new Uint8Array(16) };
    const hello = frameOf(writeConnectRequest(new JuteWriter(), { ...wish, readOnly: false }).finish());
    const said = [hello];
    for (let xid = 1; xid <= 5; xid++) {
      const create = { kind: "create", path: "/a", data: new Uint8Array(40), acl: OPEN } as const;
      said.push(requestFrame({ ...create, flags: 2, ttl: -1 }, xid));
    }
    this.#give(id, { kind: "request", request: { kind: "opened", client, address: "::1", port: 1 } });
    for (const bytes of said) {
      this.#give(id, { kind: "request", request: { kind: "received", client, bytes } });
      this.#passOn();
    }
  }

  /** Until all of these serve. */
  play(servers: readonly ServerId[]): void {
    for (let turns = 0; !servers.every((id) => this.#played.get(id)?.isServing); turns++) {
      if (turns > MOST_TURNS) throw new Error("the rehearsed ensemble does not come to serve");
      this.#passOn();
      let first: { readonly id: ServerId; readonly due: Instant } | null = null;
      for (const [id, { next }] of this.#played) {
        if (next !== null && (first === null || next.due < first.due)) first = { id, due: next.due };
      }
      if (first !== null) this.#fire(first.id);
    }
  }

  #fire(id: ServerId): void {
    const played = this.#played.get(id);
    if (played?.next === null || played === undefined) return;
    const { timer, due } = played.next;
    played.timers.delete(timer);
    this.#now = due;
    this.#give(id, { kind: "timeout", timer });
  }

  /** Everything that is under way arrives, and what is said to it. */
  #passOn(): void {
    for (let isBusy = true; isBusy; ) {
      isBusy = false;
      for (const [road, messages] of this.#roads) {
        const message = messages.shift();
        if (message === undefined) continue;
        isBusy = true;
        const [from, to] = road.split(">").map(Number);
        this.#now = instant(this.#now + ONE_WAY);
        this.#give(serverId(to ?? 0), { kind: "message", from: serverId(from ?? 0), message });
      }
    }
  }

  #give(id: ServerId, input: Input<ServerProtocol>): void {
    const played = this.#played.get(id);
    if (played === undefined) return;
    if (id === SELF) this.steps.push({ input, now: this.#now });
    for (const { to, message } of played.step(input, this.#now)) {
      this.#roads.get(`${id}>${to}`)?.push(message);
    }
  }
}

const both = (a: ServerId, b: ServerId) =>
  [
    [a, b],
    [b, a],
  ] as const;
