import assert from "node:assert/strict";
import test from "node:test";
import { surveyMachine } from "./machine-survey.ts";
import { MACHINE, measuredAs } from "../virtual/machine.ts";

test("a machine is simulated with the disk and the end of processes that were measured", async () => {
  const machine = await surveyMachine();
  assert.ok(machine.syncMs > 0 && machine.exitMs > 0);
  const { handling, sync, exit } = measuredAs(machine);
  assert.equal(handling, MACHINE.handling);
  assert.equal(sync, Math.round(machine.syncMs * 1e3));
  assert.equal(exit, Math.round(machine.exitMs * 1e3));
});
