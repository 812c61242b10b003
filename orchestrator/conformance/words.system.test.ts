// lane: works, 3 s
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import test, { after, before, suite } from "node:test";
import { join } from "node:path";
import { freePorts } from "#node/host/tcp/free-ports.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";
import { HOST } from "../topology/loopback.ts";
import { ask } from "../system/zookeeper/four-letter-word.ts";
import { type Ensemble, prepareEnsemble, type ServerProcess } from "../system/ensemble.ts";
import { SYSTEMS } from "../system/catalog.ts";
import type { System } from "../system/system.ts";
import { Longs, ScriptSession } from "./session.ts";

/** The jar does not name these two, without which ZooKeeper's pages do not begin. */
const PAGES = "/usr/share/java/jetty9-util-ajax.jar:/usr/share/java/servlet-api.jar";

const zookeeper: System = {
  ...SYSTEMS.zookeeper,
  command: (home) => {
    const words = SYSTEMS.zookeeper.command(home);
    return words.map((word) => (word.endsWith("zookeeper.jar") ? `${word}:${PAGES}` : word)) as never;
  },
};

const PAGE_MS = 10_000;

/** An ensemble with pages, somebody who watches and owns an ephemeral, and the ports of the pages. */
class Watched implements AsyncDisposable {
  readonly #ensemble: Ensemble;
  readonly #leader: ServerProcess;
  readonly #pages: ReadonlyMap<number, number>;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    ensemble: Ensemble,
    leader: ServerProcess,
    pages: ReadonlyMap<number, number>,
    stack: AsyncDisposableStack,
  ) {
    this.#ensemble = ensemble;
    this.#leader = leader;
    this.#pages = pages;
    this.#stack = stack;
  }

  static async begin(system: System): Promise<Watched> {
    await using stack = new AsyncDisposableStack();
    const ensemble = stack.use(await prepareEnsemble(system, 3, { "admin.enableServer": "true" }));
    const ports = await freePorts(ensemble.servers.length);
    const pages = new Map(ensemble.servers.map(({ id }, index) => [id, ports[index] ?? 0]));
    for (const { id, home } of ensemble.servers) {
      const lines = [`admin.serverPort=${pages.get(id)}`, `admin.serverAddress=${HOST}`, ""];
      appendFileSync(join(home, "zoo.cfg"), lines.join("\n"));
    }
    for (const server of ensemble.servers) server.start();
    await ensemble.ready();
    const leader = await patiently(() => ensemble.leader());
    const client = new ScriptSession([leader.clientPort], 0, new Longs());
    stack.defer(() => client.end());
    await client.connect();
    const open = [{ permissions: 31, id: { scheme: "world", id: "anyone" } }];
    const data = new Uint8Array(1);
    for (const request of [
      { kind: "create", path: "/e", data, acl: open, flags: 1, ttl: -1 },
      { kind: "getData", path: "/e", watch: true },
    ] satisfies ClientRequest[]) {
      const answer = await client.ask(request);
      assert.ok(answer.kind === "reply" && answer.error === 0, `${system.name}: ${JSON.stringify(answer)}`);
    }
    return new Watched(ensemble, leader, pages, stack.move());
  }

  word(word: string, role: Role): Promise<string> {
    return patiently(async () => {
      const answer = await ask(this.#server(role).clientPort, word);
      if (answer === "") throw new Error(`no answer to ${word}`);
      return answer;
    });
  }

  async page(name: string, role: Role): Promise<Record<string, unknown>> {
    const port = this.#pages.get(this.#server(role).id);
    const response = await fetch(`http://${HOST}:${port}/commands/${name}`, {
      signal: AbortSignal.timeout(PAGE_MS),
    });
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    return (await response.json()) as Record<string, unknown>;
  }

  #server(role: Role): ServerProcess {
    const other = this.#ensemble.servers.find((server) => server !== this.#leader);
    return role === "leader" || other === undefined ? this.#leader : other;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

type Role = "leader" | "follower";

/** On a busy machine an answer may be late, and then there is none. */
async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = 10; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

/** Of a text, what scripts look for: what stands before a colon, an equals sign or a tab. */
function namesIn(text: string): string[] {
  const lines = text
    .split("\n")
    .flatMap((line) => /^([A-Za-z_][\w ./()]*?)\s?(?:[:=\t]|$)/.exec(line)?.[1] ?? []);
  const pairs = [...text.matchAll(/[(,](\w+)=/g)].map(([, name = ""]) => name);
  return [...new Set([...lines, ...pairs].map((name) => name.replaceAll(/\d+/g, "N")))].toSorted();
}

/** All names in a JSON value, with what they are below; lists and maps by id are looked at by their first. */
function pathsIn(value: unknown, above = ""): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : pathsIn(value[0], `${above}[]`);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = `${above}.${/^\d+$/.test(key) ? "N" : key}`;
    return [path, ...pathsIn(inner, path)];
  });
}

interface Difference {
  readonly missing: readonly string[];
  readonly more: readonly string[];
}

function difference(ours: readonly string[], theirs: readonly string[]): Difference {
  return {
    missing: [...new Set(theirs.filter((name) => !ours.includes(name)))],
    more: [...new Set(ours.filter((name) => !theirs.includes(name)))],
  };
}

const WORDS = "ruok srvr stat cons envi dirs isro dump wchs wchc wchp crst srst conf mntr".split(" ");
const COMMANDS = (
  "configuration connection_stat_reset connections dirs dump environment is_read_only last_snapshot leader " +
  "ruok server_stats stat_reset stats voting_view watch_summary watches watches_by_path zabstate monitor " +
  "nonsense"
).split(" ");

const ELSEWHERE =
  /(?:fsync_threshold_exceed_count|provider_null|auth_failed_count|non_mtls\w+|interest_ops)$/;

/** What is there and not here, or the other way round, and shall be so. */
const MEANT: Readonly<Record<string, RegExp>> = {
  // Java's, and Node's.
  envi: /^(?:java|os\.memory|node)\./,
  environment: /^\.(?:java|os\.memory|node)\./,
  // Nothing here could be said by them.
  conf: /^(?:clientPortListenBacklog|electionAlg|electionPort|peerType|secureClientPort|syncLimit|version)$/,
  configuration: /^\.(?:client_port_listen_backlog|init_limit|quorum_port)$/,
  connections: /\.interest_ops$/,
  // SASL, TLS beside plain text, slow disks and NIO: not told here.
  server_stats: ELSEWHERE,
  stats: ELSEWHERE,
  voting_view: /\.client_address$/,
  zabstate: /^\.(?:quorum_address|election_address|client_address)\b/,
};

/** Of the hundreds of numbers in `mntr`, those that dashboards and alarms are made of. */
const LOOKED_AT =
  "version server_state peer_state avg_latency max_latency min_latency packets_received packets_sent " +
  "num_alive_connections outstanding_requests znode_count watch_count ephemerals_count " +
  "approximate_data_size open_file_descriptor_count max_file_descriptor_count global_sessions " +
  "local_sessions uptime last_client_response_size max_client_response_size min_client_response_size " +
  "quorum_size looking_count avg_election_time cnt_election_time";
const LOOKED_AT_IN_LEADERS =
  " learners synced_followers synced_non_voting_followers synced_observers leader_uptime proposal_count " +
  "last_proposal_size max_proposal_size min_proposal_size";

suite("to those who watch over servers", { skip: SYSTEMS.zookeeper.missing() ?? false }, () => {
  const stack = new AsyncDisposableStack();
  let ours: Watched;
  let theirs: Watched;

  before(async () => {
    ours = stack.use(await Watched.begin(SYSTEMS.polebench));
    theirs = stack.use(await Watched.begin(zookeeper));
  });

  after(() => stack.disposeAsync());

  for (const role of ["leader", "follower"] as const) {
    const lookedAt = (LOOKED_AT + (role === "leader" ? LOOKED_AT_IN_LEADERS : "")).split(" ");

    /** Nothing that ZooKeeper does not have, and nothing missing that somebody looks for. */
    const agree = (mine: readonly string[], its: readonly string[], meant: RegExp | undefined): void => {
      const { missing, more } = difference(mine, its);
      const unmeant = [...missing, ...more].filter((name) => meant?.test(name) !== true);
      assert.deepEqual(unmeant, []);
    };
    const contain = (mine: readonly string[], its: readonly string[], before: string): void => {
      for (const name of lookedAt) {
        for (const names of [mine, its]) assert.ok(names.includes(before + name), `${before}${name}`);
      }
      assert.deepEqual(difference(mine, its).more, []);
    };

    for (const word of WORDS) {
      test(`a ${role} answers ${word} with ZooKeeper's names`, async () => {
        const answers = await Promise.all([ours.word(word, role), theirs.word(word, role)]);
        const [mine, its] = answers.map(namesIn) as [string[], string[]];
        if (word === "mntr") contain(mine, its, "zk_");
        else agree(mine, its, MEANT[word]);
      });
    }
    for (const name of COMMANDS) {
      test(`a ${role} answers /commands/${name} with ZooKeeper's names`, async () => {
        const answers = await Promise.all([ours.page(name, role), theirs.page(name, role)]);
        const [mine, its] = answers.map((each) => pathsIn(each)) as [string[], string[]];
        if (name === "monitor") contain(mine, its, ".");
        else agree(mine, its, MEANT[name]);
      });
    }
  }
});
