/**
 * Many sessions of one server that say nothing after their handshake and hang up together: they all are late
 * in the same tick, and must end soon, and not in one step.
 */

import { after, milliseconds, toMilliseconds } from "../../core/time.ts";
import { NO_SESSION, writeHello } from "../../wire/client/handshake.ts";
import { framed } from "../../wire/client/header.ts";
import { JuteWriter } from "../../wire/client/jute.ts";
import type { ServerStage } from "./stage.ts";
import type { CrowdPlan } from "./world.ts";

export class Crowd {
  readonly #plan: CrowdPlan;
  readonly #stage: ServerStage;

  constructor(plan: CrowdPlan, stage: ServerStage) {
    this.#plan = plan;
    this.#stage = stage;
  }

  begin(): void {
    const { ensemble } = this.#stage;
    ensemble.at(after(ensemble.now, this.#plan.at), () => {
      for (let count = 0; count < this.#plan.sessions; count++) this.#connect();
    });
  }

  #connect(): void {
    const { ensemble, clients } = this.#stage;
    const { server, timeout } = this.#plan;
    const connection = clients.connect(server, "clients", {
      connected: () => {
        const hello = { lastZxidSeen: 0, timeoutMs: toMilliseconds(timeout), readOnly: false };
        connection.write(framed(writeHello(new JuteWriter(64), NO_SESSION, hello).finish()));
      },
      received: () => {},
      disconnected: () => {},
    });
    ensemble.at(after(ensemble.now, STAY), () => connection.leave());
  }
}

const STAY = milliseconds(300);
