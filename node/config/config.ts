/**
 * The configuration of one server: what flags say, else the environment, else zoo.cfg, else what is usual.
 *
 * Everything wrong is found in one go and told in one line each: what, where, and what would be right.
 */

import { type ServerId, serverId } from "../core/identity.ts";
import type { Duration } from "../core/time.ts";
import { contradictions as contradictionsOf, SERVER } from "../election/assumptions.ts";
import { choose, type ElectionChoice, entryOf, flawOfChoice } from "../election/catalog.ts";
import { misplaced, type OptionName, options } from "../election/option-catalog.ts";
import { flawOfOrder, type Value } from "../election/options.ts";
import { WrongValue } from "./quantity.ts";
import {
  type Config,
  parseSecret,
  parseServer,
  type ServerAddress,
  type SettingName,
  SETTINGS,
} from "./settings.ts";

export type Reading =
  | {
      readonly kind: "config";
      readonly config: Config & { readonly id: ServerId };
      readonly warnings: readonly string[];
    }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problems: readonly string[] };

/** What somebody wrote, and where. */
interface Said {
  readonly text: string;
  readonly where: string;
}

export interface Surroundings {
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Throws when there is no such file. */
  readonly readFile: (path: string) => string;
}

const NAMES = Object.keys(SETTINGS) as SettingName[];
const PREFIX = "POLEBENCH_";

export function readConfig(surroundings: Surroundings): Reading {
  const sources = new Sources();
  sources.readArguments(surroundings.arguments);
  if (sources.wantsHelp) return { kind: "help" };
  sources.readEnvironment(surroundings.environment);
  if (sources.file !== null) sources.readZooCfg(sources.file, surroundings.readFile);
  const config = sources.settle(surroundings.readFile);
  return sources.problems.length > 0 || config === null
    ? { kind: "wrong", problems: sources.problems }
    : { kind: "config", config, warnings: sources.warnings };
}

export function help(): string {
  const lines = NAMES.map((name) => {
    const { placeholder, help: text, usual, zooName } = SETTINGS[name];
    const notes = [usual, ...(zooName === null ? [] : [`${zooName} in zoo.cfg`])].filter(
      (note) => note !== "",
    );
    const note = notes.length > 0 ? ` (${notes.join("; ")})` : "";
    return `  ${`${flagOf(name)} ${placeholder}`.padEnd(30)} ${text}${note}`;
  });
  return [
    "usage: main.ts [zoo.cfg] [flags]",
    "",
    "Runs one server of a replicated service that speaks ZooKeeper's protocol. What a flag does not say, the",
    `environment does (${variableOf("dataDir")} for --data-dir), then the file, a zoo.cfg of ZooKeeper.`,
    "Times are 50ms, 2s, 1m, or bare milliseconds.",
    "",
    ...lines,
    "",
    "SIGTERM hands over leadership and ends the server. Exit codes: 0 ended as asked, 3 it cannot run here,",
    "64 wrong usage.",
    "",
  ].join("\n");
}

const flagOf = (name: SettingName): string => `--${kebab(name)}`;
const variableOf = (name: SettingName): string => PREFIX + kebab(name).replaceAll("-", "_").toUpperCase();
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);

class Sources {
  readonly problems: string[] = [];
  readonly warnings: string[] = [];
  wantsHelp = false;
  file: string | null = null;
  /** The first to say something about a setting is heard. */
  readonly #said = new Map<SettingName, Said>();
  readonly #servers = new Map<ServerId, ServerAddress>();
  readonly #files = new Set<string>();

  readArguments(words: readonly string[]): void {
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as string;
      if (word === "--help" || word === "-h") this.wantsHelp = true;
      else if (!word.startsWith("--")) {
        if (this.file !== null) this.problems.push(`${word}: a second file, after ${this.file}; one is read`);
        this.file = word;
      } else {
        const [flag = "", inline] = word.split(/=(.*)/s, 2);
        const name = NAMES.find((known) => flagOf(known) === flag);
        const text = inline ?? words[++at];
        if (name === undefined) this.problems.push(`${flag}: no such flag; --help lists them`);
        else if (text === undefined)
          this.problems.push(`${flag}: what? write ${flag} ${SETTINGS[name].placeholder}`);
        else this.#say(name, { text, where: flag });
      }
    }
  }

  readEnvironment(environment: Surroundings["environment"]): void {
    for (const [variable, text] of Object.entries(environment)) {
      if (!variable.startsWith(PREFIX) || text === undefined) continue;
      const name = NAMES.find((known) => variableOf(known) === variable);
      if (name === undefined) this.warnings.push(`environment: ${variable} is not known`);
      else this.#say(name, { text, where: variable });
    }
  }

  readZooCfg(path: string, readFile: Surroundings["readFile"]): void {
    // A dynamic file that names itself, or the one it comes from, says nothing new.
    if (this.#files.has(path)) return;
    this.#files.add(path);
    const text = this.#read(path, readFile, "name a zoo.cfg, or say everything with flags");
    text?.split(/\r?\n/).forEach((line, index) => {
      const where = `${path}:${index + 1}`;
      const [, key, value] = /^\s*([^#!\s][^=:\s]*)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
      if (/^\s*(?:[#!].*)?$/.test(line)) return;
      if (key === undefined || value === undefined)
        this.problems.push(`${where}: write key=value, not ${line.trim()}`);
      else this.#zooKey(key, { text: value, where }, readFile);
    });
  }

  settle(readFile: Surroundings["readFile"]): (Config & { readonly id: ServerId }) | null {
    const values: Partial<Record<SettingName, unknown>> = {};
    for (const name of NAMES) {
      const { parse, usual } = SETTINGS[name];
      values[name] = this.#parse<unknown>(this.#said.get(name) ?? { text: usual, where: name }, parse);
    }
    const config = values as Config;
    const servers = this.#said.has("servers") || this.#servers.size === 0 ? config.servers : this.#servers;
    if (this.problems.length > 0) return null;
    const id = config.id ?? this.#readMyId(config.dataDir, servers.size === 0, readFile);
    if (id === null) return null;
    const own = servers.get(id);
    if (servers.size > 0 && own === undefined) {
      this.problems.push(`server ${id} is not of the ensemble: ${[...servers.keys()].join(", ")}`);
      return null;
    }
    const clientPort = this.#said.has("clientPort")
      ? config.clientPort
      : (own?.clientPort ?? config.clientPort);
    const secretOf = (text: string, file: string): string =>
      file === "" ? text : this.#readSecret(file, readFile);
    const secret = secretOf(config.secret, config.secretFile);
    const pagesToken = secretOf(config.pagesToken, config.pagesTokenFile);
    const settled = { ...config, id, servers, clientPort, secret, pagesToken };
    this.problems.push(...exposures(settled), ...contradictions(settled), ...this.#electionProblems(settled));
    this.#warnOfIdle(settled);
    return settled;
  }

  #electionProblems(config: Config & { readonly id: ServerId }): readonly string[] {
    const { election, id, servers } = config;
    const ids = servers.size === 0 ? [id] : [...servers.keys()];
    const wrong = contradictionsOf(election, entryOf(election).assumes, { ...SERVER, servers: ids.length });
    const ofOptions = options.flatMap(({ name }) => {
      const said = this.#said.get(name);
      const value: Value | null = config[name];
      const flaw = typeof value === "object" && value !== null ? flawOfOrder(value, ids) : null;
      const problem = said === undefined ? null : (misplaced(election, name) ?? flaw);
      return problem === null ? [] : [`${said?.where}: ${problem}`];
    });
    const flaw = flawOfChoice(electionOf(config));
    const sentences = flaw === null ? wrong : [...wrong, flaw];
    return [...sentences.map((sentence) => `--election: ${sentence}`), ...ofOptions];
  }

  /** ZooKeeper's pages are on unless they are switched off; ours the other way round. */
  #warnOfIdle({ adminServer, metrics }: Config): void {
    const idle: [boolean, SettingName, string][] = [
      [!adminServer, "adminPort", "admin.enableServer=true (--admin-server yes)"],
      [metrics === "none", "metricsPort", "there is a metricsProvider.className (--metrics prometheus)"],
    ];
    for (const [off, name, unless] of idle) {
      const said = this.#said.get(name);
      if (off && said !== undefined) this.warnings.push(`${said.where} has no effect unless ${unless}`);
    }
  }

  #say(name: SettingName, said: Said): void {
    if (!this.#said.has(name)) this.#said.set(name, said);
  }

  #zooKey(key: string, said: Said, readFile: Surroundings["readFile"]): void {
    const server = /^server\.(\d+)$/.exec(key);
    const reason = withoutEffect(key);
    const name = NAMES.find((known) => SETTINGS[known].zooName === key || known === key);
    if (server !== null) {
      const address = this.#parse({ ...said, where: `${said.where}: ${key}` }, parseServer);
      const id = Number(server[1]);
      if (id < 1 || id > 255) this.problems.push(`${said.where}: ${key}: servers are numbered 1 to 255`);
      else if (address !== null) this.#servers.set(serverId(id), address);
    } else if (key === "dynamicConfigFile") this.readZooCfg(said.text, readFile);
    else if (name !== undefined) this.#say(name, { ...said, where: `${said.where}: ${key}` });
    else if (reason !== null) this.warnings.push(`${said.where}: ${key} has no effect here: ${reason}`);
    else this.warnings.push(`${said.where}: ${key} is not known`);
  }

  /** ZooKeeper's place for it. One server alone need not have a number. */
  #readMyId(dataDir: string, isAlone: boolean, readFile: Surroundings["readFile"]): ServerId | null {
    if (isAlone) return serverId(1);
    const path = `${dataDir}/myid`;
    const text = this.#read(path, readFile, "write this server's number into it, or say --id");
    return text === null ? null : this.#parse({ text: text.trim(), where: path }, SETTINGS.id.parse);
  }

  /** Never quoted, not even when it is wrong. */
  #readSecret(path: string, readFile: Surroundings["readFile"]): string {
    const text = this.#read(path, readFile, "put the secret into it")?.trim();
    if (text === undefined) return "";
    try {
      if (text === "") throw new WrongValue("not empty");
      return parseSecret(text);
    } catch (error) {
      this.problems.push(`${path}: what it holds should be ${(error as Error).message}`);
      return "";
    }
  }

  #parse<T>({ text, where }: Said, parse: (text: string) => T): T | null {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      const quoted = IS_SECRET.test(where) ? "what it says" : `"${text}"`;
      this.problems.push(`${where}: ${quoted} should be ${error.message}`);
      return null;
    }
  }

  #read(path: string, readFile: Surroundings["readFile"], advice: string): string | null {
    try {
      return readFile(path);
    } catch (error) {
      this.problems.push(`${path}: ${(error as Error).message}; ${advice}`);
      return null;
    }
  }
}

/** Where a mistake must not be repeated. */
const IS_SECRET = /secret|token/i;

/** What would let strangers in. */
function exposures(config: Config & { readonly id: ServerId }): readonly string[] {
  const { servers, id, secret, tlsCert, tlsKey, tlsCa, clientTls } = config;
  const given = [tlsCert, tlsKey, tlsCa].filter((file) => file !== "").length;
  const problems: string[] = [];
  if (given > 0 && given < 3 && !clientTls) {
    problems.push("TLS between servers: --tls-cert, --tls-key and --tls-ca go together");
  }
  if (clientTls && (tlsCert === "" || tlsKey === "")) {
    problems.push("--client-tls: a certificate is missing; say --tls-cert and --tls-key");
  }
  const own = servers.get(id);
  if (servers.size > 1 && own !== undefined && secret === "" && given < 3 && !isLoopback(own.host)) {
    problems.push(
      `server.${id}=${own.host}:${own.port}: strangers could speak for servers there; give all servers ` +
        "the same --secret-file, or certificates, or loopback addresses",
    );
  }
  const { adminServer, adminAddress, metrics, metricsAddress, pagesToken } = config;
  const pages: [boolean, SettingName, string][] = [
    [adminServer, "adminAddress", adminAddress],
    [metrics !== "none", "metricsAddress", metricsAddress],
  ];
  for (const [on, name, host] of pages) {
    if (!on || pagesToken !== "" || isLoopback(host)) continue;
    problems.push(
      `${flagOf(name)} ${host}: strangers could read there who is connected and what is watched; say ` +
        "--pages-token-file, or a loopback address",
    );
  }
  return problems;
}

function contradictions(config: Config): readonly string[] {
  const { least, most } = sessionTimeouts(config);
  return least > most
    ? [`minSessionTimeout: no session can last ${least / 1e6} s at least and ${most / 1e6} s at most`]
    : [];
}

/** The election that this server takes part in, with what was said about it. */
export const electionOf = (config: Config): ElectionChoice =>
  choose(config.election, (option) => config[option as OptionName]);

/** As ZooKeeper: between 2 and 20 ticks, if nothing else is said. */
export function sessionTimeouts({ tickTime, minSessionTimeout, maxSessionTimeout }: Config): {
  readonly least: Duration;
  readonly most: Duration;
} {
  const [least, most] = [(2 * tickTime) as Duration, (20 * tickTime) as Duration];
  return { least: minSessionTimeout ?? least, most: maxSessionTimeout ?? most };
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);

/** What ZooKeeper knows, and what is done otherwise here or not at all: the reason where there is one. */
const WITHOUT_EFFECT: readonly (readonly [RegExp, reason: string])[] = [
  [/^syncLimit$/, "say --heartbeat and --missed-heartbeats"],
  [/^dataLogDir$/, "log and snapshots are both in dataDir"],
  [/^jute\.maxbuffer$/, "a request has at most 1 MiB"],
  [/^autopurge\./, "what is not needed any more is removed at once"],
  [/^quorumListenOnAllIPs$/, "servers listen at the address that the ensemble calls them by"],
  [/^reconfigEnabled$/, "the ensemble cannot be changed while it runs"],
  [/^localSessionsE?n?(?:abled|UpgradingEnabled)?$/i, "every session is known to all servers"],
  [/^(?:ssl|client)\.|^ssl[A-Z]|^secureClientPort|^portUnification$/, "TLS is --client-tls and --tls-cert"],
  [/^authProvider\.|SASL|^kerberos\.|^requireClientAuthScheme/i, "nobody speaks SASL here"],
  [/^peerType$/, "every server votes"],
  [
    /^(?:electionAlg|preAllocSize|globalOutstandingLimit|cnxTimeout|standaloneEnabled|leaderServes)$/,
    "it is decided otherwise",
  ],
  [
    /^(?:fsync\.|admin\.|metricsProvider\.|group\.|weight\.)|^serverCnxnFactory$/,
    "there is no such thing here",
  ],
];

const withoutEffect = (key: string): string | null =>
  WITHOUT_EFFECT.find(([pattern]) => pattern.test(key))?.[1] ?? null;
