/** The kinds of load that are more than a question and its answer, against real servers. */

import assert from "node:assert/strict";
import type { Ensemble } from "../system/ensemble.ts";

/** What was created is deleted, nothing twice; and every write that counts was told to somebody. */
export async function comesGoesAndIsHeardOf(ensemble: Ensemble, ports: readonly number[]): Promise<void> {
  const plan = { ports, clients: 4, payloadBytes: 100, warmUpSeconds: 0, seconds: 1 } as const;
  const pace = { kind: "closed", outstanding: 5 } as const;
  for (const request of ["churn", "watched"] as const) {
    const { acknowledged, refused, unknown } = await ensemble.load({ ...plan, request, pace });
    assert.ok(acknowledged > 0, `${request}: none of them is done`);
    assert.deepEqual({ request, refused, unknown }, { request, refused: 0, unknown: 0 });
  }
}
