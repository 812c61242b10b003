/**
 * From the log of an Apache ZooKeeper server to the events of a recording, as far as it tells: when it looked
 * for a leader, whom it elected, when its followers had promised (`Peer state changed: leading -
 * synchronization`) and when its epoch began. What is brought to which follower it does not tell in a way
 * that could be put together again.
 */

import { type ServerId, serverId } from "#node/core/identity.ts";
import { type Round, round } from "#node/core/score.ts";
import { type Epoch, epoch, epochOf, type Zxid } from "#node/core/zxid.ts";
import type { ReplicaEvent } from "#node/telemetry/event.ts";
import { monotonicOf } from "../log-time.ts";
import type { LogReader } from "../system.ts";

const LINE = /^(\d{4}-\d\d-\d\dT\S+) \w+ \S+ - (.*)$/;
const NOTIFICATION =
  /^Noti.*n\.sid:(\d+), n\.state:(\w+), n\.leader:(\d+), n\.round:0x(\w+), n\.peerEpoch:0x(\w+),/;
const ELECTION = /^New election\. My id = \d+, proposed zxid=0x([0-9a-f]+)/;
const ESTABLISHED = /^Have quorum of supporters, .* last processed zxid: 0x([0-9a-f]+)/;

/** `origin` is when the load began, on the machine's monotonic clock. */
export function zookeeperReader(server: number, origin: number): LogReader {
  const reading = new Reading(serverId(server));
  return (lines) =>
    lines
      .slice(0, Math.max(0, lines.lastIndexOf("\n")))
      .split("\n")
      .flatMap((line) => {
        const [, time, text = ""] = LINE.exec(line) ?? [];
        if (time === undefined) return [];
        const at = monotonicOf(time) - origin;
        return reading.line(text).map((event) => ({ at, server, event }));
      });
}

/** What a line means depends on those before it. */
class Reading {
  readonly #self: ServerId;
  #round: Round = round(0);
  #leader: ServerId;
  #lastZxid = 0 as Zxid;
  #epoch: Epoch = epoch(0);
  /** Its epoch is named only when it is established. */
  #discovered: { epoch: Epoch } | null = null;

  constructor(self: ServerId) {
    this.#self = self;
    this.#leader = self;
  }

  line(text: string): readonly ReplicaEvent[] {
    const [, sid, state, leader, inRound = "", peerEpoch = ""] = NOTIFICATION.exec(text) ?? [];
    // Its own vote, or what those say who have a leader already.
    if (sid !== undefined && (Number(sid) === this.#self || state !== "LOOKING")) {
      this.#leader = serverId(Number(leader));
      this.#round = round(Number.parseInt(inRound, 16));
      this.#epoch = epoch(Number.parseInt(peerEpoch, 16) + 1);
    }
    const [, proposed] = ELECTION.exec(text) ?? [];
    if (proposed !== undefined) this.#lastZxid = zxidOf(proposed);
    const [, first] = ESTABLISHED.exec(text) ?? [];
    return first === undefined ? this.#change(text) : [this.#establish(zxidOf(first))];
  }

  #change(text: string): readonly ReplicaEvent[] {
    const serving = { kind: "serving", leader: this.#leader, epoch: this.#epoch } as const;
    switch (text) {
      case "LOOKING":
        return [{ kind: "looking", reason: "it has no leader" }];
      case "Peer state changed: leading":
        this.#leader = this.#self;
        return [{ kind: "elected", leader: this.#self, round: this.#round }];
      case "Peer state changed: following":
        return [{ kind: "elected", leader: this.#leader, round: this.#round }];
      case "Peer state changed: leading - synchronization": {
        const discovered = {
          kind: "discovered" as const,
          epoch: this.#epoch,
          newest: this.#self,
          lastZxid: this.#lastZxid,
        };
        this.#discovered = discovered;
        return [discovered];
      }
      case "Peer state changed: leading - broadcast":
      case "Peer state changed: following - broadcast":
        return [serving];
      default:
        return text.startsWith("Disconnected from leader")
          ? [{ kind: "lost", leader: this.#leader, reason: text }]
          : [];
    }
  }

  #establish(first: Zxid): ReplicaEvent {
    this.#epoch = epochOf(first);
    if (this.#discovered !== null) this.#discovered.epoch = this.#epoch;
    return { kind: "established", epoch: this.#epoch, initial: this.#lastZxid };
  }
}

/** Exact below 2^53: epochs of a trial are small. */
const zxidOf = (hex: string): Zxid => Number.parseInt(hex, 16) as Zxid;
