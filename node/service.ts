/**
 * A running server: the automaton on its host, the port for its clients, its log, put together from a
 * configuration.
 */

import fs from "node:fs";
import path from "node:path";
import { unreachable } from "./core/assert.ts";
import { type ClientId, ensemble, type ServerId } from "./core/identity.ts";
import type { Mutant } from "./core/mutant.ts";
import { type Duration, type Instant, seconds } from "./core/time.ts";
import { clusterText } from "./config/cluster-text.ts";
import { electionOf, sessionTimeouts } from "./config/config.ts";
import { replicaCodec } from "./host/replica-codec.ts";
import { ClientListener, type ClientService } from "./host/tcp/client-listener.ts";
import type { Address } from "./host/tcp/link.ts";
import { openPages, type PagePort, type Pages } from "./host/tcp/pages.ts";
import type { Protection } from "./host/tcp/peers.ts";
import { keyFor } from "./host/tcp/proof.ts";
import { type Disk, openDisk } from "./host/tcp/store/disk.ts";
import { FolderLock } from "./host/tcp/store/folder-lock.ts";
import { TcpHost } from "./host/tcp/tcp-host.ts";
import { loadOracle, OracleModuleError } from "./host/oracle-module.ts";
import { Traffic } from "./host/traffic.ts";
import { createOracle } from "./oracle/catalog.ts";
import type { Oracle } from "./oracle/oracle.ts";
import { stated } from "./oracle/preference.ts";
import { Server, type ServerOptions, type ServerOutput, type ServerProtocol } from "./front/server.ts";
import type { Config } from "./config/settings.ts";
import { type Logger, Story } from "./watch/story.ts";
import { secretsFor } from "./config/secrets.ts";
import { DEFAULTS } from "./tree/payload.ts";
import { Tree } from "./tree/tree.ts";
import { TransferDesk } from "./watch/transfer-desk.ts";
import { Words } from "./watch/words.ts";

export interface Service {
  readonly clientPort: number;
  /** Hands over what it leads, lets answers go out, and ends. */
  stop(): Promise<void>;
}

/** Then a client had better try another server. */
const PATIENCE = seconds(10);
/** Beside whatever else is kept in dataDir: ZooKeeper's own files, `myid`. */
export const DATA_FOLDER = "polebench-1";

/** Wrong on purpose, for tests of what should notice; nothing that a configuration could say. */
export interface Sabotage {
  readonly mutant: Mutant | null;
  readonly disk: (disk: Disk) => Disk;
}

const NO_SABOTAGE: Sabotage = { mutant: null, disk: (disk) => disk };

/** Rejects with a reason for people. `failed` is called when it can go on no longer. */
export async function startService(
  config: Config & { readonly id: ServerId },
  log: Logger,
  failed: (reason: string) => void,
  sabotage = NO_SABOTAGE,
): Promise<Service> {
  const folder = path.join(config.dataDir, DATA_FOLDER);
  const disk = sabotage.disk(openDisk(folder, config.durability));
  const lock = FolderLock.take(folder);
  try {
    const service = await startOn(disk, folder, config, log, failed, sabotage.mutant);
    const { clientPort } = service;
    return { clientPort, stop: () => service.stop().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startOn(
  disk: Disk,
  folder: string,
  config: Config & { readonly id: ServerId },
  log: Logger,
  failed: (reason: string) => void,
  mutant: Mutant | null,
): Promise<Service> {
  const tree = new Tree(clusterText(config.servers));
  const server = new Server(optionsFor(config, tree, await oracleFor(config), mutant));
  const words = new Words(server, tree, config, folder);
  const story = new Story(log);
  const traffic = new Traffic(config.id);
  const desk = deskOf(config, () => host);
  let clients: ClientListener | null = null;
  const pages: PagePort[] = [];
  const host = await TcpHost.start<ServerProtocol>({
    self: config.id,
    servers: addressesOf(config),
    cluster: config.cluster,
    protection: protectionFor(config),
    automaton: server,
    codec: { ...replicaCodec },
    disk,
    output(output, now) {
      if (output.kind === "event") {
        story.replica(output.event, now);
        traffic.observe(output.event, now);
        desk.observe(output.event);
      } else if (output.kind === "cutOff") {
        const address = clients?.cutOff(output.client);
        if (address !== undefined) story.cutOff(address, output.reason);
      } else if (output.kind === "word") answer(clients, output.client, words.answer(output.word, now));
      else if (clients !== null) deliver(clients, output);
    },
    sent: (message, receivers, bytes) => traffic.count(message, receivers, bytes),
    turned(now) {
      clients?.flush();
      const told = traffic.due(now);
      if (told !== null) story.replica(told, now);
    },
    tell: (event) => story.host(event),
    failed,
  });
  try {
    clients = await ClientListener.open(serving(host), {
      address: { host: config.clientPortAddress, port: config.clientPort },
      connections: config.maxCnxns,
      connectionsPerAddress: config.maxClientCnxns,
      tls: config.clientTls ? { cert: pem(config.tlsCert), key: pem(config.tlsKey) } : null,
    });
    for (const { address, pages: found } of pagesOf(config, words, desk, () => host.now)) {
      pages.push(await openPages(address, config.pagesToken || null, found));
    }
  } catch (error) {
    await Promise.all([host.stop(true), clients?.stop(), ...pages.map((each) => each.close())]);
    throw error;
  }
  const listener = clients;
  log.info({ event: "listening", clientPort: listener.port }, `takes clients at port ${listener.port}`);
  return {
    clientPort: listener.port,
    async stop() {
      host.request({ kind: "retire" });
      // The turn in which the followers are told to look for another leader.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      await Promise.all([listener.stop(), host.stop(), ...pages.map((each) => each.close())]);
    },
  };
}

const deskOf = ({ servers }: Config, host: () => TcpHost<ServerProtocol>): TransferDesk =>
  new TransferDesk({
    servers: [...servers.keys()],
    order: (to) => host().request({ kind: "transfer", to }),
    now: () => host().now,
  });

/** The ports for those who watch over a server, each with what is to be read there. */
function pagesOf(
  config: Config,
  words: Words,
  desk: TransferDesk,
  now: () => Instant,
): { readonly address: Address; readonly pages: Pages }[] {
  const { adminServer, adminAddress, adminPort, metrics, metricsAddress, metricsPort } = config;
  const commands = {
    address: { host: adminAddress, port: adminPort },
    pages: {
      read: (path: string) => words.command(path, now()),
      order: (path: string, query: URLSearchParams) => desk.order(path, query),
    },
  };
  const numbers = {
    address: { host: metricsAddress, port: metricsPort },
    pages: { read: (path: string) => words.metrics(path, now()) },
  };
  return [...(adminServer ? [commands] : []), ...(metrics === "prometheus" ? [numbers] : [])];
}

/** What the server says to its clients, said. */
function deliver(
  clients: ClientListener,
  output: Exclude<ServerOutput, { kind: "event" | "word" | "cutOff" }>,
): void {
  switch (output.kind) {
    case "send":
      return clients.send(output.client, output.bytes);
    case "pause":
      return clients.hold(output.client);
    case "resume":
      return clients.release(output.client);
    case "close":
      return clients.close(output.client);
    default:
      return unreachable(output);
  }
}

function answer(clients: ClientListener | null, client: ClientId, text: string): void {
  clients?.send(client, Buffer.from(text));
  clients?.close(client);
}

const serving = (host: TcpHost<ServerProtocol>): ClientService => ({
  opened: (client, address, port) => host.request({ kind: "opened", client, address, port }),
  received: (client, bytes) => host.request({ kind: "received", client, bytes }),
  wrote: (written) => host.request({ kind: "wrote", written }),
  closed: (client) => host.request({ kind: "closed", client }),
});

async function oracleFor(config: Config): Promise<Oracle> {
  const { oracle, preference, criteria, sites, struck, hysteresis, requests } = config;
  const judging =
    "path" in oracle
      ? await loadOracle(oracle.path, process.cwd())
      : createOracle(oracle.name, { preference, criteria, sites, struck, hysteresis, requests });
  if (config.resign !== null && judging.advantage === undefined) {
    const name = "path" in oracle ? oracle.path : oracle.name;
    throw new OracleModuleError(`--resign: by the oracle ${name} no leader is ever beaten by a share`);
  }
  return judging;
}

function optionsFor(
  config: Config & { readonly id: ServerId },
  tree: Tree,
  oracle: Oracle,
  mutant: Mutant | null,
): ServerOptions {
  const { id, tickTime, heartbeat, missedHeartbeats, extendedTypes, enforceQuota } = config;
  const { firstLeader } = config;
  const servers = config.servers.size === 0 ? [id] : ensemble(config.servers.keys());
  return {
    tree,
    readOnly: config.readOnly,
    front: {
      self: id,
      tick: tickTime,
      timeouts: sessionTimeouts(config),
      skipAcl: config.skipAcl,
      patience: PATIENCE,
      secrets: secretsFor(config),
      mutant,
      options: { ...DEFAULTS, extendedTypes, enforceQuota, asIn380: config.zookeeper === "3.8.0" },
    },
    replica: {
      servers,
      mutant,
      oracle,
      resign: config.resign,
      firstOracle: firstLeader.length === 0 ? undefined : stated(firstLeader),
      election: electionOf(config),
      heartbeat: { period: heartbeat, missed: missedHeartbeats },
      broadcast: {
        initial: config.initial,
        notRunning: config.notRunning,
        historyBytes: config.historyBytes,
        checkpointTransactions: config.snapCount,
        synchronizationTimeout: (config.initLimit * tickTime) as Duration,
      },
    },
  };
}

function addressesOf({ id, servers }: Config & { readonly id: ServerId }): ReadonlyMap<ServerId, Address> {
  return servers.size === 0 ? new Map([[id, { host: "127.0.0.1", port: 0 }]]) : servers;
}

function protectionFor({ secret, tlsCert, tlsKey, tlsCa }: Config): Protection {
  const isMutual = tlsCert !== "" && tlsKey !== "" && tlsCa !== "";
  return {
    key: secret === "" ? null : keyFor(secret),
    tls: isMutual ? { cert: pem(tlsCert), key: pem(tlsKey), ca: pem(tlsCa) } : null,
  };
}

const pem = (file: string): string => fs.readFileSync(file, "utf8");
