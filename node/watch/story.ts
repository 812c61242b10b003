/**
 * The log of a server, told so that a person can follow an election: who looked for a leader and why, who
 * proposed itself with which score and what is behind the score, who won, and how long each phase took until
 * clients were served.
 *
 * Every line carries its event as fields, so that a program can follow it too.
 */

import { unreachable } from "../core/assert.ts";
import type { ServerId } from "../core/identity.ts";
import { between, type Duration, type Instant, toMilliseconds } from "../core/time.ts";
import { printZxid } from "../core/zxid.ts";
import { tell } from "../election/tell.ts";
import type { HostEvent } from "../host/tcp/tcp-host.ts";
import type { ReplicaEvent } from "../telemetry/event.ts";
import type { ResignationEvent } from "../telemetry/resignation-event.ts";

/** What is used of pino's logger. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

type Level = keyof Logger;
type Phase = "election" | "discovery" | "synchronization";

export class Story {
  readonly #log: Logger;
  /** When each phase of the search under way ended. */
  #search: { readonly since: Instant; last: Instant; readonly took: Partial<Record<Phase, number>> } | null =
    null;

  constructor(log: Logger) {
    this.#log = log;
  }

  replica(event: ReplicaEvent, now: Instant): void {
    const [level, sentence] = sentenceOf(event);
    this.#follow(event, now);
    const took = event.kind === "serving" ? this.#finish(now) : null;
    this.#log[level]({ ...fieldsOf(event), ...took?.fields }, sentence + (took?.text ?? ""));
  }

  host(event: HostEvent): void {
    const [level, sentence] = hostSentenceOf(event);
    this.#log[level](fieldsOf(event), sentence);
  }

  /** A client, for what it did. */
  cutOff(address: string, reason: string): void {
    this.#log.warn({ event: "cutOff", address, reason }, `cuts off the client at ${address}: ${reason}`);
  }

  #follow(event: ReplicaEvent, now: Instant): void {
    if (event.kind === "looking") this.#search = { since: now, last: now, took: {} };
    else if (event.kind === "elected") this.#end("election", now);
    else if (event.kind === "discovered") this.#end("discovery", now);
    else if (event.kind === "serving") this.#end("synchronization", now);
  }

  #end(phase: Phase, now: Instant): void {
    if (this.#search === null) return;
    this.#search.took[phase] = toMilliseconds(between(this.#search.last, now));
    this.#search.last = now;
  }

  #finish(now: Instant): { readonly fields: object; readonly text: string } | null {
    if (this.#search === null) return null;
    const { since, took } = this.#search;
    this.#search = null;
    const total = between(since, now);
    const parts = Object.entries(took).map(([phase, ms]) => `${phase} ${round(ms)}`);
    return {
      fields: { tookMs: toMilliseconds(total), phasesMs: took },
      text: `, ${ms(total)} after it began to look: ${parts.join(", ")}`,
    };
  }
}

function sentenceOf(event: ReplicaEvent): readonly [Level, string] {
  switch (event.kind) {
    case "looking":
      return ["info", `looks for a leader: ${event.reason}`];
    case "observed": {
      const { level, sentence } = tell(event.election, event.facts);
      return [level, sentence];
    }
    case "elected":
      return ["info", `round ${event.round}: ${p(event.leader)} is elected`];
    case "joining":
      return ["debug", `asks ${p(event.leader)} to lead`];
    case "founding":
      return [
        "info",
        `its disk is new, and ${event.servers} servers know no epoch: they begin with the first`,
      ];
    case "returning":
      return [
        "warn",
        "its disk is new, and others know an epoch: what it had acknowledged it has forgotten. They bring " +
          `it level in epoch ${event.epoch} or a later one, and it counts only then`,
      ];
    case "discovered":
      return [
        "info",
        `epoch ${event.epoch} begins; ${p(event.newest)} has the newest history, ` +
          `up to ${printZxid(event.lastZxid)}`,
      ];
    case "pulling":
      return ["info", `fetches from ${p(event.from)} what it lacks after ${printZxid(event.since)}`];
    case "pulled":
      return ["info", `has fetched ${event.bytes} bytes from ${p(event.from)}, as ${event.how}`];
    case "synchronizing":
      return ["info", `brings ${p(event.follower)} level by ${event.how}, from ${printZxid(event.from)}`];
    case "synchronized":
      return ["info", `${p(event.follower)} is level, after ${event.bytes} bytes`];
    case "parted":
      return ["info", `${p(event.follower)} is led here no longer`];
    case "handing":
      return ["info", `gives its place to ${p(event.to)}, and keeps writes back until that is level`];
    case "kept":
      return ["info", `goes on to lead instead of ${p(event.to)}: ${event.reason}`];
    case "established":
      return [
        "info",
        `epoch ${event.epoch} stands: a quorum has its history up to ${printZxid(event.initial)}`,
      ];
    case "serving":
      return ["info", `serves under ${p(event.leader)} in epoch ${event.epoch}`];
    case "lost":
      return ["warn", `has lost ${p(event.leader)} as its leader: ${event.reason}`];
    case "down":
      return ["warn", `${p(event.server)} is down: ${event.reason}`];
    case "up":
      return ["info", `${p(event.server)} is up`];
    case "traffic": {
      const messages = Object.values(event.sent).reduce((sum, volume) => sum + volume.messages, 0);
      return ["debug", `has sent ${messages} messages to other servers`];
    }
    case "committed":
      return ["info", `epoch ${event.epoch} has its first commit, ${printZxid(event.zxid)}`];
    case "checkpoint":
      return ["info", `has written a snapshot of the state at ${printZxid(event.zxid)}`];
    default:
      return resignation(event);
  }
}

function resignation(event: ResignationEvent): readonly [Level, string] {
  switch (event.kind) {
    case "resigning":
      return [
        "info",
        `${p(event.to)} would have led better by ${share(event.advantage)} for ${round(event.heldMs)} ms` +
          `${predicted(event)}: it is to have the place`,
      ];
    case "resigned":
      return [
        "info",
        `${p(event.to)} leads instead: writes took ${round(event.beforeMs)} ms, and take ` +
          `${round(event.afterMs)} ms${predictedThen(event)}`,
      ];
    case "staying":
      return [
        "warn",
        `${p(event.to)} would lead better; the leader changed ${event.changes} times in an hour, and stays`,
      ];
    default:
      return unreachable(event);
  }
}

function hostSentenceOf(event: HostEvent): readonly [Level, string] {
  switch (event.kind) {
    case "recovered": {
      const cut = event.cut > 0 ? `; cut off ${event.cut} bytes of a write that a crash interrupted` : "";
      return ["info", `remembers ${event.transactions} transactions after its snapshot${cut}`];
    }
    case "connected":
      return ["debug", `is connected to ${p(event.server)}`];
    case "unreachable":
      return ["info", `has lost the connection to ${p(event.server)}: ${event.reason}`];
    case "failing":
      return ["info", `cannot connect to ${p(event.server)} yet: ${event.reason}`];
    case "refused":
      return ["warn", `sent away a caller from ${event.address}: ${event.reason}`];
    default:
      return unreachable(event);
  }
}

/** The event as fields of a line, its kind under a name that says of what. */
function fieldsOf(told: ReplicaEvent | HostEvent): object {
  const { kind: event, ...fields } = told;
  return { event, ...fields };
}

const p = (server: ServerId): string => `p${server}`;
const ms = (duration: Duration): string => `${round(toMilliseconds(duration))} ms`;
const round = (value: number): string => String(Number(value.toPrecision(4)));
const share = (value: number): string => `${round(100 * value)} %`;

const predicted = ({ ownMs, otherMs }: { readonly ownMs?: number; readonly otherMs?: number }): string =>
  ownMs === undefined || otherMs === undefined
    ? ""
    : `, by prediction ${round(otherMs)} ms where ${round(ownMs)} are now`;

const predictedThen = ({ ownMs, otherMs }: { readonly ownMs?: number; readonly otherMs?: number }): string =>
  ownMs === undefined || otherMs === undefined
    ? ""
    : `; predicted were ${round(otherMs)} ms instead of ${round(ownMs)}`;
