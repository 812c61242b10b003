/**
 * The questions that an operator types into a bare connection: four letters, answered by a text, in the words
 * of ZooKeeper 3.8, because scripts read them.
 *
 * Only what is on the whitelist is answered, which by default is `srvr` alone. `ruok` is answered as soon as
 * the process runs; what is about the service, only while there is one.
 */

import type { ConnectionStatus, LatencySummary, Status } from "./status.ts";

export const WORDS = [
  "conf",
  "cons",
  "crst",
  "dirs",
  "dump",
  "envi",
  "isro",
  "mntr",
  "ruok",
  "srst",
  "srvr",
  "stat",
  "wchc",
  "wchp",
  "wchs",
] as const;

export type Word = (typeof WORDS)[number];

export const isWord = (text: string): text is Word => (WORDS as readonly string[]).includes(text);

/** `4lw.commands.whitelist`: words and commas, or `*` for all. */
export function whitelist(text: string): ReadonlySet<Word> {
  const named = text.split(",").map((word) => word.trim());
  return new Set(named.includes("*") ? WORDS : named.filter(isWord));
}

/** The whole answer. Resetting is for the caller to do: `crst` and `srst` only say that it is done. */
export function answerWord(word: Word, allowed: ReadonlySet<Word>, status: Status): string {
  if (!allowed.has(word)) return `${word} is not executed because it is not in the whitelist.\n`;
  switch (word) {
    case "ruok":
      return "imok";
    case "isro":
      return !status.serving ? "null" : status.host.role === "read-only" ? "ro" : "rw";
    case "conf":
      return lines(status.host.configuration.map(([key, value]) => `${key}=${value}`));
    case "envi":
      return lines(["Environment:", ...status.host.environment.map(([key, value]) => `${key}=${value}`)]);
    case "dirs":
      return lines([`datadir_size: ${status.host.dataBytes}`, `logdir_size: ${status.host.logBytes}`]);
    default:
      return status.serving ? ofService(word, status) : NOT_SERVING;
  }
}

type ServiceWord = Exclude<Word, "ruok" | "isro" | "conf" | "envi" | "dirs">;

function ofService(word: ServiceWord, status: Status): string {
  switch (word) {
    case "srvr":
      return lines([...versionLines(status), ...serverLines(status)]);
    case "stat":
      return lines([
        ...versionLines(status),
        "Clients:",
        ...status.connections.map((connection) => connectionLine({ ...connection, session: null })),
        "",
        ...serverLines(status),
      ]);
    case "cons":
      return lines([...status.connections.map(connectionLine), ""]);
    case "crst":
      return "Connection stats reset.\n";
    case "srst":
      return "Server stats reset.\n";
    case "mntr":
      return lines(metrics(status).map(([key, value]) => `zk_${key}\t${value}`));
    case "wchs": {
      const { clients, paths, watches } = status.watches;
      return lines([`${clients} connections watching ${paths} paths`, `Total watches:${watches}`]);
    }
    case "wchc":
      return lines([
        ...status.watchesBySession.flatMap(([session, paths]) => [hex(session), ...paths.map(indent)]),
        "",
      ]);
    case "wchp":
      return lines([
        ...watchersByPath(status).flatMap(([path, sessions]) => [path, ...sessions.map(hex).map(indent)]),
        "",
      ]);
    case "dump":
      return lines(dumpLines(status));
  }
}

/** What `mntr` tells, before `zk_`. */
export function metrics(status: Status): (readonly [string, string | number])[] {
  const { host, latency } = status;
  return [
    ["version", host.version],
    ["server_state", host.role],
    ["avg_latency", decimal(latency.avgMs)],
    ["max_latency", latency.maxMs],
    ["min_latency", latency.minMs],
    ["packets_received", status.received],
    ["packets_sent", status.sent],
    ["num_alive_connections", status.connections.length],
    ["outstanding_requests", status.outstanding],
    ["znode_count", status.znodes],
    ["watch_count", status.watches.watches],
    ["ephemerals_count", status.ephemerals],
    ["approximate_data_size", status.dataSize],
    ["open_file_descriptor_count", host.openFiles],
    ["max_file_descriptor_count", host.maxFiles],
    ["global_sessions", status.sessions.length],
    ["local_sessions", 0],
    ["uptime", host.uptimeMs],
    ...host.metrics,
  ];
}

function versionLines({ host }: Status): string[] {
  const version = `Zookeeper version: ${host.version}`;
  return host.role === "read-only" ? [version, "READ-ONLY mode; serving only read-only clients"] : [version];
}

const serverLines = (status: Status): string[] => [
  `Latency min/avg/max: ${slashed(status.latency)}`,
  `Received: ${status.received}`,
  `Sent: ${status.sent}`,
  `Connections: ${status.connections.length}`,
  `Outstanding: ${status.outstanding}`,
  `Zxid: ${status.zxid}`,
  `Mode: ${status.host.role}`,
  `Node count: ${status.znodes}`,
];

function connectionLine({ address, queued, received, sent, session }: ConnectionStatus): string {
  const counts = `queued=${queued},recved=${received},sent=${sent}`;
  if (session === null) return ` /${address}[1](${counts})`;
  const { latency } = session;
  const last = `lcxid=${hex(session.lastXid)},lzxid=${hex(session.lastZxid)},lresp=${session.lastResponseAt}`;
  const times =
    `llat=${latency.lastMs},minlat=${latency.minMs},` +
    `avglat=${Math.floor(latency.avgMs)},maxlat=${latency.maxMs}`;
  const operation = shortNameOf(session.lastOperation);
  const about = `sid=${hex(session.id)},lop=${operation},est=${session.establishedAt}`;
  return ` /${address}[1](${counts},${about},to=${session.timeoutMs},${last},${times})`;
}

function dumpLines({ sessions, expiring, connections }: Status): string[] {
  const owners = sessions.filter(({ ephemerals }) => ephemerals.length > 0);
  const sets = expiring?.flatMap(([at, ids]) => [
    `${ids.length} expire at ${at}:`,
    ...ids.map(hex).map(indent),
  ]);
  return [
    "SessionTracker dump:",
    ...(sets === undefined
      ? [
          `Global Sessions(${sessions.length}):`,
          ...sessions.map((each) => `${hex(each.id)}\t${each.timeoutMs}ms`),
        ]
      : [`Session Sets (${expiring?.length})/(${sessions.length}):`, ...sets]),
    "ephemeral nodes dump:",
    `Sessions with Ephemerals (${owners.length}):`,
    ...owners.flatMap(({ id, ephemerals }) => [`${hex(id)}:`, ...ephemerals.map(indent)]),
    "Connections dump:",
    `Connections Sets (${connections.length})/(${connections.length}):`,
    ...connections.map(({ address, session }) => `\tip: /${address} sessionId: ${hex(session?.id ?? 0)}`),
  ];
}

function watchersByPath({ watchesBySession }: Status): [string, number[]][] {
  const byPath = new Map<string, number[]>();
  for (const [session, paths] of watchesBySession) {
    for (const path of paths) byPath.set(path, [...(byPath.get(path) ?? []), session]);
  }
  return [...byPath];
}

/** As ZooKeeper shortens it: `GETD` for getData, `SETW` for setWatches. */
const shortNameOf = (operation: string): string =>
  SHORT_NAMES.get(operation) ?? operation.slice(0, 4).toUpperCase();

const SHORT_NAMES = new Map([
  ["getData", "GETD"],
  ["setData", "SETD"],
  ["getChildren", "GETC"],
  ["getChildren2", "GETC"],
  ["getAcl", "GETA"],
  ["setAcl", "SETA"],
  ["setWatches", "SETW"],
  ["setWatches2", "STW2"],
  ["getEphemerals", "GETE"],
  ["getAllChildrenNumber", "GETACN"],
  ["multiRead", "MLTR"],
  ["addWatch", "ADDW"],
  ["removeWatches", "REMW"],
  ["checkWatches", "CHKW"],
]);

const slashed = ({ minMs, avgMs, maxMs }: LatencySummary): string => `${minMs}/${decimal(avgMs)}/${maxMs}`;
const decimal = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value));
const hex = (value: number): string => `0x${value.toString(16)}`;
const indent = (text: string): string => `\t${text}`;
const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

const NOT_SERVING = "This ZooKeeper instance is not currently serving requests\n";
