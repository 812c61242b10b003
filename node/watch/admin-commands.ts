/**
 * The questions that ZooKeeper 3.8 answers at `/commands/NAME` of its AdminServer, as values for JSON: the
 * same facts as the four-letter words, under the names that its page gives them. What is not here (trace
 * masks, observers, Java's properties) there is nothing to say about.
 *
 * Whoever asks for what there is not, or of a server that does not serve, is told so in `error` and, as since
 * ZooKeeper 3.9, in the status: a health check need not read the answer.
 */

import { counterOf, epochOf, type Zxid } from "../core/zxid.ts";
import { monitored, sessionsByPath, shortNameOf, type Word } from "./four-letter-words.ts";
import type { ConnectionStatus, Status } from "./status.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface Command {
  readonly name: string;
  /** The four-letter word that asks the same, if there is one, and other names. */
  readonly word: Word | null;
  readonly aliases: readonly string[];
  /** Answered also by a server that does not serve. */
  readonly always: boolean;
  readonly answer: (status: Status) => Fields;
}

export interface CommandAnswer {
  readonly code: 200 | 404 | 503;
  readonly body: Fields;
}

export function commandNamed(name: string): Command | null {
  return (
    COMMANDS.find((each) => each.name === name || each.word === name || each.aliases.includes(name)) ?? null
  );
}

/** Resetting is for the caller to do. */
export function answerCommand(asked: string, command: Command | null, status: Status): CommandAnswer {
  const refuse = (code: 404 | 503, error: string): CommandAnswer => ({
    code,
    body: { command: asked, error },
  });
  if (command === null) return refuse(404, `Unknown command: ${asked}`);
  if (!command.always && !status.serving) return refuse(503, NOT_SERVING);
  return { code: 200, body: { ...command.answer(status), command: command.name, error: null } };
}

const command = (
  name: string,
  word: Word | null,
  answer: (status: Status) => Fields,
  { aliases = [] as readonly string[], always = false } = {},
): Command => ({ name, word, aliases, always, answer });

export const COMMANDS: readonly Command[] = [
  command("configuration", "conf", ({ host }) => snakeKeys(host.configuration), { aliases: ["config"] }),
  command("connection_stat_reset", "crst", () => ({})),
  command("connections", "cons", ({ connections }) => ({
    connections: connections.map((each) => connectionFields(each, false)),
    secure_connections: [],
  })),
  command("dirs", "dirs", ({ host }) => ({ datadir_size: host.dataBytes, logdir_size: host.logBytes })),
  command("dump", "dump", dumpFields),
  command("environment", "envi", ({ host }) => Object.fromEntries(host.environment), {
    aliases: ["env"],
    always: true,
  }),
  command("is_read_only", "isro", ({ host }) => ({ read_only: host.role === "read-only" })),
  command("last_snapshot", null, lastSnapshot, { aliases: ["lsnp"] }),
  command("leader", null, leaderFields, { aliases: ["lead"] }),
  command("monitor", "mntr", (status) => Object.fromEntries(monitored(status).map(numeric)), {
    always: true,
  }),
  command("ruok", "ruok", () => ({})),
  command("server_stats", "srvr", serverFields),
  command("stat_reset", "srst", () => ({})),
  command("stats", "stat", (status) => ({
    ...serverFields(status),
    connections: status.connections.map((each) => connectionFields(each, true)),
    secure_connections: [],
  })),
  command("voting_view", null, votingView),
  command("watch_summary", "wchs", ({ watches }) => ({
    num_connections: watches.clients,
    num_paths: watches.paths,
    num_total_watches: watches.watches,
  })),
  command("watches", "wchc", ({ watchesBySession }) => ({
    session_id_to_watched_paths: Object.fromEntries(watchesBySession),
  })),
  command("watches_by_path", "wchp", ({ watchesBySession }) => ({
    path_to_session_ids: Object.fromEntries(sessionsByPath(watchesBySession)),
  })),
  command("zabstate", null, zabState, { always: true }),
];

function serverFields(status: Status): Fields {
  const { host, latency, responses } = status;
  return {
    version: host.version,
    read_only: host.role === "read-only",
    server_stats: {
      packets_sent: status.sent,
      packets_received: status.received,
      max_latency: latency.maxMs,
      min_latency: latency.minMs,
      avg_latency: latency.avgMs,
      num_alive_client_connections: status.connections.length,
      outstanding_requests: status.outstanding,
      data_dir_size: host.dataBytes,
      log_dir_size: host.logBytes,
      last_processed_zxid: Number(status.zxid),
      server_state: host.role,
      uptime: host.uptimeMs,
      client_response_stats: buffers(responses),
    },
    client_response: buffers(responses),
    ...(host.proposals === null ? {} : { proposal_stats: buffers(host.proposals) }),
    node_count: status.znodes,
  };
}

const buffers = ({ count, last, least, most }: Status["responses"]): Fields => ({
  last_buffer_size: count > 0 ? last : -1,
  min_buffer_size: count > 0 ? least : -1,
  max_buffer_size: count > 0 ? most : -1,
});

function connectionFields(connection: ConnectionStatus, brief: boolean): Fields {
  const { address, queued, received, sent, session } = connection;
  const counts = {
    remote_socket_address: address,
    outstanding_requests: queued,
    packets_received: received,
    packets_sent: sent,
  };
  if (brief || session === null) return counts;
  const { latency } = session;
  return {
    ...counts,
    session_id: session.id,
    last_operation: shortNameOf(session.lastOperation),
    established: session.establishedAt,
    session_timeout: session.timeoutMs,
    last_cxid: session.lastXid,
    last_zxid: session.lastZxid,
    last_response_time: session.lastResponseAt,
    last_latency: latency.lastMs,
    min_latency: latency.minMs,
    avg_latency: Math.floor(latency.avgMs),
    max_latency: latency.maxMs,
  };
}

function dumpFields({ expiring, sessions }: Status): Fields {
  const owners = sessions.filter(({ ephemerals }) => ephemerals.length > 0);
  return {
    expiry_time_to_session_ids: Object.fromEntries(expiring ?? []),
    session_id_to_ephemeral_paths: Object.fromEntries(owners.map(({ id, ephemerals }) => [id, ephemerals])),
  };
}

function lastSnapshot({ host: { snapshot } }: Status): Fields {
  return {
    zxid: snapshot === null ? "-1" : snapshot.zxid.replace(/^0x/, ""),
    timestamp: snapshot === null ? -1 : Math.floor(snapshot.at / 1000),
  };
}

function leaderFields({ host: { ensemble, role } }: Status): Fields {
  if (ensemble === null) return { error: "server is not initialized" };
  const { leader } = ensemble;
  return { is_leader: role === "leader", leader_id: leader?.id ?? -1, leader_ip: leader?.host ?? "" };
}

function votingView({ host }: Status): Fields {
  const servers = host.ensemble?.servers ?? [];
  const views = servers.map(({ id, address }) => {
    const view = { server_addresses: [address], election_addresses: [address], learner_type: "participant" };
    return [id, view] as const;
  });
  return { current_config: Object.fromEntries(views) };
}

function zabState({ host: { ensemble, role, self }, zxid }: Status): Fields {
  const at = Number(zxid) as Zxid;
  return {
    myid: self,
    is_leader: role === "leader",
    voting: ensemble !== null,
    last_zxid: zxid,
    zab_epoch: epochOf(at),
    zab_counter: counterOf(at),
    zabstate: ensemble?.phase ?? "",
  };
}

/** What words print as `1.0` is a number here. */
const numeric = ([name, value]: readonly [string, string | number]): readonly [string, string | number] =>
  typeof value === "string" && /^\d+\.\d+$/.test(value) ? [name, Number(value)] : [name, value];

/** `tickTime` is `tick_time`: as Jackson does it there. */
const snakeKeys = (pairs: readonly (readonly [string, unknown])[]): Fields =>
  Object.fromEntries(
    pairs.map(([key, value]) => [key.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`), value]),
  );

const NOT_SERVING = "This ZooKeeper instance is not currently serving requests";
