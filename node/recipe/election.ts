/**
 * An election for programs: who came first leads, with a term that rises from leader to leader. It has a
 * session of its own, so that nothing else that the program asks can end its leadership.
 */

import { EventEmitter } from "node:events";
import type { ConnectionOptions } from "node:tls";
import type { ServicePolicy } from "../host/service-life.ts";
import { milliseconds, seconds } from "../core/time.ts";
import { Contender, type ContenderProtocol, type Watched } from "../election/chain/contender.ts";
import { LiveMember } from "../host/tcp/service-member.ts";
import type { Facts } from "../telemetry/facts.ts";
import type { Acl } from "../wire/client/acl.ts";
import { authOf, type ClientOptions } from "./client.ts";
import { placesOf } from "./places.ts";

export interface Candidature {
  /** `host:2181`, several with commas between them. */
  readonly servers: string;
  /** The znode of the election. */
  readonly path: string;
  /** Begins at the first server that is named, as who names its nearest first; else at any. */
  readonly inOrder?: boolean;
  /** What others know this one by, without `/`. */
  readonly id: string;
  /** Of the session, in milliseconds. */
  readonly timeout?: number;
  readonly tls?: ConnectionOptions;
  /** Who it is, for a service that asks. */
  readonly auth?: ClientOptions["auth"];
  /** Of its znodes: `CREATOR_ALL` with `auth` for members that share a secret; else everybody's. */
  readonly acl?: readonly Acl[];
}

export interface ElectionOptions extends Candidature {
  /** Whether the end of a leader wakes the next alone, or all. */
  readonly wakes?: "next" | "all";
  /**
   * What programs of others look for right before the number of a znode, to stand in one election with them:
   * `latch-` beside Curator's LeaderLatch, `lock-` beside its LeaderSelector, `__lock__` beside kazoo.
   */
  readonly beside?: "latch-" | "lock-" | "__lock__";
}

interface ElectionEvents {
  /** It leads, until `signal` ends; what it writes carries the term, and earlier terms are to be refused. */
  elected: [{ readonly term: number; readonly signal: AbortSignal }];
  deposed: [{ readonly reason: string }];
  /** Another leads. */
  led: [{ readonly by: string; readonly term: number }];
  /** What an operator may want to know. */
  told: [Facts];
  left: [];
}

export class Election extends EventEmitter<ElectionEvents> {
  readonly #member: LiveMember<ContenderProtocol>;
  readonly #id: string;
  #lead: AbortController | null = null;
  #isGone = false;

  /** It stands at once. */
  constructor(options: ElectionOptions) {
    super();
    const { servers, path, id, timeout = 10_000, tls, auth, acl, inOrder, wakes = "next" } = options;
    const { beside: word } = options;
    this.#id = checkedId(id);
    const watched: Watched = wakes === "next" ? "next lower" : "leader";
    const places = placesOf(servers);
    this.#member = new LiveMember<ContenderProtocol>({
      member: new Contender({ self: id, root: checkedPath(path), acl, word }, { pause: seconds(1) }, watched),
      places,
      policy: policyOf(places.length, timeout, auth, inOrder),
      ...(tls !== undefined && { tls }),
      output: (output) => this.#hear(output),
      left: () => this.#left(),
    });
  }

  get leads(): boolean {
    return this.#lead !== null;
  }

  /** Gives up, and ends its session; there may be nothing left to do. */
  async leave(): Promise<void> {
    if (this.#isGone) return;
    await new Promise<void>((resolve) => {
      this.once("left", resolve);
      this.#member.request({ kind: "resign" });
    });
  }

  #hear(output: ContenderProtocol["output"]): void {
    switch (output.kind) {
      case "elected": {
        const { leader, claim: term } = output;
        if (leader !== this.#id) return void this.emit("led", { by: leader, term });
        this.#lead = new AbortController();
        this.emit("elected", { term, signal: this.#lead.signal });
        return;
      }
      case "deposed":
        this.#lead?.abort(new Error(output.reason));
        this.#lead = null;
        this.emit("deposed", { reason: output.reason });
        return;
      case "observed":
        this.emit("told", output.facts);
    }
  }

  #left(): void {
    this.#isGone = true;
    this.emit("left");
  }
}

/** Any server is as good as another to begin at, unless somebody has put them in order. */
export const policyOf = (
  servers: number,
  timeout: number,
  auth: ClientOptions["auth"],
  inOrder = false,
): ServicePolicy => ({
  timeout: milliseconds(checkedTime("timeout", timeout)),
  first: inOrder ? 0 : Math.floor(Math.random() * servers),
  auth: authOf(auth),
});

/** ZooKeeper takes what is written so; whoever elects at `/a/` and at `/a` would never meet. */
export function checkedPath(path: string): string {
  const parts = path.split("/").slice(1);
  const isOne = /^\/[^\0]*$/.test(path) && parts.every((part) => !["", ".", ".."].includes(part));
  if (isOne || path === "/") return path;
  throw new Error(`"${path}" is no path of a znode: write it as /cluster or /cluster/one`);
}

/** As long as timers take. */
export function checkedTime(name: string, ms: number): number {
  if (ms > 0 && ms < 2 ** 31) return ms;
  throw new Error(`${name}: ${ms} is no time in milliseconds, such as 4000`);
}

export function checkedId(id: string): string {
  if (/^[\w.][\w.:-]*$/.test(id)) return id;
  throw new Error(`"${id}" is no name for a member: letters, digits, and . _ : - within`);
}
