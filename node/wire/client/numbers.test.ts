// lane: works, 1 s
// ZooKeeper's numbers, as its documentation and its clients have them: who reads bytes knows no names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS } from "./error.ts";
import { OPERATIONS } from "./operation.ts";
import { EVENT_TYPES } from "./watch.ts";
import { JuteReader } from "./jute.ts";

const numbers = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .map(([name, number]) => `${name} ${number}`)
    .join(", ");

test("errors are those of KeeperException.Code", () => {
  assert.equal(
    numbers(ERRORS),
    "ok 0, systemError -1, runtimeInconsistency -2, connectionLoss -4, marshalling -5, unimplemented -6, " +
      "operationTimeout -7, badArguments -8, noNode -101, noAuth -102, badVersion -103, " +
      "noChildrenForEphemerals -108, nodeExists -110, notEmpty -111, sessionExpired -112, invalidAcl -114, " +
      "authFailed -115, sessionMoved -118, notReadOnly -119, noWatcher -121, reconfigDisabled -123, " +
      "quotaExceeded -125",
  );
});

test("operations are those of ZooDefs.OpCode", () => {
  assert.equal(
    numbers(OPERATIONS),
    "create 1, delete 2, exists 3, getData 4, setData 5, getAcl 6, setAcl 7, getChildren 8, " +
      "sync 9, ping 11, getChildren2 12, check 13, multi 14, create2 15, reconfig 16, " +
      "checkWatches 17, removeWatches 18, createContainer 19, deleteContainer 20, createTtl 21, " +
      "multiRead 22, auth 100, setWatches 101, sasl 102, getEphemerals 103, " +
      "getAllChildrenNumber 104, setWatches2 105, addWatch 106, whoAmI 107, createSession -10, " +
      "closeSession -11",
  );
});

test("events are those of Watcher.Event.EventType", () => {
  assert.equal(numbers(EVENT_TYPES), "created 1, deleted 2, dataChanged 3, childrenChanged 4");
});

test("what is read behind the end is nothing, and said so", () => {
  const reader = new JuteReader(new Uint8Array(0));
  assert.deepEqual([reader.byte(), reader.bool(), reader.int(), reader.long()], [0, false, 0, 0]);
});
