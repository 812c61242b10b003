/**
 * Runs one member of the medium `service` on this machine: its session on real sockets, its timers on the
 * machine's monotonic clock. A timer that is due waits until the socket was looked at once more and had
 * nothing: what is at hand goes first.
 */

import { randomBytes } from "node:crypto";
import type { ConnectionOptions } from "node:tls";
import type { ServiceMember } from "../../core/service.ts";
import { between, type Instant, toMilliseconds } from "../../core/time.ts";
import type { Coordination } from "../../wire/client/coordination.ts";
import { monotonic } from "../monotonic.ts";
import { ServiceCounts } from "../service-counts.ts";
import { type Asking, ServiceLife, type ServicePolicy } from "../service-life.ts";
import { LiveSession, type ServerAddress } from "./live-session.ts";
import { type Bell, LONGEST, Timers } from "./timers.ts";

export interface LiveMemberOptions<P extends Coordination> {
  readonly member: ServiceMember<P>;
  /** The servers of the service. */
  readonly places: readonly ServerAddress[];
  readonly policy?: ServicePolicy;
  /** How to speak TLS; plain TCP when not given. */
  readonly tls?: ConnectionOptions;
  readonly output: (output: P["output"], now: Instant) => void;
  /** It has left, and the service has `acknowledged` the end of its session, or could not be reached. */
  readonly left: (acknowledged: boolean) => void;
}

/** A timer waits so often at most: under a flood it comes late, and does come. */
const LOOKS = 64;

export class LiveMember<P extends Coordination> {
  readonly counts = new ServiceCounts();
  readonly #life: ServiceLife<P>;
  readonly #timers: Timers<P["timer"]>;
  /** What its session has told so far. */
  #heard = 0;

  /** It begins at once. */
  constructor({ member, output, left, ...connection }: LiveMemberOptions<P>) {
    const bell = new LookingBell(
      () => this.#heard,
      () => this.#timers.ring(),
    );
    const fire = (timer: P["timer"]): void => this.#life.give({ kind: "timeout", timer });
    this.#timers = new Timers({ now: monotonic }, fire, bell);
    this.#life = new ServiceLife(
      member,
      {
        get now() {
          return monotonic();
        },
        counts: this.counts,
        arm: (timer, after) => this.#timers.arm(timer, after),
        disarm: (timer) => this.#timers.disarm(timer),
        input: () => {},
        output: (said) => output(said, monotonic()),
        left: (acknowledged) => {
          this.#timers.clear();
          left(acknowledged);
        },
      },
      (heard) =>
        new LiveSession<Asking>({
          ...connection,
          heard: (event) => {
            this.#heard += 1;
            heard(event);
          },
        }),
    );
    this.#life.begin(randomBytes(4).readUInt32BE());
  }

  request(request: P["request"]): void {
    this.#life.give({ kind: "request", request });
  }

  /** Ends in silence, and leaves its session to its timeout. */
  end(): void {
    this.#timers.clear();
    this.#life.end();
  }
}

/** Rings when it is due and nothing was at hand any more. */
class LookingBell implements Bell {
  readonly #heard: () => number;
  readonly #ring: () => void;
  #timeout: NodeJS.Timeout | undefined;

  constructor(heard: () => number, ring: () => void) {
    this.#heard = heard;
    this.#ring = ring;
  }

  set(due: Instant): void {
    clearTimeout(this.#timeout);
    const wait = Math.max(0, Math.ceil(toMilliseconds(between(monotonic(), due))));
    this.#timeout = setTimeout(() => this.#look(LOOKS), Math.min(wait, LONGEST));
  }

  clear(): void {
    clearTimeout(this.#timeout);
  }

  /** Between two of these the event loop reads what the sockets have. */
  #look(looks: number): void {
    setImmediate(() => {
      const heard = this.#heard();
      setImmediate(() => {
        if (this.#heard() > heard && looks > 1) this.#look(looks - 1);
        else this.#ring();
      });
    });
  }
}
