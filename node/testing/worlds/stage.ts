/**
 * The servers of a world as they ship, in virtual time: front, sessions and tree on the real store, each on a
 * machine with a disk of sectors; and whoever starts a process again that ended by itself.
 */

import { clusterText } from "../../config/cluster-text.ts";
import { secretsFor } from "../../config/secrets.ts";
import type { ServerAddress } from "../../config/settings.ts";
import type { ServerId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { Random } from "../../core/random.ts";
import { after, type Duration, milliseconds, seconds } from "../../core/time.ts";
import { Server, type ServerOutput, type ServerProtocol } from "../../front/server.ts";
import { replicaCodec } from "../../host/replica-codec.ts";
import { VirtualClients } from "../../host/virtual/clients.ts";
import { type Observer, VirtualEnsemble } from "../../host/virtual/ensemble.ts";
import type { Death } from "../../host/virtual/storage.ts";
import { Violation } from "../../host/virtual/swarm/sequence.ts";
import { oracles } from "../../oracle/catalog.ts";
import { DEFAULTS } from "../../tree/payload.ts";
import type { Tree } from "../../tree/tree.ts";
import { PASSWORD_BYTES } from "../../wire/client/handshake.ts";
import { SectorDisk } from "../store/sector-disk.ts";
import { Settling } from "../store/settling.ts";
import { StoreInVirtualTime } from "../store/store-in-virtual-time.ts";
import type { Book } from "./book.ts";
import type { Remembrance } from "./remembrance.ts";
import type { ServerWorld, Settings } from "./world.ts";

export class ServerStage {
  readonly ensemble: VirtualEnsemble<ServerProtocol>;
  readonly clients: VirtualClients;
  readonly #world: ServerWorld;
  readonly #book: Book;
  readonly #remembrance: Remembrance;
  readonly #mutant: Mutant | null;
  readonly #settling = new Settling();
  readonly #stores = new Map<ServerId, StoreInVirtualTime>();
  readonly #settings = new Map<ServerId, Settings>();
  readonly #passwords: Random;
  /** Machines without power, and servers that no client reaches. */
  readonly #dark = new Set<ServerId>();
  readonly #unreached = new Set<ServerId>();
  readonly #paused = new Set<ServerId>();
  readonly #trees = new Map<ServerId, Tree>();
  readonly #setBy = new Map<ServerId, Duration>();
  /** Their disks are being read. */
  readonly #opening = new Set<ServerId>();
  /** Whoever makes trouble holds them down. */
  readonly #heldDown = new Set<ServerId>();
  #failure: Error | null = null;

  constructor(
    world: ServerWorld,
    book: Book,
    remembrance: Remembrance,
    mutant: Mutant | null,
    seen: Observer<ServerProtocol>,
  ) {
    this.#world = world;
    this.#book = book;
    this.#remembrance = remembrance;
    this.#mutant = mutant;
    this.#passwords = new Random(world.seed, PASSWORD_STREAM);
    const way = { delay: milliseconds(world.wayMs), jitter: world.jitter, distribution: "pareto" as const };
    this.ensemble = new VirtualEnsemble<ServerProtocol>({
      servers: world.servers,
      seed: world.seed,
      codec: { ...replicaCodec },
      network: { link: () => way },
      storage: (id, agenda, random) => {
        const shape = { sync: milliseconds(world.diskMs), tears: world.tears };
        const disk = new SectorDisk(`p${id}`, shape, agenda, random.fork(), this.#settling);
        const sizes = { first: world.settings.segmentBytes, largest: 2 * world.settings.segmentBytes };
        const store = new StoreInVirtualTime(disk, random.fork(), this.#settling, sizes, this.#broken);
        store.mutant = mutant;
        this.#stores.set(id, store);
        return store;
      },
      clock: (id) => ({ offset: seconds(id), drift: ((id % 3) - 1) * world.driftPpm }),
      create: (self) => this.#server(self),
      observer: this.#observer(seen),
    });
    const { ensemble } = this;
    this.clients = new VirtualClients({
      get now() {
        return ensemble.now;
      },
      at: (time, action) => ensemble.at(time, action),
      request: (server, request) => ensemble.request(server, request),
      isOn: (server) => !this.#dark.has(server),
      way: () => way.delay,
      isCut: (_, server) => this.#unreached.has(server),
    });
  }

  #observer(seen: Observer<ServerProtocol>): Observer<ServerProtocol> {
    const { disks } = this.#book;
    const remembrance = this.#remembrance;
    return {
      input: (server, input, time) => {
        if (input.kind === "start") {
          remembrance.started(server, input.recovered);
          disks.started(server, input.recovered);
        } else if (input.kind === "durable") {
          remembrance.durable(server, input.upTo);
          disks.durable(server, input.upTo);
        }
        seen.input?.(server, input, time);
      },
      effect: (server, effect, time) => {
        if (effect.kind === "append") {
          remembrance.appended(server, effect.records);
          disks.appended(server, effect.records);
        }
        seen.effect?.(server, effect, time);
      },
      output: (server, output, time) => {
        seen.output?.(server, output, time);
        this.#say(output);
      },
      crashed: (server, reason, time) => {
        seen.crashed?.(server, reason, time);
        if (!this.#dark.has(server)) this.clients.processDied(server);
        this.#startAgain(server);
      },
    };
  }

  /** Where nobody stands below who could be thrown at. */
  readonly #broken = (error: unknown): void => {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
  };

  server(id: ServerId): Server | null {
    return this.ensemble.automaton(id) as Server | null;
  }

  /** Null when it does not run. */
  tree(id: ServerId): Tree | null {
    return this.server(id) === null ? null : (this.#trees.get(id) ?? null);
  }

  disk(id: ServerId): SectorDisk {
    return this.#store(id).disk;
  }

  /** Begins a life, unless there is one: the disk is read, and then the process serves. */
  start(id: ServerId): void {
    this.#heldDown.delete(id);
    if (this.ensemble.isRunning(id) || this.#opening.has(id)) return;
    this.#dark.delete(id);
    this.#opening.add(id);
    this.ensemble.startWhenRead(id).then((started) => {
      this.#opening.delete(id);
      if (!started.ok) this.#refused(id, started.reason);
    }, this.#broken);
  }

  /** Nobody starts it again but `start`. */
  kill(id: ServerId, how: Death): void {
    this.#heldDown.add(id);
    const isRunning = this.ensemble.isRunning(id);
    if (how === "machine") {
      this.#dark.add(id);
      this.ensemble.crashMachine(id);
      this.clients.machineDied(id);
    } else this.ensemble.crashProcess(id);
    this.#opening.delete(id);
    // Its disk is being read, or nobody reads it: the power goes all the same.
    if (!isRunning) this.#store(id).crash(how);
  }

  replaceDisk(id: ServerId): void {
    this.kill(id, "machine");
    this.disk(id).wipe();
    this.#remembrance.forgot(id);
  }

  /** As `service.ts` ends one: it hands over what it leads, and then its process ends. */
  stop(id: ServerId): void {
    this.ensemble.request(id, { kind: "retire" });
    this.ensemble.at(after(this.ensemble.now, LAST_WORDS), () => this.kill(id, "process"));
    this.#heldDown.add(id);
  }

  /** What it begins its next life with. */
  set(id: ServerId, settings: Settings): void {
    this.#settings.set(id, settings);
  }

  /** Somebody sets its time of day. */
  setClock(id: ServerId, by: Duration): void {
    this.#setBy.set(id, ((this.#setBy.get(id) ?? 0) + by) as Duration);
    this.ensemble.jumpClock(id, by);
  }

  /** By how much more it was set ahead than this one, or back. */
  setAhead(id: ServerId): Duration {
    return this.#setBy.get(id) ?? (0 as Duration);
  }

  /** Something on the way forgets one lane of the link between the two. */
  forgetBulk(one: ServerId, other: ServerId): void {
    this.ensemble.forgetBulk(one, other, this.#mutant !== "forgotten-unnoticed");
  }

  cutClients(id: ServerId): void {
    this.#unreached.add(id);
  }

  healClients(id: ServerId): void {
    this.#unreached.delete(id);
    this.clients.healed();
  }

  pause(id: ServerId): void {
    this.#paused.add(id);
    this.ensemble.pause(id);
  }

  resume(id: ServerId): void {
    this.#paused.delete(id);
    this.ensemble.resume(id);
  }

  /** How long its elections wait; null where its clients may not be heard, or it does nothing. */
  servesAlone(id: ServerId): Duration | null {
    if (this.#paused.has(id) || this.#unreached.has(id) || this.#dark.has(id)) return null;
    return this.server(id)?.replica.electionWait ?? null;
  }

  async pass(time: Duration): Promise<void> {
    const end = after(this.ensemble.now, time);
    await this.ensemble.runSettled(end, () => {
      if (this.#failure !== null) throw this.#failure;
      return this.#settling.settled();
    });
    if (this.#failure !== null) throw this.#failure;
  }

  #refused(id: ServerId, reason: string): void {
    if (reason.startsWith("damaged: ")) throw new Violation(`p${id} cannot start: ${reason}`);
    this.#startAgain(id);
  }

  #startAgain(id: ServerId): void {
    this.ensemble.at(after(this.ensemble.now, PAUSE), () => {
      if (!this.#heldDown.has(id)) this.start(id);
    });
  }

  #say(output: ServerOutput): void {
    if (output.kind !== "event" && output.kind !== "word") this.clients.heard(output);
  }

  #store(id: ServerId): StoreInVirtualTime {
    const store = this.#stores.get(id);
    if (store === undefined) throw new Error(`server ${id} is not of this world`);
    return store;
  }

  #server(self: ServerId): Server {
    const { servers, oracle, heartbeat, tick, settings } = this.#world;
    const own = this.#settings.get(self) ?? settings;
    const tree = this.#book.tree(self, clusterText(addressesOf(servers), this.#mutant), this.#mutant);
    this.#trees.set(self, tree);
    return new Server({
      tree,
      readOnly: false,
      front: {
        self,
        tick,
        timeouts: { least: (2 * tick) as Duration, most: (20 * tick) as Duration },
        skipAcl: false,
        patience: seconds(10),
        secrets: { ...secretsFor({ superDigest: "" }), password: () => this.#password() },
        options: { ...DEFAULTS, extendedTypes: true, asIn380: this.#world.asIn380 },
        mutant: this.#mutant,
      },
      replica: {
        servers,
        oracle: oracles[oracle].create({ preference: servers }),
        heartbeat: { period: heartbeat },
        broadcast: {
          historyBytes: own.historyBytes,
          windowBytes: own.windowBytes,
          proposeBytes: own.proposeBytes,
          checkpointTransactions: own.checkpointTransactions,
          joinTimeout: milliseconds(2000),
          synchronizationTimeout: milliseconds(3000),
        },
        mutant: this.#mutant,
      },
    });
  }

  /** By the seed, like all else that is drawn. */
  #password(): Uint8Array {
    return Uint8Array.from({ length: PASSWORD_BYTES }, () => this.#passwords.integer(0, 255));
  }
}

function addressesOf(servers: readonly ServerId[]): ReadonlyMap<ServerId, ServerAddress> {
  const ports = { port: 2888, electionPort: null, clientHost: null, clientPort: 2181 };
  return new Map(servers.map((id) => [id, { host: `p${id}`, ...ports }]));
}

const PASSWORD_STREAM = 8;
/** Until whoever looks after processes starts one again. */
const PAUSE = milliseconds(300);
const LAST_WORDS = milliseconds(5);
