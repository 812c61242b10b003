// lane: alone, 15 s: memory and elections are of a machine that does nothing else
import assert from "node:assert/strict";
import test from "node:test";
import { SYSTEMS } from "../system/catalog.ts";
import { answered } from "./answers.ts";

test("who reads gets 500 answers of a megabyte, who does not takes no memory", async (t) => {
  const answering = { pipelined: 500, stuck: 60, seconds: 3 };
  const seen = await answered(SYSTEMS.polebench, answering, () => {});
  t.diagnostic(JSON.stringify(seen));
  assert.equal(seen.served, 500, "all of them, in the order asked");
  const { before, stuck } = seen.residentMb;
  // They asked for 15 GB, and one answer to each would be 30 MB: what is above is garbage and connections.
  assert.ok(stuck < before + 300, `${stuck} MB, and ${before} before`);
  // How fast is this machine's; that they are, and by whom they were served before, is not.
  assert.ok(seen.modest.stuck.count > 0);
  assert.deepEqual([seen.lost, seen.elections], [0, 0]);
});
