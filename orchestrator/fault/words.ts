/**
 * A fault is said the way one would say it aloud, `60s crash leader`, and printed as it is said.
 *
 *   60s crash leader            its process dies, its machine lives: others notice at once
 *   60s crash-machine p4        its links are cut first: others notice when it stays silent
 *   60s leave leader            a member of a group is asked to end, and may say so before it does
 *   60s pause site:slac         all processes of a site stand still, until `resume`
 *   90s restart crashed         everything that was crashed, or ended, comes back with what its disk kept
 *   60s transfer p4             the leader gives its place to it, and serves until it has
 *   60s cut p1 p4               no packet passes between them, in either direction
 *   60s cut leader              it is cut off from all other servers; its clients still reach it
 *   60s cut site:fnal           the site is cut off from all others, its clients with it
 *   60s cut-one-way p1 p4       packets from p1 to p4 are lost, those from p4 to p1 pass
 *   80s heal                    all cuts end; `heal p1 p4`, `heal p1`: those between them, or about it
 *   60s forget-bulk p1 p4       a firewall forgets the connection of theirs that carries what is large
 *   60s forget-any p1 p4        or whichever connection of theirs speaks next
 *   60s link slac fnal 100ms    the round-trip time between two sites changes, its jitter in proportion
 *   60s loss slac fnal 5%       of all packets between them; `duplicate`, `corrupt` likewise
 *   60s rate p1 p4 10mbit       more does not pass between them; `unlimited` again
 *   60s disk-full p3            half of its next write finds room, and it ends
 *   60s disk-failing p3         writes and syncs fail; what was written is there, or half of it, or nothing
 *   60s disk-torn p3            its next write is half done when it dies
 *   60s disk-slow p3 200ms      each write takes so much longer
 *   60s disk-stuck p3           no write and no sync returns, until the disk is mended
 *   60s disk-wiped p3           it dies, and when it comes back its disk is empty
 *   80s disk-mended p3          full, failing, torn, slow and stuck no more
 *   60s clock-jump p3 -5s       its time of day is wrong by so much more; servers look when they start
 *   60s clock-leap p3 5s        its monotonic clock has leapt ahead, as after a sleep
 */

import { serverId } from "#node/core/identity.ts";
import { type Duration, microseconds } from "#node/core/time.ts";
import { suggestion } from "../terminal/problem.ts";
import { bitsPerSecond, DURATION, duration, fraction, PERCENTAGE, RATE } from "../topology/quantity.ts";
import type { Topology } from "../topology/topology.ts";
import { bendsServers, type End, type Fault, type FaultKind, type Target, type TimedFault } from "./fault.ts";

/** The fault, or what is wrong with the words. */
export function parseFault(text: string, topology: Topology): TimedFault | string {
  const [when = "", verb = "", ...words] = text.trim().split(/\s+/);
  if (!DURATION.test(when)) return `"${text}" begins with no time such as 60s`;
  if (!isKind(verb)) return `"${verb}" is no fault${suggestion(verb, Object.keys(OPERANDS))}`;
  const { most, least = most, takes } = OPERANDS[verb];
  if (words.length < least || words.length > most) return `"${text}": ${verb} takes ${takes}`;
  try {
    return { at: duration(when), fault: read(verb, new Operands(text, words, topology)) };
  } catch (error) {
    if (error instanceof Wrong) return error.message;
    throw error;
  }
}

/** Whether these words, right or wrong, are about what a server's own disk or clock does. */
export function mayBend(text: string): boolean {
  const [, verb = ""] = text.trim().split(/\s+/);
  return isKind(verb) && bendsServers(verb);
}

function read(kind: FaultKind, words: Operands): Fault {
  switch (kind) {
    case "cut":
    case "cut-one-way":
      return { kind, from: words.target(), to: words.other() };
    case "heal":
      return { kind, from: words.isLeft ? words.target() : null, to: words.other() };
    case "forget-bulk":
    case "forget-any":
      return { kind, ...words.ends("forgets connections from") };
    case "link":
      return { kind, ...words.ends("links"), roundTrip: words.time("round-trip time such as 100ms") };
    case "loss":
    case "duplicate":
    case "corrupt":
      return { kind, ...words.ends(`takes ${kind} from`), share: words.share() };
    case "rate":
      return { kind, ...words.ends("limits"), bitsPerSecond: words.rate() };
    case "disk-slow":
      return { kind, target: words.target(), by: words.time("time of a write such as 200ms") };
    case "clock-jump":
      return { kind, target: words.target(), by: words.jump() };
    case "clock-leap":
      return { kind, target: words.target(), by: words.time("time that a clock leaps ahead, such as 5s") };
    default:
      return { kind, target: words.target() };
  }
}

export function printFault(fault: Fault): string {
  const said = (...words: readonly string[]): string => [fault.kind, ...words].join(" ");
  switch (fault.kind) {
    case "cut":
    case "cut-one-way":
    case "heal":
      return said(...[fault.from, fault.to].flatMap((target) => (target === null ? [] : [printed(target)])));
    case "forget-bulk":
    case "forget-any":
      return said(endOf(fault.from), endOf(fault.to));
    case "link":
      return said(endOf(fault.from), endOf(fault.to), milliseconds(fault.roundTrip));
    case "loss":
    case "duplicate":
    case "corrupt":
      return said(endOf(fault.from), endOf(fault.to), `${Number((100 * fault.share).toPrecision(12))}%`);
    case "rate":
      return said(endOf(fault.from), endOf(fault.to), printedRate(fault.bitsPerSecond));
    case "disk-slow":
      return said(printed(fault.target), milliseconds(fault.by));
    case "clock-jump":
      return said(printed(fault.target), `${fault.by < 0 ? "" : "+"}${fault.by / 1e6}s`);
    case "clock-leap":
      return said(printed(fault.target), `${fault.by / 1e6}s`);
    default:
      return said(printed(fault.target));
  }
}

export const printTimedFault = ({ at, fault }: TimedFault): string => `${at / 1e6}s ${printFault(fault)}`;

/** The words behind the verb, one after the other. */
class Operands {
  readonly #text: string;
  readonly #words: readonly string[];
  readonly #topology: Topology;
  #read = 0;

  constructor(text: string, words: readonly string[], topology: Topology) {
    this.#text = text;
    this.#words = words;
    this.#topology = topology;
  }

  get isLeft(): boolean {
    return this.#read < this.#words.length;
  }

  target(): Target {
    const word = this.#next();
    if (word === "leader" || word === "crashed") return { kind: word };
    if (word.startsWith("site:")) return this.#site(word.slice("site:".length));
    const valid = ["leader", "crashed", ...this.#names, "site:NAME"];
    return this.#server(word) ?? wrong(`"${word}" is nothing to aim at${suggestion(word, valid)}`);
  }

  /** A second target, which is not the first; null when there is none. */
  other(): Target | null {
    if (!this.isLeft) return null;
    const [first] = this.#words;
    if (first === this.#words[this.#read]) wrong(`"${this.#text}" cuts ${first} off from itself`);
    return this.target();
  }

  /** Two sites, or servers, by their names. */
  ends(does: string): { readonly from: End; readonly to: End } {
    const [from, to] = [this.#end(), this.#end()];
    if (endOf(from) === endOf(to)) wrong(`"${this.#text}" ${does} ${endOf(from)} to itself`);
    return { from, to };
  }

  time(meaning: string): Duration {
    const word = this.#next();
    return DURATION.test(word) ? duration(word) : wrong(`"${word}" is no ${meaning}`);
  }

  jump(): Duration {
    const word = this.#next();
    const [, sign = "", size = ""] = /^([+-]?)(.*)$/.exec(word) ?? [];
    if (!DURATION.test(size)) return wrong(`"${word}" is no jump such as +5s or -5s`);
    return microseconds((sign === "-" ? -1 : 1) * duration(size));
  }

  share(): number {
    const word = this.#next();
    if (PERCENTAGE.test(word) && fraction(word) <= 1) return Number(fraction(word).toPrecision(12));
    return wrong(`"${word}" is no share from 0% to 100%`);
  }

  rate(): number {
    const word = this.#next();
    if (word === UNLIMITED) return Infinity;
    if (RATE.test(word) && bitsPerSecond(word) >= 1) return Math.round(bitsPerSecond(word));
    return wrong(`"${word}" is no rate such as 10mbit, nor ${UNLIMITED}`);
  }

  #end(): End {
    const word = this.#next();
    const server = this.#topology.sites.has(word) ? null : this.#server(word);
    return server ?? this.#site(word, this.#names);
  }

  #site(site: string, besides: readonly string[] = []): End {
    if (this.#topology.sites.has(site)) return { kind: "site", site };
    return wrong(`unknown site "${site}"${suggestion(site, [...this.#topology.sites.keys(), ...besides])}`);
  }

  #server(word: string): End | null {
    const server = [...this.#topology.servers.keys()].find((id) => `p${id}` === word);
    return server === undefined ? null : { kind: "server", server: serverId(server) };
  }

  get #names(): readonly string[] {
    return [...this.#topology.servers.keys()].map((id) => `p${id}`);
  }

  #next(): string {
    return this.#words[this.#read++] ?? "";
  }
}

/** For people; `parseFault` hands it over. */
class Wrong extends Error {}

function wrong(what: string): never {
  throw new Wrong(what);
}

const printed = (target: Target): string => {
  switch (target.kind) {
    case "server":
      return `p${target.server}`;
    case "site":
      return `site:${target.site}`;
    default:
      return target.kind;
  }
};

const endOf = (end: End): string => (end.kind === "site" ? end.site : printed(end));
const milliseconds = (time: Duration): string => `${time / 1e3}ms`;

/** All its digits, for it is read again. */
function printedRate(rate: number): string {
  if (rate === Infinity) return UNLIMITED;
  const [unit, size] = UNITS.find(([, bits]) => rate >= bits) ?? ["bit", 1];
  return `${rate / size}${unit}`;
}

const UNLIMITED = "unlimited";
const UNITS = [
  ["gbit", 1e9],
  ["mbit", 1e6],
  ["kbit", 1e3],
] as const;

interface Taken {
  readonly least?: number;
  readonly most: number;
  readonly takes: string;
}

const ONE: Taken = { most: 1, takes: "one target" };
const TWO: Taken = { least: 1, most: 2, takes: "one target or two" };
const ENDS: Taken = { most: 2, takes: "two sites or servers" };
const SHARE: Taken = { most: 3, takes: "two sites or servers and a share such as 5%" };

const OPERANDS: Readonly<Record<FaultKind, Taken>> = {
  crash: ONE,
  "crash-machine": ONE,
  leave: ONE,
  pause: ONE,
  resume: ONE,
  restart: ONE,
  transfer: ONE,
  cut: TWO,
  "cut-one-way": TWO,
  heal: { least: 0, most: 2, takes: "nothing, one target or two" },
  "forget-bulk": ENDS,
  "forget-any": ENDS,
  link: { most: 3, takes: "two sites or servers and a round-trip time" },
  loss: SHARE,
  duplicate: SHARE,
  corrupt: SHARE,
  rate: { most: 3, takes: "two sites or servers and a rate such as 10mbit" },
  "disk-full": ONE,
  "disk-failing": ONE,
  "disk-torn": ONE,
  "disk-slow": { most: 2, takes: "one target and a time such as 200ms" },
  "disk-stuck": ONE,
  "disk-wiped": ONE,
  "disk-mended": ONE,
  "clock-jump": { most: 2, takes: "one target and a jump such as +5s" },
  "clock-leap": { most: 2, takes: "one target and a time such as 5s" },
};

const isKind = (verb: string): verb is FaultKind => Object.hasOwn(OPERANDS, verb);
