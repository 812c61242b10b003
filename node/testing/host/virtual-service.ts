/** Three whole servers in virtual time, of which one leads, and clients beside them. */

import assert from "node:assert/strict";
import { type ServerId, serverId } from "../../core/identity.ts";
import { after, type Duration, milliseconds, seconds } from "../../core/time.ts";
import type { Secrets } from "../../front/credentials.ts";
import { Server, type ServerProtocol } from "../../front/server.ts";
import { replicaCodec } from "../../host/replica-codec.ts";
import { VirtualClients } from "../../host/virtual/clients.ts";
import { VirtualEnsemble } from "../../host/virtual/ensemble.ts";
import { oracles } from "../../oracle/catalog.ts";
import { DEFAULTS } from "../../tree/payload.ts";
import { Tree } from "../../tree/tree.ts";

const IDS: readonly ServerId[] = [1, 2, 3].map(serverId);
/** From a client to a server. */
export const WAY = milliseconds(5);

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

  /** `sync` is how long a disk takes. */
  constructor(sync = milliseconds(1)) {
    this.ensemble = new VirtualEnsemble<ServerProtocol>({
      servers: IDS,
      seed: 1,
      codec: { ...replicaCodec },
      network: { link: () => ({ delay: milliseconds(1) }) },
      disk: () => ({ sync }),
      create: (self) => this.#server(self),
      observer: {
        output: (_, output) => {
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
      request: (server, request) => ensemble.request(server, request),
      isOn: (server) => !this.dark.has(server),
      way: () => WAY,
      isCut: (place, server) => this.cut.has(server) || this.cut.has(place),
    });
    for (const id of IDS) this.ensemble.start(id);
    this.pass(seconds(3));
  }

  pass(time: Duration): void {
    this.ensemble.run(after(this.ensemble.now, time));
  }

  get leader(): ServerId {
    return IDS.find((id) => this.#at(id)?.status.role === "leading") ?? assert.fail("nobody leads");
  }

  get followers(): readonly ServerId[] {
    return IDS.filter((id) => id !== this.leader);
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
    const tree = new Tree();
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
      replica: { servers: IDS, oracle: oracles.history.create() },
    });
  }
}
