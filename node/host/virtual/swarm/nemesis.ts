/** Whoever makes the trouble: strikes when the world's plan says so, and mends what it broke. */

import { unreachable } from "../../../core/assert.ts";
import type { ServerId } from "../../../core/identity.ts";
import type { Random } from "../../../core/random.ts";
import { after, instant } from "../../../core/time.ts";
import type { Replica } from "../../../replica/replica.ts";
import type { ReplicaProtocol } from "../../../replica/replica-protocol.ts";
import type { VirtualEnsemble } from "../ensemble.ts";
import type { Transcript } from "./transcript.ts";
import { type Fault, printFault, type Target, type World } from "./world.ts";

export class Nemesis {
  readonly #world: World;
  readonly #ensemble: VirtualEnsemble<ReplicaProtocol>;
  readonly #transcript: Transcript;
  readonly #random: Random;

  constructor(
    world: World,
    ensemble: VirtualEnsemble<ReplicaProtocol>,
    transcript: Transcript,
    random: Random,
  ) {
    this.#world = world;
    this.#ensemble = ensemble;
    this.#transcript = transcript;
    this.#random = random;
  }

  begin(): void {
    for (const { at, lasts, fault } of this.#world.incidents) {
      this.#ensemble.at(instant(at), () => {
        this.#say(printFault(fault));
        const mend = this.#strike(fault);
        this.#ensemble.at(after(this.#ensemble.now, lasts), () => {
          this.#say(`over: ${printFault(fault)}`);
          mend();
        });
      });
    }
  }

  /** Every fault ends, every server runs. */
  heal(): void {
    this.#say("everything heals");
    const { servers } = this.#world;
    for (const server of servers) {
      this.#ensemble.disk(server).slow(1);
      this.#ensemble.resume(server);
      for (const other of servers) if (other !== server) this.#ensemble.heal(server, other);
      this.#start(server);
    }
  }

  #strike(fault: Fault): () => void {
    const { servers } = this.#world;
    switch (fault.kind) {
      case "crash process":
      case "crash machine": {
        const server = this.#pick(fault.target);
        this.#crash(server, fault.kind);
        return () => this.#start(server);
      }
      case "crash everything": {
        for (const server of servers)
          this.#crash(server, this.#random.pick(["crash process", "crash machine"]));
        return () => servers.forEach((server) => this.#start(server));
      }
      case "pause": {
        const server = this.#pick(fault.target);
        this.#ensemble.pause(server);
        return () => this.#ensemble.resume(server);
      }
      case "suspend": {
        const server = this.#pick(fault.target);
        const heal = this.#cut((from, to) => (from === server) !== (to === server));
        this.#ensemble.pause(server);
        return () => {
          this.#ensemble.resume(server);
          heal();
        };
      }
      case "isolate": {
        const server = this.#pick(fault.target);
        return this.#cut((from, to) => (from === server) !== (to === server));
      }
      case "isolate one way": {
        const server = this.#pick(fault.target);
        return this.#cut((from, to) => (fault.direction === "to" ? to : from) === server);
      }
      case "split": {
        const leader = this.#pick("leader");
        const others = this.#random.shuffle(servers.filter((server) => server !== leader));
        const group = new Set([leader, ...others.slice(0, fault.withLeader - 1)]);
        return this.#cut((from, to) => group.has(from) !== group.has(to));
      }
      case "cut pair": {
        const [a, b] = this.#random.shuffle(servers);
        return this.#cut((from, to) => (from === a && to === b) || (from === b && to === a));
      }
      case "break connections":
        return this.#breakConnections();
      case "slow disk": {
        const server = this.#pick(fault.target);
        this.#ensemble.disk(server).slow(50);
        return () => this.#ensemble.disk(server).slow(1);
      }
      default:
        return unreachable(fault);
    }
  }

  #cut(isCut: (from: ServerId, to: ServerId) => boolean): () => void {
    const cuts: [ServerId, ServerId][] = [];
    for (const from of this.#world.servers) {
      for (const to of this.#world.servers) if (from !== to && isCut(from, to)) cuts.push([from, to]);
    }
    for (const [from, to] of cuts) this.#ensemble.cut(from, to);
    return () => {
      for (const [from, to] of cuts) this.#ensemble.heal(from, to);
    };
  }

  /**
   * A frame that makes no sense costs the connection it came on, and nothing else. Mostly one follower's: it
   * comes back to the same leader, where what it sent before is still under way.
   */
  #breakConnections(): () => void {
    const { servers } = this.#world;
    const leader = this.#pick("leader");
    for (let count = this.#random.pick([1, 1, 1, servers.length]); count > 0; count--) {
      const to = this.#random.pick(servers);
      const nonsense = Uint8Array.of(0, 0, 0, 2, 0xff, this.#random.integer(0, 255));
      if (leader !== to) this.#ensemble.inject(leader, to, nonsense);
    }
    return () => {};
  }

  #crash(server: ServerId, kind: "crash process" | "crash machine"): void {
    if (!this.#ensemble.isRunning(server)) return;
    if (kind === "crash process") this.#ensemble.crashProcess(server);
    else this.#ensemble.crashMachine(server);
  }

  #start(server: ServerId): void {
    if (this.#ensemble.isRunning(server)) return;
    const started = this.#ensemble.start(server);
    if (!started.ok) throw new Error(`p${server} cannot start: ${started.reason} at ${started.offset}`);
  }

  #pick(target: Target): ServerId {
    const { servers } = this.#world;
    const leading = servers.filter((server) => this.#role(server) === "leading");
    const others = servers.filter((server) => this.#role(server) !== "leading");
    if (target === "leader" && leading.length > 0) return this.#random.pick(leading);
    return this.#random.pick(target === "follower" && others.length > 0 ? others : servers);
  }

  #role(server: ServerId): string | undefined {
    return (this.#ensemble.automaton(server) as Replica | null)?.status.role;
  }

  #say(what: string): void {
    this.#transcript.add(this.#ensemble.now, `-- ${what}`);
  }
}
