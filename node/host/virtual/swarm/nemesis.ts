/** Whoever makes the trouble: strikes when the world's plan says so, and mends what it broke. */

import { unreachable } from "../../../core/assert.ts";
import type { ServerId } from "../../../core/identity.ts";
import type { Random } from "../../../core/random.ts";
import { after, instant } from "../../../core/time.ts";
import type { Replica } from "../../../replica/replica.ts";
import type { ReplicaProtocol } from "../../../replica/replica-protocol.ts";
import type { VirtualEnsemble } from "../ensemble.ts";
import { waysOf, cut, type IsCut, isCutBy, pickFrom, type Target } from "../../../testing/swarm/cut.ts";
import type { Transcript } from "./transcript.ts";
import { type Fault, printFault, type World } from "./world.ts";

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
        const heal = this.#cut(waysOf(server));
        this.#ensemble.pause(server);
        return () => {
          this.#ensemble.resume(server);
          heal();
        };
      }
      case "isolate":
      case "isolate one way":
      case "split":
      case "cut pair":
        return this.#cut(isCutBy(fault, servers, this.#random, (target) => this.#pick(target)));
      case "break connections":
        return this.#breakConnections();
      case "slow disk": {
        const server = this.#pick(fault.target);
        this.#ensemble.disk(server).slow(50);
        return () => this.#ensemble.disk(server).slow(1);
      }
      case "transfer": {
        const leader = this.#pick("leader");
        if (this.#ensemble.isRunning(leader)) this.#ensemble.request(leader, fault);
        return () => {};
      }
      default:
        return unreachable(fault);
    }
  }

  #cut(isCut: IsCut): () => void {
    return cut(this.#ensemble, this.#world.servers, isCut);
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
    const isLeading = (server: ServerId): boolean =>
      (this.#ensemble.automaton(server) as Replica | null)?.status.role === "leading";
    return pickFrom(this.#world.servers, target, isLeading, this.#random);
  }

  #say(what: string): void {
    this.#transcript.add(this.#ensemble.now, `-- ${what}`);
  }
}
