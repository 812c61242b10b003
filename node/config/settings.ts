/**
 * Everything that can be chosen about a server: one table, from which flags, environment variables, keys of
 * zoo.cfg, the help text and the type of the configuration are made.
 *
 * A setting called `dataDir` is `--data-dir` as a flag, `POLEBENCH_DATA_DIR` in the environment and `dataDir`
 * in zoo.cfg, where some have another name that ZooKeeper gave them.
 */

import { DEFAULTS } from "../broadcast/options.ts";
import { type ServerId, serverId } from "../core/identity.ts";
import { DEFAULT_ELECTION, elections } from "../election/catalog.ts";
import { type OptionName, options, type OptionValue } from "../election/option-catalog.ts";
import { PLACEHOLDER, type Value } from "../election/options.ts";
import type { Durability } from "../host/tcp/store/disk.ts";
import { isModulePath } from "../host/oracle-module.ts";
import { SHORTEST_SECRET } from "../host/tcp/proof.ts";
import { readResign } from "../oracle/resignation.ts";
import { type OracleName, oracles } from "../oracle/catalog.ts";
import { readCriteria, readHysteresis, readSites, readStruck, REQUESTS } from "../oracle/options.ts";
import type { Duration } from "../core/time.ts";
import { parseOption, parseSwitch } from "./option-text.ts";
import { duration, integer, oneOf, WrongValue } from "./quantity.ts";

export interface Setting<T> {
  /** Throws WrongValue, saying what would be right. */
  readonly parse: (text: string) => T;
  /** What holds when nobody says anything, as one would write it. */
  readonly usual: string;
  readonly placeholder: string;
  readonly help: string;
  /** In zoo.cfg, when not its own name. */
  readonly zooName: string | null;
}

/** Where the other servers reach a server, and its clients, as far as that is said here. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** Of ZooKeeper; nobody listens there. */
  readonly electionPort: number | null;
  /** Null: wherever the others do. */
  readonly clientHost: string | null;
  readonly clientPort: number | null;
}

const port = integer(1, 65_535);
const setting = <T>(
  parse: (text: string) => T,
  usual: string,
  placeholder: string,
  help: string,
  zooName: string | null = null,
): Setting<T> => ({ parse, usual, placeholder, help, zooName });

export const SETTINGS = {
  id: setting(parseId, "", "n", "this server's number; without it, the number in dataDir/myid"),
  servers: setting(
    parseServers,
    "",
    "list",
    "the ensemble, 1=host:2888,2=host:2888; in zoo.cfg server.1=host:2888:3888; none: one server alone",
  ),
  cluster: setting(word, "polebench", "name", "servers of other clusters are sent away"),
  dataDir: setting(word, "data", "folder", "where log and snapshots are kept"),
  initial: setting(
    parseSwitch,
    "no",
    "yes|no",
    "this ensemble has never run: a quorum of new disks may begin; never leave it on",
  ),
  notRunning: setting(
    parsePreference,
    "",
    "list",
    "servers that do not run: with a new disk, this one comes back without having asked them",
  ),
  durability: setting(
    parseDurability,
    "fsync",
    "fsync|none",
    "none: a crash of the process loses nothing, one of the machine may",
    "forceSync",
  ),
  clientPort: setting(port, "2181", "port", "where clients connect"),
  clientPortAddress: setting(word, "0.0.0.0", "address", "the address they connect to"),
  maxClientCnxns: setting(integer(0, 1e6), "60", "n", "connections from one address, 0 for any number"),
  maxCnxns: setting(integer(0, 1e6), "0", "n", "connections in all, 0 for any number"),
  tickTime: setting(duration, "2s", "time", "the unit of session timeouts and of initLimit"),
  minSessionTimeout: setting(parseTimeout, "", "time", "no session has a shorter one; without it, 2 ticks"),
  maxSessionTimeout: setting(parseTimeout, "", "time", "no session has a longer one; without it, 20 ticks"),
  initLimit: setting(integer(1, 1e6), "10", "ticks", "how long becoming level may make no progress"),
  fourLetterWords: setting(
    parseWords,
    "srvr",
    "list",
    "which of them are answered, * for all",
    "4lw.commands.whitelist",
  ),
  extendedTypes: setting(
    parseSwitch,
    "no",
    "yes|no",
    "znodes may have a time to live",
    "extendedTypesEnabled",
  ),
  zookeeper: setting(
    oneOf(["3.8.4", "3.8.0"]),
    "3.8.4",
    "release",
    "answers as which release does where they differ; in 3.8.0 everybody may ask whether a znode exists",
  ),
  enforceQuota: setting(parseSwitch, "no", "yes|no", "hard limits of quotas hold"),
  readOnly: setting(
    parseSwitch,
    "no",
    "yes|no",
    "clients that ask for it may read while there is no leader",
    "readonlymode.enabled",
  ),
  skipAcl: setting(parseSwitch, "no", "yes|no", "every client may do everything", "skipACL"),
  // Off, and then for this machine alone, unless there is a token: they name every path that is watched,
  // every client and session.
  adminServer: setting(
    parseSwitch,
    "no",
    "yes|no",
    "the answers to four-letter words as JSON over HTTP, at /commands",
    "admin.enableServer",
  ),
  adminPort: setting(port, "8080", "port", "where", "admin.serverPort"),
  adminAddress: setting(word, "127.0.0.1", "address", "and at which address", "admin.serverAddress"),
  metrics: setting(
    parseMetrics,
    "none",
    "prometheus|none",
    "numbers for Prometheus over HTTP, at /metrics",
    "metricsProvider.className",
  ),
  metricsPort: setting(port, "7000", "port", "where", "metricsProvider.httpPort"),
  metricsAddress: setting(word, "127.0.0.1", "address", "and at which address", "metricsProvider.httpHost"),
  pagesToken: setting(
    parseSecret,
    "",
    "text",
    "who brings it may read those pages, and nobody else: Authorization: Bearer text",
  ),
  pagesTokenFile: setting(String, "", "file", "holds the token: command lines are seen by everybody"),
  secret: setting(
    parseSecret,
    "",
    "text",
    "the same at all servers, known to nobody else: what they prove to each other",
  ),
  secretFile: setting(String, "", "file", "holds the secret: command lines are seen by everybody"),
  tlsCert: setting(String, "", "file", "servers speak TLS to each other: this one's certificate, PEM"),
  tlsKey: setting(String, "", "file", "its key"),
  tlsCa: setting(String, "", "file", "the authority that signs certificates of this ensemble, and no others"),
  clientTls: setting(parseSwitch, "no", "yes|no", "clients speak TLS too; the server shows its certificate"),
  superDigest: setting(
    String,
    "",
    "super:hash",
    "who may do everything",
    "DigestAuthenticationProvider.superDigest",
  ),
  snapCount: setting(integer(1, 1e9), "100000", "n", "transactions between two snapshots"),
  historyBytes: setting(
    integer(0, 2 ** 40),
    String(DEFAULTS.historyBytes),
    "bytes",
    "of history kept in memory; who lacks more is sent a snapshot",
  ),
  // Who has the newest history leads, as in ZooKeeper: nothing must be measured or pulled first.
  oracle: setting(
    parseOracle,
    "history",
    "name",
    `who leads best: ${namesOf(oracles).join(", ")}, or a module of one's own: ./mine.ts`,
  ),
  preference: setting(parsePreference, "", "list", "for the oracle of that name: server ids, best first"),
  criteria: setting(
    parsed(readCriteria),
    "",
    "list",
    "for the oracle composite: in turn, relocated-latency:5%,recovery; or weighed, latency:0.7,recovery:0.3",
  ),
  sites: setting(parsed(readSites), "", "list", "for the oracle site, best first: tud=1+3,cern=2+4+5"),
  struck: setting(parsed(readStruck), "", "list", "and these servers lead only where nobody else can: 2,5"),
  hysteresis: setting(
    parsed(readHysteresis),
    "",
    "words",
    "for the oracle of that name, latency:10%:10s: beaten by 10 % only, and who is back leads after 10 s",
  ),
  requests: setting(
    oneOf(REQUESTS),
    "sent",
    "sent|offered",
    "what counts as a server's load: requests that came, or what clients that wait for each answer offer",
  ),
  resign: setting(
    parsed(readResign),
    "no",
    "words",
    "a leader that another would beat gives it its place while it serves: yes, or what differs from " +
      "margin=10%,least=1ms,hold=10s,quiet=60s,most=6 (changes of leader an hour)",
  ),
  firstLeader: setting(
    parsePreference,
    "",
    "list",
    "who leads first, best first; judges the first election instead of the oracle",
  ),
  election: setting(
    oneOf(namesOf(elections)),
    DEFAULT_ELECTION,
    "name",
    `how they agree: ${namesOf(elections).join(", ")}`,
  ),
  ...electionSettings(),
  heartbeat: setting(duration, "200ms", "time", "the period of heartbeats"),
  missedHeartbeats: setting(integer(1, 1000), "5", "n", "silence of so many means that a server is down"),
  logLevel: setting(
    oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
    "info",
    "level",
    "how much is told on stdout, as JSON lines",
  ),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type Config = { readonly [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]["parse"]> };

/** What can be chosen about elections: null leaves it to the one that is chosen. */
type ElectionSettings = { readonly [Name in OptionName]: Setting<OptionValue<Name> | null> };

function electionSettings(): ElectionSettings {
  const settings = options.map(({ name, option, usual, sentence }) => {
    const parse = (text: string): Value | null => (text === "" ? null : parseOption(option, text));
    return [name, setting(parse, usual, PLACEHOLDER[option.kind], sentence)];
  });
  return Object.fromEntries(settings) as ElectionSettings;
}

/** `host:port`, or as ZooKeeper says it `host:port:electionPort[:participant][;[address:]clientPort]`. */
export function parseServer(text: string): ServerAddress {
  const right = "host:port, or as in ZooKeeper host:port:electionPort;clientPort";
  const [, bracketed, plain, ports = "", election, role, clientHost = "", client] =
    /^(?:\[([^\]]+)\]|([^:;]+)):(\d+)(?::(\d+))?(?::(\w+))?(?:;(?:(.*):)?(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) throw new WrongValue(right);
  if (role !== undefined && role !== "participant") {
    throw new WrongValue(`of a server that votes, not of an ${role}`);
  }
  const portOrNull = (said: string | undefined): number | null => (said === undefined ? null : port(said));
  return {
    host,
    port: port(ports),
    electionPort: portOrNull(election),
    clientHost: ANYWHERE.has(clientHost) ? null : clientHost.replace(/^\[(.*)\]$/, "$1"),
    clientPort: portOrNull(client),
  };
}

/** How `;clientPort` and `;address:clientPort` say that clients may come by every address. */
const ANYWHERE: ReadonlySet<string> = new Set(["", "0.0.0.0", "[::]", "::"]);

function parseId(text: string): ServerId | null {
  return text === "" ? null : serverId(integer(1, 255)(text));
}

function parseServers(text: string): ReadonlyMap<ServerId, ServerAddress> {
  const servers = new Map<ServerId, ServerAddress>();
  if (text === "") return servers;
  for (const item of text.split(",")) {
    const [, id = "", address = ""] = /^\s*(\d+)=(.*?)\s*$/.exec(item) ?? [];
    servers.set(serverId(integer(1, 255)(id)), parseServer(address));
  }
  return servers;
}

/** A name of the catalog, or the path of a module, which is loaded and tried at the start. */
function parseOracle(text: string): { readonly name: OracleName } | { readonly path: string } {
  return isModulePath(text) ? { path: text } : { name: oneOf(namesOf(oracles))(text) };
}

/** A reader that gives a sentence when something is wrong. */
function parsed<T>(read: (text: string) => T | string): (text: string) => T {
  return (text) => {
    const value = read(text);
    if (typeof value === "string") throw new WrongValue(value);
    return value;
  };
}

function parseDurability(text: string): Durability {
  if (text === "yes" || text === "no") return text === "yes" ? "fsync" : "none";
  return oneOf(["fsync", "none"])(text);
}

/** As ZooKeeper: -1 is what is usual. */
function parseTimeout(text: string): Duration | null {
  return text === "" || text === "-1" ? null : duration(text);
}

/** A word, or the class that ZooKeeper's files name. */
function parseMetrics(text: string): "prometheus" | "none" {
  const className = /^org\.apache\.zookeeper\.metrics\..*\.(\w+)MetricsProvider$/.exec(text)?.[1];
  if (className === "Prometheus") return "prometheus";
  if (className === "Default" || className === "Null") return "none";
  return oneOf(["prometheus", "none"])(text);
}

function parsePreference(text: string): readonly ServerId[] {
  return text === "" ? [] : text.split(",").map((id) => serverId(integer(1, 255)(id.trim())));
}

function parseWords(text: string): readonly string[] {
  const words = text.split(",").map((item) => item.trim());
  if (words.every((item) => item === "*" || /^[a-z]{4}$/.test(item))) return words;
  throw new WrongValue("four-letter words such as ruok,stat, or *");
}

/** What is in a secret's file, or after its flag. */
export function parseSecret(text: string): string {
  if (text === "" || text.length >= SHORTEST_SECRET) return text;
  throw new WrongValue(`at least ${SHORTEST_SECRET} characters, best random ones`);
}

function word(text: string): string {
  if (text !== "") return text;
  throw new WrongValue("something");
}

function namesOf<T extends object>(catalog: T): (keyof T & string)[] {
  return Object.keys(catalog) as (keyof T & string)[];
}
