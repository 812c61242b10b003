/** Whole servers in virtual time, of which one leads, and clients beside them. */

import assert from "node:assert/strict";
import { type ServerId, serverId } from "../../core/identity.ts";
import { after, type Duration, milliseconds, seconds } from "../../core/time.ts";
import type { Secrets } from "../../front/credentials.ts";
import { Server, type ServerProtocol } from "../../front/server.ts";
import { replicaCodec } from "../../host/replica-codec.ts";
import { VirtualClients } from "../../host/virtual/clients.ts";
import { VirtualEnsemble } from "../../host/virtual/ensemble.ts";
import { oracles } from "../../oracle/catalog.ts";
import type { Oracle } from "../../oracle/oracle.ts";
import { DEFAULTS } from "../../tree/payload.ts";
import { Tree } from "../../tree/tree.ts";
import { ServerTally } from "./server-tally.ts";

/** From a client to a server. */
export const WAY = milliseconds(5);

/** Three servers beside each other, each with clients of its own, unless it is said otherwise. */
export interface ServiceWorld {
  readonly servers?: number;
  /** How long a disk takes. */
  readonly sync?: Duration;
  /** One way between two servers. */
  readonly delay?: (from: ServerId, to: ServerId) => Duration;
  /** How unsteady that is, as a share of it. */
  readonly jitter?: number;
  /** From a client to a server, or back. */
  readonly way?: Duration;
  readonly oracle?: Oracle;
  readonly seed?: number;
  readonly tree?: () => Tree;
}

const SECRETS: Secrets = {
  sha1: (bytes) => bytes,
  password: () => new Uint8Array(16).fill(7),
  seal: (password) => `the seal of ${password.join(" ")}`,
  superDigest: null,
};

export class VirtualService {
  readonly trees = new Map<ServerId, Tree>();
  readonly dark = new Set<ServerId>();
  /** Servers and places of clients between which nothing passes. */
  readonly cut = new Set<ServerId | string>();
  readonly ensemble: VirtualEnsemble<ServerProtocol>;
  readonly clients: VirtualClients;
  readonly tally = new ServerTally();
  readonly #ids: readonly ServerId[];
  readonly #world: ServiceWorld;

  constructor(world: ServiceWorld = {}) {
    const {
      servers = 3,
      sync = milliseconds(1),
      delay = () => milliseconds(1),
      way = WAY,
      jitter = 0.02,
      seed = 1,
    } = world;
    this.#world = world;
    this.#ids = Array.from({ length: servers }, (_, index) => serverId(index + 1));
    this.ensemble = new VirtualEnsemble<ServerProtocol>({
      servers: this.#ids,
      seed,
      codec: { ...replicaCodec },
      network: { link: (from, to) => ({ delay: delay(from, to), jitter }) },
      disk: () => ({ sync }),
      create: (self) => this.#server(self),
      observer: {
        output: (_, output) => {
          if (output.kind === "send") this.tally.sent(output.client, output.bytes);
          if (output.kind !== "event" && output.kind !== "word") this.clients.heard(output);
        },
      },
    });
    const { ensemble } = this;
    this.clients = new VirtualClients({
      get now() {
        return ensemble.now;
      },
      at: (time, action) => ensemble.at(time, action),
      request: (server, request) => {
        if (request.kind === "received") this.tally.received(request.client, request.bytes);
        return ensemble.request(server, request);
      },
      isOn: (server) => !this.dark.has(server),
      way: () => way,
      isCut: (place, server) => this.cut.has(server) || this.cut.has(place),
    });
    for (const id of this.#ids) this.ensemble.start(id);
    this.pass(seconds(3));
  }

  pass(time: Duration): void {
    this.ensemble.run(after(this.ensemble.now, time));
  }

  get leader(): ServerId {
    return this.#ids.find((id) => this.#at(id)?.status.role === "leading") ?? assert.fail("nobody leads");
  }

  get followers(): readonly ServerId[] {
    return this.#ids.filter((id) => id !== this.leader);
  }

  killProcess(server: ServerId): void {
    this.ensemble.crashProcess(server);
    this.clients.processDied(server);
  }

  cutPower(server: ServerId): void {
    this.dark.add(server);
    this.ensemble.crashMachine(server);
    this.clients.machineDied(server);
  }

  /** What was cut is cut no more. */
  heal(end: ServerId | string): void {
    this.cut.delete(end);
    this.clients.healed();
  }

  #at(server: ServerId): Server | null {
    return this.ensemble.automaton(server) as Server | null;
  }

  #server(self: ServerId): Server {
    const { tree: create = () => new Tree(), oracle = oracles.history.create() } = this.#world;
    const tree = create();
    this.trees.set(self, tree);
    return new Server({
      tree,
      readOnly: false,
      front: {
        self,
        tick: seconds(1),
        timeouts: { least: seconds(2), most: seconds(20) },
        skipAcl: false,
        patience: seconds(10),
        secrets: SECRETS,
        options: DEFAULTS,
      },
      replica: { servers: this.#ids, oracle },
    });
  }
}
