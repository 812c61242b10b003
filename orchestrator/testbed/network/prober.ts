/** The prober, seen from the orchestrator (see probe/main.ts). */

import { fileURLToPath } from "node:url";
import { assert } from "#node/core/assert.ts";
import { Conversation } from "../conversation.ts";
import type { Infrastructure, Machine } from "../infrastructure/infrastructure.ts";
import { child, DIE_WITH_PARENT, labelled } from "../child.ts";
import { ALONE } from "./libc.ts";
import type { Finding, Pair, ProberSettings, Question } from "./probe/survey.ts";

const MAIN = fileURLToPath(new URL("probe/main.ts", import.meta.url));

type FindingOf<Kind> = Finding & { readonly kind: Kind };

export class Prober implements AsyncDisposable {
  readonly #conversation: Conversation;

  constructor(infrastructure: Infrastructure) {
    const machines = [...infrastructure.machines.values()];
    const settings: ProberSettings = {
      machines: machines.map((machine) => ({
        namespace: infrastructure.namespace(machine),
        address: machine.address,
      })),
    };
    const command = [
      ...infrastructure.privileged,
      ...DIE_WITH_PARENT,
      process.execPath,
      ...ALONE,
      MAIN,
      JSON.stringify(settings),
    ];
    const started = child(command, { stdin: "pipe", env: labelled(infrastructure.label) });
    this.#conversation = new Conversation(started, "the prober");
  }

  async ask<Q extends Question>(question: Q): Promise<FindingOf<Q["kind"]>> {
    const finding = await this.#conversation.ask<Finding>(question);
    assert(
      finding.kind !== "refused",
      () => `a prober takes no ${question.kind}: ${JSON.stringify(finding)}`,
    );
    assert(finding.kind === question.kind, `a ${finding.kind} answers a ${question.kind}`);
    return finding;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#conversation.close();
  }
}

export const pairOf = (from: Machine, to: Machine): Pair => [from.index, to.index];
