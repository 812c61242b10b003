/**
 * A member whose own work takes a fixed time: it takes over and gives up by a timer, so that the election can
 * be run by itself, without a program around it.
 */

import type { ServiceInput, ServiceMember } from "../../core/service.ts";
import type { Duration, Instant } from "../../core/time.ts";
import type { ServiceElectionProtocol } from "../service-election.ts";
import type { Priority } from "./priority.ts";
import type { PriorityProtocol, PriorityRequest } from "./protocol.ts";

type Effect = ReturnType<ServiceMember<ServiceElectionProtocol>["step"]>[number];

export class Timed implements ServiceMember<ServiceElectionProtocol> {
  readonly #inner: Priority;
  readonly #takes: Duration;
  readonly #stops: Duration;
  /** What it says when its work is done. */
  #next: PriorityRequest | null = null;

  constructor(inner: Priority, takes: Duration, stops: Duration) {
    this.#inner = inner;
    this.#takes = takes;
    this.#stops = stops;
  }

  step(input: ServiceInput<ServiceElectionProtocol>, now: Instant): readonly Effect[] {
    if (input.kind !== "timeout" || input.timer !== "work") {
      return this.#pass(input as ServiceInput<PriorityProtocol>, now);
    }
    const request = this.#next;
    this.#next = null;
    return request === null ? [] : this.#pass({ kind: "request", request }, now);
  }

  #pass(input: ServiceInput<PriorityProtocol>, now: Instant): readonly Effect[] {
    return this.#inner.step(input, now).flatMap((effect): Effect[] => {
      if (effect.kind !== "output") return [effect];
      const { output } = effect;
      if (output.kind === "take over") return [this.#work({ kind: "ready", term: output.term }, this.#takes)];
      if (output.kind === "abandon") return [this.#work({ kind: "stopped" }, this.#stops)];
      const said: Effect = { kind: "output", output };
      return output.kind === "deposed" ? [said, this.#work({ kind: "stopped" }, this.#stops)] : [said];
    });
  }

  #work(next: PriorityRequest, after: Duration): Effect {
    this.#next = next;
    return { kind: "arm", timer: "work", after };
  }
}
