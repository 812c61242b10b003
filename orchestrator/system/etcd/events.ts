/**
 * From the log of an etcd server to the events of a recording, as far as it tells: when it lost its leader or
 * stood for election, who won which term, and from when on it served. A term is an epoch here, and an
 * election's round. That a leader's first entry is committed, or what it sends to whom, etcd does not log.
 */

import { epoch, type Zxid } from "#node/core/zxid.ts";
import { round } from "#node/core/score.ts";
import type { ServerId } from "#node/core/identity.ts";
import type { ReplicaEvent } from "#node/telemetry/event.ts";
import { monotonicOf } from "../log-time.ts";
import type { LogReader } from "../system.ts";

const BECAME_LEADER = /^(\w+) became leader at term (\d+)$/;
const STANDS = /^\w+ is starting a new election at term (\d+)$/;
const LOST = /^raft\.node: \w+ lost leader (\w+) at term \d+$/;
const FOLLOWS = /^raft\.node: \w+ (?:elected leader|changed leader from \w+ to) (\w+) at term (\d+)$/;

/** `members`: by their ids as the log has them. `origin` is when the load began, on the monotonic clock. */
export function etcdReader(
  server: ServerId,
  members: ReadonlyMap<string, ServerId>,
  origin: number,
): LogReader {
  const reading = new Reading(server, members);
  return (lines) =>
    lines.split("\n").flatMap((line) => {
      const said = saidIn(line);
      if (said === null) return [];
      const at = monotonicOf(said.ts) - origin;
      return reading.line(said.msg).map((event) => ({ at, server, event }));
    });
}

/** What a line means depends on those before it. */
class Reading {
  readonly #self: ServerId;
  readonly #members: ReadonlyMap<string, ServerId>;
  #isLooking = false;

  constructor(self: ServerId, members: ReadonlyMap<string, ServerId>) {
    this.#self = self;
    this.#members = members;
  }

  line(text: string): readonly ReplicaEvent[] {
    const [, leads, term] = BECAME_LEADER.exec(text) ?? [];
    if (leads !== undefined) {
      const inTerm = epoch(Number(term));
      return [
        { kind: "elected", leader: this.#self, round: round(Number(term)) },
        { kind: "established", epoch: inTerm, initial: 0 as Zxid },
      ];
    }
    const [, followed = "", inTerm] = FOLLOWS.exec(text) ?? [];
    const leader = this.#members.get(followed);
    if (leader !== undefined) {
      this.#isLooking = false;
      const serving = { kind: "serving", leader, epoch: epoch(Number(inTerm)) } as const;
      if (leader === this.#self) return [serving];
      return [{ kind: "elected", leader, round: round(Number(inTerm)) }, serving];
    }
    const [, lost = ""] = LOST.exec(text) ?? [];
    const gone = this.#members.get(lost);
    if (gone !== undefined) return [{ kind: "lost", leader: gone, reason: text }, ...this.#look(text)];
    return STANDS.test(text) ? this.#look(text) : [];
  }

  #look(reason: string): readonly ReplicaEvent[] {
    if (this.#isLooking) return [];
    this.#isLooking = true;
    return [{ kind: "looking", reason }];
  }
}

interface Said {
  readonly ts: string;
  readonly msg: string;
}

/** Null where it is no line of the log, or one that a crash cut off. */
function saidIn(line: string): Said | null {
  if (!line.startsWith("{")) return null;
  try {
    const { ts, msg } = JSON.parse(line) as Partial<Said>;
    return typeof ts === "string" && typeof msg === "string" ? { ts, msg } : null;
  } catch {
    return null;
  }
}
