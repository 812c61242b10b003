// What a leader does without being asked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { instant, milliseconds, timeOfDay } from "../core/time.ts";
import { Housekeeping } from "./housekeeping.ts";
import { readPayload } from "./payload.ts";
import { erase, make, Stage } from "./stage.ts";

const at = (ms: number) => instant(ms * 1000);

function begin() {
  const stage = new Stage();
  const session = stage.open(1, 4000);
  const housekeeping = new Housekeeping(stage.tree, milliseconds(2000), at(0));
  const due = (ms: number) =>
    housekeeping.due(at(ms), timeOfDay(stage.time)).map((payload) => {
      const found = readPayload(payload);
      return `${found?.operation} ${found?.caller.session}`;
    });
  return { stage, session, housekeeping, due };
}

test("a session that was there before the leadership has its whole timeout, and then ends", () => {
  const { session, due } = begin();
  assert.deepEqual(due(5999), []);
  assert.deepEqual(due(6000), [`closeSession ${session}`]);
});

test("sessions that begin later are found, lively ones stay, ended ones are forgotten", () => {
  const { stage, session, housekeeping, due } = begin();
  const later = stage.open();
  assert.deepEqual(due(2000), []);
  housekeeping.touch([session], at(5000));
  assert.deepEqual(due(8000), [`closeSession ${later}`]);
  stage.write({ kind: "closeSession" }, later);
  assert.deepEqual(due(10_000), [`closeSession ${session}`]);
  stage.write({ kind: "closeSession" }, session);
  assert.deepEqual(due(20_000), []);
  assert.equal(housekeeping.expiry.size, 0);
});

test("a session that comes back with another timeout has that one", () => {
  const { stage, session, due } = begin();
  stage.write({ kind: "createSession", timeoutMs: 20_000 }, session, 2);
  assert.deepEqual(due(0), []);
  assert.deepEqual(due(20_000), []);
  assert.deepEqual(due(22_000), [`closeSession ${session}`]);
});

test("an empty container is removed", () => {
  const { stage, session, due } = begin();
  stage.write(make("/box", { kind: "createContainer", flags: 4 }), session);
  stage.write(make("/box/x"), session);
  assert.deepEqual(due(0), []);
  stage.write(erase("/box/x"), session);
  assert.deepEqual(due(0), ["deleteContainer 0"]);
});
