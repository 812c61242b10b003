/** What must be true of the inputs of any life, whatever the story. */

import { equal, ok } from "node:assert/strict";
import type { ServerId } from "../../core/identity.ts";
import type { Probe } from "./contract-probe.ts";

/**
 * Sentences 2 and 7: one input at a time; connected and unreachable alternate, and messages come only in
 * between.
 */
export function checkLife(server: ServerId, { inputs, overlaps }: Probe): void {
  equal(overlaps, 0, `server ${server} was given an input before the effects of the last one were done`);
  const connected = new Set<ServerId>();
  inputs.forEach(({ input }, index) => {
    const at = `input ${index} of server ${server}`;
    switch (input.kind) {
      case "connected":
        ok(!connected.has(input.server), `${at}: ${input.server} is connected twice`);
        ok(input.server !== server, `${at}: connected to itself`);
        connected.add(input.server);
        return;
      case "unreachable":
        ok(connected.delete(input.server), `${at}: ${input.server} is unreachable, but was not connected`);
        return;
      case "message":
        ok(connected.has(input.from), `${at}: a message of ${input.from}, which is not connected`);
        return;
      default:
    }
  });
}

/** Sentence 12: something, then one turn. */
export function checkTurns(server: ServerId, { inputs }: Probe): void {
  inputs.forEach(({ input }, index) => {
    if (input.kind !== "turn") return;
    const before = inputs[index - 1]?.input.kind;
    ok(
      before !== undefined && before !== "turn",
      `input ${index} of server ${server}: a turn after ${before}`,
    );
  });
  equal(inputs.at(-1)?.input.kind, "turn", `the last inputs of server ${server} were not followed by a turn`);
}
