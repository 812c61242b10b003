/** Whoever makes the trouble in a world of whole servers: strikes by the plan, and mends what it broke. */

import { unreachable } from "../../core/assert.ts";
import type { ServerId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import { after, type Duration, instant, milliseconds } from "../../core/time.ts";
import type { SectorDisk } from "../store/sector-disk.ts";
import {
  type DiskFault,
  type Fault,
  type Incident,
  type NetworkFault,
  type ProcessFault,
  printFault,
  type Target,
} from "./fault.ts";
import { waysOf, cut, type IsCut, isCutBy, pickFrom } from "../swarm/cut.ts";
import type { Leases } from "./leases.ts";
import type { ServerStage } from "./stage.ts";
import { drawSettings, type ServerWorld } from "./world.ts";

export class ServerNemesis {
  readonly #world: ServerWorld;
  readonly #stage: ServerStage;
  readonly #leases: Leases;
  readonly #say: (what: string, fault?: Fault) => void;
  #last: ServerId | null = null;
  #isPeace = false;
  /** Each incident draws on its own, so that one that is left out changes nothing for the others. */
  #random: Random;

  constructor(
    world: ServerWorld,
    stage: ServerStage,
    say: (what: string, fault?: Fault) => void,
    leases: Leases,
  ) {
    this.#leases = leases;
    this.#world = world;
    this.#stage = stage;
    this.#say = say;
    this.#random = new Random(world.seed, INCIDENT_STREAM);
  }

  begin(): void {
    for (const incident of this.#world.incidents) {
      this.#at(instant(incident.at), () => this.#happen(incident));
    }
  }

  /** Every fault ends, every server runs. */
  heal(): void {
    this.#isPeace = true;
    this.#say("everything heals");
    const { servers } = this.#world;
    const { ensemble } = this.#stage;
    for (const server of servers) {
      const disk = this.#stage.disk(server);
      disk.slowness = 1;
      disk.isFull = false;
      disk.isFailing = false;
      disk.stall(null);
      this.#stage.resume(server);
      for (const other of servers) if (other !== server) ensemble.heal(server, other);
      this.#stage.healClients(server);
      this.#stage.start(server);
    }
  }

  #happen({ number, lasts, fault }: Incident): void {
    this.#random = new Random(this.#world.seed, INCIDENT_STREAM + 1 + number);
    this.#say(printFault(fault), fault);
    const mend = this.#strike(fault);
    this.#at(after(this.#stage.ensemble.now, lasts), () => {
      this.#say(`over: ${printFault(fault)}`);
      mend();
    });
  }

  /** What mends it is returned. */
  #strike(fault: Fault): () => void {
    switch (fault.kind) {
      case "crash process":
      case "crash machine":
      case "stop":
      case "other settings":
      case "crash everything":
      case "lost quorum":
      case "pause":
      case "suspend":
        return this.#strikeProcess(fault);
      case "slow disk":
      case "stalled disk":
      case "full disk":
      case "failing disk":
        return this.#strikeDisk(fault, this.#stage.disk(this.#pick(fault.target)));
      case "late checkpoint":
        return this.#delayCheckpoint(this.#pick(fault.target));
      case "set clock":
        this.#stage.setClock(this.#pick(fault.target), fault.by);
        return NOTHING;
      case "new disk": {
        const server = this.#pick(fault.target);
        this.#stage.replaceDisk(server);
        return () => this.#stage.start(server);
      }
      case "leap clock":
        this.#leap(this.#pick(fault.target), fault.by);
        return NOTHING;
      default:
        return this.#strikeNetwork(fault);
    }
  }

  #leap(server: ServerId, by: Duration): void {
    this.#leases.leapt(server, this.#stage.ensemble.now);
    this.#stage.ensemble.leapClock(server, by);
  }

  #strikeProcess(fault: ProcessFault): () => void {
    const { servers } = this.#world;
    const stage = this.#stage;
    if (fault.kind === "crash everything" || fault.kind === "lost quorum") {
      const count = fault.kind === "lost quorum" ? Math.ceil(servers.length / 2) : servers.length;
      const struck = count === servers.length ? servers : this.#random.shuffle(servers).slice(0, count);
      for (const server of struck) stage.kill(server, this.#random.pick(["process", "machine"]));
      return () => struck.forEach((server) => stage.start(server));
    }
    const server = this.#pick(fault.target);
    switch (fault.kind) {
      case "crash process":
      case "crash machine":
        stage.kill(server, fault.kind === "crash process" ? "process" : "machine");
        return () => stage.start(server);
      case "other settings":
        stage.set(server, drawSettings(this.#random));
        stage.stop(server);
        return () => this.#startLater(server);
      case "stop":
        stage.stop(server);
        return () => this.#startLater(server);
      case "pause":
        stage.pause(server);
        return () => stage.resume(server);
      case "suspend": {
        const heal = this.#cut(waysOf(server));
        stage.pause(server);
        stage.cutClients(server);
        return () => {
          stage.resume(server);
          stage.healClients(server);
          heal();
        };
      }
      default:
        return unreachable(fault);
    }
  }

  #strikeNetwork(fault: NetworkFault): () => void {
    const { servers } = this.#world;
    switch (fault.kind) {
      case "isolate":
      case "isolate one way":
      case "split":
      case "cut pair":
        return this.#cut(isCutBy(fault, servers, this.#random, (target) => this.#pick(target)));
      case "forget bulk": {
        const [a, b] = this.#random.shuffle(servers);
        if (a !== undefined && b !== undefined) this.#stage.forgetBulk(a, b);
        return NOTHING;
      }
      case "cut clients": {
        const server = this.#pick(fault.target);
        this.#stage.cutClients(server);
        return () => this.#stage.healClients(server);
      }
      default:
        return unreachable(fault);
    }
  }

  /**
   * As soon as one is under way it stands still, and its server is cut off; then it hears the others first.
   */
  #delayCheckpoint(server: ServerId): () => void {
    const disk = this.#stage.disk(server);
    const mends: (() => void)[] = [];
    let isOver = false;
    const look = (): void => {
      const name = disk.names().find((each) => each.startsWith("snapshot.") && each.endsWith(".unfinished"));
      if (isOver || this.#isPeace) return;
      if (name === undefined) return this.#at(after(this.#stage.ensemble.now, LOOK), look);
      disk.stall(name);
      const heal = this.#cut(waysOf(server));
      mends.push(heal);
      this.#at(after(this.#stage.ensemble.now, CUT_OFF), heal);
    };
    look();
    return () => {
      isOver = true;
      for (const mend of mends) mend();
      disk.stall(null);
    };
  }

  #strikeDisk(fault: DiskFault, disk: SectorDisk): () => void {
    switch (fault.kind) {
      case "slow disk":
        disk.slowness = fault.factor;
        return () => {
          disk.slowness = 1;
        };
      case "stalled disk":
        disk.stall(fault.files);
        return () => disk.stall(null);
      case "full disk":
        disk.isFull = true;
        return () => {
          disk.isFull = false;
        };
      case "failing disk":
        disk.isFailing = true;
        return () => {
          disk.isFailing = false;
        };
      default:
        return unreachable(fault);
    }
  }

  /** It may not have ended yet. */
  #startLater(server: ServerId): void {
    const later = after(this.#stage.ensemble.now, AFTER_STOP);
    this.#at(later, () => this.#stage.start(server));
  }

  #cut(isCut: IsCut): () => void {
    return cut(this.#stage.ensemble, this.#world.servers, isCut);
  }

  #pick(target: Target): ServerId {
    this.#last = target === "last" && this.#last !== null ? this.#last : this.#choose(target);
    return this.#last;
  }

  #choose(target: Target): ServerId {
    const isLeading = (server: ServerId): boolean => this.#stage.server(server)?.status.role === "leading";
    return pickFrom(this.#world.servers, target === "last" ? "any" : target, isLeading, this.#random);
  }

  #at(time: Parameters<ServerStage["ensemble"]["at"]>[0], action: () => void): void {
    this.#stage.ensemble.at(time, action);
  }
}

const NOTHING = (): void => {};
const INCIDENT_STREAM = 1000;
const LOOK = milliseconds(1);
const CUT_OFF = milliseconds(800);
const AFTER_STOP = 20_000 as Parameters<typeof after>[1];
