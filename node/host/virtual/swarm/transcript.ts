/** The last things that happened, in words: what a person reads after a seed has failed. */

import type { Instant } from "../../../core/time.ts";
import { printZxid, ZERO } from "../../../core/zxid.ts";
import type { ReplicaOutput, ReplicaProtocol } from "../../../replica/replica-protocol.ts";
import type { Observer } from "../ensemble.ts";

const KEPT = 200;

export class Transcript {
  readonly #lines: string[] = [];

  add(time: Instant, what: string): void {
    this.#lines.push(`${(time / 1e6).toFixed(6).padStart(11)} s  ${what}`);
    if (this.#lines.length > KEPT * 2) this.#lines.splice(0, KEPT);
  }

  readonly observer: Observer<ReplicaProtocol> = {
    output: (server, output, time) => {
      if (output.kind === "event" || output.kind === "behind") this.add(time, `p${server} ${tell(output)}`);
    },
    input: (server, input, time) => {
      if (input.kind === "connected" || input.kind === "unreachable") {
        this.add(time, `p${server} ${input.kind} p${input.server}`);
      } else if (input.kind === "start") {
        const { promise, epoch, snapshot, transactions } = input.recovered;
        const last = transactions.at(-1)?.zxid ?? ZERO;
        const log = `${transactions.length} transactions up to ${printZxid(last)}`;
        const promised = promise === null ? "no promise" : `promised ${promise.epoch} to p${promise.leader}`;
        const base = snapshot === null ? "no snapshot" : `snapshot ${printZxid(snapshot.zxid)}`;
        this.add(time, `p${server} starts with ${promised}, epoch ${epoch}, ${base}, ${log}`);
      }
    },
    effect: (server, effect, time) => {
      if (effect.kind === "close") this.add(time, `p${server} closes p${effect.server}: ${effect.reason}`);
    },
    crashed: (server, reason, time) => this.add(time, `p${server} crashed: ${reason}`),
    closed: (server, peer, reason, time) => this.add(time, `p${server} closed p${peer}: ${reason}`),
  };

  toString(): string {
    return this.#lines.slice(-KEPT).join("\n");
  }
}

function tell(output: Extract<ReplicaOutput, { kind: "event" | "behind" }>): string {
  if (output.kind === "behind") return `is behind client ${output.client}`;
  const { kind, ...facts } = output.event;
  const words = Object.entries(facts).map(([name, value]) => `${name} ${print(name, value)}`);
  return [kind, ...words].join(" ");
}

function print(name: string, value: unknown): string {
  if (typeof value === "number" && /zxid|since|from|initial/i.test(name) && value > 255)
    return printZxid(value as never);
  if (
    typeof value === "number" &&
    ["leader", "server", "from", "candidate", "newest", "follower"].includes(name)
  )
    return `p${value}`;
  return typeof value === "string" ? value : JSON.stringify(value);
}
