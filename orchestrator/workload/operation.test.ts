import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  latencyMs,
  type WriteOperation,
  OPERATIONS_HEADER,
  parseOperations,
  printOperation,
} from "./operation.ts";

const operation: WriteOperation = {
  id: 3,
  client: 1,
  site: "fnal",
  server: 1,
  intended: 2_000,
  sent: 2_100,
  completed: 65_260,
  outcome: "ok",
  zxid: 2 ** 32 + 4,
};

test("latency counts from when a request should have been sent", () => {
  assert.equal(latencyMs(operation), 63.26);
});

test("a file of operations is a CSV file", () => {
  assert.equal(printOperation(operation), "3,1,fnal,1,2000,2100,65260,ok,4294967300\n");
  assert.deepEqual(parseOperations(OPERATIONS_HEADER + printOperation(operation)), [operation]);
});

test("a file that was cut off anywhere is good up to its last whole line", () => {
  const whole = OPERATIONS_HEADER + printOperation(operation).repeat(3);
  fc.assert(
    fc.property(fc.integer({ min: OPERATIONS_HEADER.length, max: whole.length }), (length) => {
      const parsed = parseOperations(whole.slice(0, length));
      const lines = Math.floor((length - OPERATIONS_HEADER.length) / printOperation(operation).length);
      assert.deepEqual(
        parsed,
        Array.from({ length: lines }, () => operation),
      );
    }),
  );
});

test("a damaged line is named", () => {
  const problem = (text: string): string => {
    const parsed = parseOperations(text);
    return typeof parsed === "string" ? parsed : "none";
  };
  assert.equal(
    problem(`${OPERATIONS_HEADER}${printOperation(operation)}1,2,x\n`),
    'line 3: "1,2,x" is no operation',
  );
  assert.match(problem("a,b\n"), /line 1: expected id,client/);
  assert.match(problem(OPERATIONS_HEADER + printOperation(operation).replace("ok", "fine")), /line 2/);
});
