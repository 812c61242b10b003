import assert from "node:assert/strict";
import test from "node:test";
import { mostOutstanding, OURS, OURS_AGAIN, systemOf } from "./arm.ts";

test("all arms get the load that the strictest of them admits", () => {
  assert.equal(mostOutstanding([OURS, "zookeeper", "etcd"], 3, 30), 50, "500 a server, ten clients at each");
  assert.equal(mostOutstanding([OURS, "zookeeper"], 5, 10), 125, "250 a server, two clients at each");
  assert.equal(mostOutstanding([OURS, "zookeeper"], 3, 1), 500);
  assert.equal(mostOutstanding([OURS, "zookeeper"], 3, 30, 1), 16, "all thirty at one server");
  assert.equal(mostOutstanding([OURS, OURS_AGAIN, "etcd"], 3, 30), null);
});

test("ours once more is ours", () => {
  assert.equal(systemOf(OURS_AGAIN), systemOf(OURS));
});
