/**
 * The configuration of one member of a group, from flags alone. Everything wrong is found in one go and told
 * in one line each: what, where, and what would be right.
 */

import { isIPv4 } from "node:net";
import { MAX_MEMBER_ID, type MemberId, memberId } from "../core/identity.ts";
import { type Duration, type Instant, instant, seconds } from "../core/time.ts";
import { type GroupElectionName, groupElections } from "../election/group-catalog.ts";
import type { GroupElectionEntry } from "../election/group-election.ts";
import { flagOf, PLACEHOLDER, printOption, type Value, type Values } from "../election/options.ts";
import { parseOption } from "./option-text.ts";
import { duration, integer, oneOf, WrongValue } from "./quantity.ts";

export interface MemberConfig {
  readonly id: MemberId;
  readonly election: GroupElectionName;
  /** All that the election takes. */
  readonly options: Values;
  readonly group: string;
  readonly port: number;
  readonly interface: string;
  readonly ttl: number;
  readonly cluster: string;
  /** Empty: without a secret. */
  readonly secretFile: string;
  /** Bytes that may wait to be read; 0: the system's own choice. */
  readonly buffer: number;
  readonly startAt: Instant;
  /** How many lives one after another, and how long from one beginning to the next. */
  readonly lives: number;
  readonly every: Duration;
}

export type MemberReading =
  | { readonly kind: "config"; readonly config: MemberConfig }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problems: readonly string[] };

interface Flag {
  readonly placeholder: string;
  /** What holds when nobody says anything; null when somebody must. */
  readonly usual: string | null;
  readonly help: string;
}

const NAMES = Object.keys(groupElections) as GroupElectionName[];

const FLAGS = {
  "--id": { placeholder: "n", usual: null, help: "this member's number, by which elections compare" },
  "--interface": {
    placeholder: "address",
    usual: null,
    help: "this machine's IPv4 address in the group's network",
  },
  "--election": { placeholder: NAMES.join("|"), usual: "le-s", help: "how the group finds its leader" },
  "--group": { placeholder: "address", usual: "239.80.76.69", help: "the multicast address of the group" },
  "--port": { placeholder: "n", usual: "8769", help: "its UDP port" },
  "--ttl": { placeholder: "n", usual: "1", help: "1: no router passes it on" },
  "--cluster": { placeholder: "name", usual: "polebench", help: "members of other clusters are not heard" },
  "--secret-file": {
    placeholder: "file",
    usual: "",
    help: "holds the group's secret: announcements are proved with it, and those of strangers dropped",
  },
  "--buffer": {
    placeholder: "bytes",
    usual: "0",
    help: "for datagrams that wait to be read, as the kernel counts them; 0: the system's own choice",
  },
  "--start-at": {
    placeholder: "us",
    usual: "0",
    help: "begin when the machine's monotonic clock shows so many microseconds",
  },
  "--lives": {
    placeholder: "n",
    usual: "1",
    help: "so many lives, each of which ends in silence and knows nothing of the last",
  },
  "--every": { placeholder: "time", usual: "5s", help: "from the beginning of one life to the next" },
} as const satisfies Record<string, Flag>;

type FlagName = keyof typeof FLAGS;
const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

const entryOf = (name: GroupElectionName): GroupElectionEntry => groupElections[name];

export function memberHelp(): string {
  const line = (flag: string, help: string): string => `  ${flag.padEnd(24)} ${help}`;
  const lines = FLAG_NAMES.map((name) => {
    const { placeholder, usual, help }: Flag = FLAGS[name];
    return line(`${name} ${placeholder}`, usual === null || usual === "" ? help : `${help} (${usual})`);
  });
  const elections = NAMES.flatMap((name) => [
    line(name, entryOf(name).summary),
    ...Object.entries(entryOf(name).options).map(([option, described]) => {
      const usual = printOption(described, described.default);
      const flag = `--${flagOf(option)} ${PLACEHOLDER[described.kind]}`;
      return line(`  ${flag}`, `${described.sentence} (${usual})`);
    }),
  ]);
  return [
    "usage: member.ts --id n --interface address [flags]",
    "",
    "Runs one member of a group that elects a leader by multicast. A machine has one member. What happens is",
    "told on standard output, a JSON object a line. Times are 50ms, 2s, 1m, or bare milliseconds.",
    "",
    ...lines,
    "",
    "Elections, each with its own flags:",
    ...elections,
    "",
    "SIGTERM ends the member; a leader says Bye if --bye tells it to.",
    "Exit codes: 0 ended as asked, 3 it cannot run here, 64 wrong usage.",
    "",
  ].join("\n");
}

export function readMemberConfig(words: readonly string[]): MemberReading {
  if (words.includes("--help")) return { kind: "help" };
  const reader = new FlagReader(words);
  const election = reader.value("--election", oneOf(NAMES), "le-s");
  const entry = entryOf(election);
  const config: MemberConfig = {
    id: memberId(reader.value("--id", integer(1, MAX_MEMBER_ID), 1)),
    election,
    options: reader.options(entry),
    group: reader.value("--group", multicastAddress, ""),
    port: reader.value("--port", integer(1, 65_535), 1),
    interface: reader.value("--interface", ownAddress, ""),
    ttl: reader.value("--ttl", integer(1, 255), 1),
    cluster: reader.value("--cluster", (text) => text, ""),
    secretFile: reader.value("--secret-file", (text) => text, ""),
    buffer: reader.value("--buffer", integer(0, 2 ** 30), 0),
    lives: reader.value("--lives", integer(1, 100_000), 1),
    every: reader.value("--every", duration, seconds(5)),
    startAt: instant(reader.value("--start-at", integer(0, Number.MAX_SAFE_INTEGER), 0)),
  };
  const problems = reader.finish(election);
  const flaw = problems.length === 0 ? entry.flawOf?.(config.options) : undefined;
  if (typeof flaw === "string") problems.push(flaw);
  return problems.length > 0 ? { kind: "wrong", problems } : { kind: "config", config };
}

class FlagReader {
  readonly #said = new Map<string, string>();
  readonly #problems: string[] = [];

  constructor(words: readonly string[]) {
    for (let at = 0; at < words.length; at++) {
      const [flag = "", inline] = (words[at] as string).split(/=(.*)/s, 2);
      const text = inline ?? words[++at];
      if (text === undefined) this.#problems.push(`${flag}: what? a value follows it`);
      else this.#said.set(flag, text);
    }
  }

  value<T>(name: FlagName, parse: (text: string) => T, otherwise: T): T {
    const { usual, placeholder }: Flag = FLAGS[name];
    const text = this.#take(name) ?? usual;
    if (text !== null) return this.#parse(name, text, parse, otherwise);
    this.#problems.push(`${name}: it must be given, as ${name} ${placeholder}`);
    return otherwise;
  }

  options({ options }: GroupElectionEntry): Values {
    const values = Object.entries(options).map(([name, option]): [string, Value] => {
      const flag = `--${flagOf(name)}`;
      const text = this.#take(flag);
      const parse = (said: string): Value => parseOption(option, said);
      return [name, text === null ? option.default : this.#parse(flag, text, parse, option.default)];
    });
    return Object.fromEntries(values);
  }

  /** All problems, with those of what nobody has asked for. */
  finish(election: GroupElectionName): string[] {
    const unknown = [...this.#said.keys()].map(
      (flag) => `${flag}: no such flag with the election ${election}; --help lists them`,
    );
    return [...this.#problems, ...unknown];
  }

  #take(flag: string): string | null {
    const text = this.#said.get(flag) ?? null;
    this.#said.delete(flag);
    return text;
  }

  #parse<T>(flag: string, text: string, parse: (text: string) => T, otherwise: T): T {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      this.#problems.push(`${flag} ${text}: not ${error.message}`);
      return otherwise;
    }
  }
}

function ownAddress(text: string): string {
  if (isIPv4(text)) return text;
  throw new WrongValue("an IPv4 address such as 10.77.0.1");
}

function multicastAddress(text: string): string {
  const first = Number(text.split(".")[0]);
  if (isIPv4(text) && first >= 224 && first <= 239) return text;
  throw new WrongValue("an IPv4 multicast address, 224.0.0.0 to 239.255.255.255");
}
