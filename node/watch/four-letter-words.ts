/**
 * The questions that an operator types into a bare connection: four letters, answered by a text, in the words
 * of ZooKeeper 3.8, because scripts read them.
 *
 * Only what is on the whitelist is answered, which by default is `srvr` alone. `ruok` is answered as soon as
 * the process runs; what is about the service, only while there is one.
 */

import type { Spread } from "../core/spread.ts";
import type { ConnectionStatus, HostFacts, LatencySummary, Status } from "./status.ts";

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

/**
 * `4lw.commands.whitelist`: words and commas, or `*` for all. As in ZooKeeper, whose own scripts and clients
 * ask them, `srvr` is always among them, and `isro` where a server may be read-only.
 */
export function whitelist(text: string, mayBeReadOnly = false): ReadonlySet<Word> {
  const named = text.split(",").map((word) => word.trim());
  if (named.includes("*")) return new Set(WORDS);
  return new Set<Word>([...named.filter(isWord), "srvr", ...(mayBeReadOnly ? (["isro"] as const) : [])]);
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
      return lines(configurationLines(status.host));
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
      return lines(monitored(status).map(([key, value]) => `zk_${key}\t${value}`));
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
        ...sessionsByPath(status.watchesBySession).flatMap(([path, sessions]) => [
          path,
          ...sessions.map(hex).map(indent),
        ]),
        "",
      ]);
    case "dump":
      return lines(dumpLines(status));
  }
}

/** What `mntr` tells, before `zk_`. */
export const monitored = (status: Status): (readonly [string, string | number])[] => [
  ...metrics(status),
  ...status.host.spreads.flatMap(spreadMetrics),
];

/** Numbers that are what they are at the moment, and two words. */
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
    ...sizes("client_response_size", status.responses),
    ...(host.ensemble === null ? [] : [["peer_state", peerState(host)] as const]),
    ...host.metrics,
    ...(host.proposals === null ? [] : sizes("proposal_size", host.proposals)),
  ];
}

/** As ZooKeeper names what it measures again and again. */
const spreadMetrics = ([name, { count, total, least, most, mean }]: readonly [string, Spread]): [
  string,
  string | number,
][] => [
  [`avg_${name}`, decimal(Math.round(mean * 10_000) / 10_000)],
  [`min_${name}`, least],
  [`max_${name}`, most],
  [`cnt_${name}`, count],
  [`sum_${name}`, total],
];

/** -1 for what has not been yet. */
const sizes = (of: string, { count, last, least, most }: Spread): [string, number][] => [
  [`last_${of}`, count > 0 ? last : -1],
  [`max_${of}`, count > 0 ? most : -1],
  [`min_${of}`, count > 0 ? least : -1],
];

/** `leading - broadcast`: the role and the phase of Zab. */
function peerState({ role, ensemble }: HostFacts): string {
  const of = role === "leader" ? "leading" : role === "follower" ? "following" : "looking";
  return `${of} - ${ensemble?.phase ?? ""}`;
}

function configurationLines({ configuration, dataBytes, logBytes, ensemble }: HostFacts): string[] {
  const sizes = [`dataDirSize=${dataBytes}`, `dataLogSize=${logBytes}`];
  const members = ensemble?.servers.map(({ id, address }) => `server.${id}=${address}:participant`) ?? [];
  return [
    ...configuration.map(([key, value]) => `${key}=${value}`),
    ...sizes,
    ...(members.length === 0 ? [] : ["membership: ", ...members]),
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
  ...proposalLine(status.host.proposals),
];

const proposalLine = (proposals: Spread | null): string[] =>
  proposals === null
    ? []
    : [`Proposal sizes last/min/max: ${proposals.last}/${proposals.least}/${proposals.most}`];

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

/** Who watches what, the other way round. */
export function sessionsByPath(watches: Status["watchesBySession"]): [string, number[]][] {
  const byPath = new Map<string, number[]>();
  for (const [session, paths] of watches) {
    for (const path of paths) byPath.set(path, [...(byPath.get(path) ?? []), session]);
  }
  return [...byPath];
}

/** As ZooKeeper shortens it: `GETD` for getData, `SETW` for setWatches. */
export const shortNameOf = (operation: string): string =>
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
