/**
 * The configuration of one member of a group, from flags alone. Everything wrong is found in one go and told
 * in one line each: what, where, and what would be right.
 */

import { isIPv4 } from "node:net";
import { MAX_MEMBER_ID, type MemberId, memberId } from "../core/identity.ts";
import { type Instant, instant, toMilliseconds } from "../core/time.ts";
import { type GroupElectionName, groupElections } from "../election/group-catalog.ts";
import type { GroupElectionOptions } from "../election/group-election.ts";
import { duration, integer, oneOf, WrongValue } from "./quantity.ts";

export interface MemberConfig {
  readonly id: MemberId;
  readonly election: GroupElectionName;
  readonly options: GroupElectionOptions;
  readonly group: string;
  readonly port: number;
  readonly interface: string;
  readonly ttl: number;
  readonly cluster: string;
  readonly startAt: Instant;
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
  "--announce": { placeholder: "time", usual: "", help: "T_A: a leader announces itself so often" },
  "--listen": { placeholder: "time", usual: "", help: "T_L: a leader that is not heard for so long is left" },
  "--suppress": { placeholder: "time", usual: "", help: "T_S: who begins is silent for up to so long" },
  "--group": { placeholder: "address", usual: "239.80.76.69", help: "the multicast address of the group" },
  "--port": { placeholder: "n", usual: "8769", help: "its UDP port" },
  "--ttl": { placeholder: "n", usual: "1", help: "1: no router passes it on" },
  "--cluster": { placeholder: "name", usual: "polebench", help: "members of other clusters are not heard" },
  "--start-at": {
    placeholder: "us",
    usual: "0",
    help: "begin when the machine's monotonic clock shows so many microseconds; at once when it does",
  },
} as const satisfies Record<string, Flag>;

type FlagName = keyof typeof FLAGS;
const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

export function memberHelp(): string {
  const lines = FLAG_NAMES.map((name) => {
    const { placeholder, usual, help }: Flag = FLAGS[name];
    const note = usual === null || usual === "" ? "" : ` (${usual})`;
    return `  ${`${name} ${placeholder}`.padEnd(24)} ${help}${note}`;
  });
  const elections = NAMES.map((name) => {
    const { summary, usual } = groupElections[name];
    const times = [usual.announce, usual.listen, usual.suppress].map((time) => `${toMilliseconds(time)}ms`);
    return `  ${name.padEnd(24)} ${summary} (T_A, T_L, T_S: ${times.join(", ")})`;
  });
  return [
    "usage: member.ts --id n --interface address [flags]",
    "",
    "Runs one member of a group that elects a leader by multicast. A machine has one member. What happens is",
    "told on standard output, a JSON object a line. Times are 50ms, 2s, 1m, or bare milliseconds.",
    "",
    ...lines,
    "",
    "Elections:",
    ...elections,
    "",
    "SIGTERM ends the member in silence. Exit codes: 0 ended as asked, 3 it cannot run here, 64 wrong usage.",
    "",
  ].join("\n");
}

export function readMemberConfig(words: readonly string[]): MemberReading {
  if (words.includes("--help")) return { kind: "help" };
  const problems: string[] = [];
  const said = readFlags(words, problems);
  const value = <T>(name: FlagName, parse: (text: string) => T, usual: T): T => {
    const text = said.get(name) ?? FLAGS[name].usual;
    if (text === "") return usual;
    try {
      if (text === null) throw new WrongValue(`it must be given, as ${name} ${FLAGS[name].placeholder}`);
      return parse(text);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      const where = text === null ? name : `${name} ${text}`;
      problems.push(`${where}: ${text === null ? "" : "not "}${error.message}`);
      return usual;
    }
  };
  const election = value("--election", oneOf(NAMES), "le-s");
  const { usual } = groupElections[election];
  const config: MemberConfig = {
    id: memberId(value("--id", integer(1, MAX_MEMBER_ID), 1)),
    election,
    options: {
      announce: value("--announce", duration, usual.announce),
      listen: value("--listen", duration, usual.listen),
      suppress: value("--suppress", duration, usual.suppress),
    },
    group: value("--group", multicastAddress, ""),
    port: value("--port", integer(1, 65_535), 1),
    interface: value("--interface", ownAddress, ""),
    ttl: value("--ttl", integer(1, 255), 1),
    cluster: value("--cluster", (text) => text, ""),
    startAt: instant(value("--start-at", integer(0, Number.MAX_SAFE_INTEGER), 0)),
  };
  const { announce, listen } = config.options;
  if (problems.length === 0 && listen < announce)
    problems.push(
      "--listen is shorter than --announce: followers would leave a leader between two heartbeats",
    );
  return problems.length > 0 ? { kind: "wrong", problems } : { kind: "config", config };
}

function readFlags(words: readonly string[], problems: string[]): Map<FlagName, string> {
  const said = new Map<FlagName, string>();
  for (let at = 0; at < words.length; at++) {
    const [flag = "", inline] = (words[at] as string).split(/=(.*)/s, 2);
    const name = FLAG_NAMES.find((known) => known === flag);
    if (name === undefined) {
      problems.push(`${flag}: no such flag; --help lists them`);
      continue;
    }
    const text = inline ?? words[++at];
    if (text === undefined) problems.push(`${flag}: what? write ${flag} ${FLAGS[name].placeholder}`);
    else said.set(name, text);
  }
  return said;
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
