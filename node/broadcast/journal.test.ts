import assert from "node:assert/strict";
import test from "node:test";
import type { ServerId } from "../core/identity.ts";
import type { Epoch } from "../core/zxid.ts";
import { Journal } from "./journal.ts";
import { z } from "../testing/broadcast/story.ts";

const record = { kind: "promise", epoch: 1 as Epoch, leader: 1 as ServerId } as const;

test("the history is durable up to where it ended with the last batch that is wholly on the disk", () => {
  const journal = new Journal(z(1, 0));
  for (const counter of [1, 2, 3]) {
    journal.append(record);
    const place = journal.append(record);
    assert.equal(journal.take(z(1, counter))?.length, 2);
    assert.equal(place, counter * 2);
  }
  assert.equal(journal.take(z(1, 3)), null);
  journal.reached(3);
  assert.equal(journal.durableZxid, z(1, 1));
  assert.ok(journal.holds(3) && !journal.holds(4));
  journal.reached(6);
  assert.equal(journal.durableZxid, z(1, 3));
});

test("what was cut off does not become durable any more", () => {
  const journal = new Journal(z(1, 5));
  journal.append(record);
  journal.take(z(1, 9));
  journal.truncated(z(1, 4));
  assert.equal(journal.durableZxid, z(1, 4));
  journal.append(record);
  journal.take(z(1, 4));
  journal.reached(1);
  assert.equal(journal.durableZxid, z(1, 4));
  journal.reached(2);
  assert.equal(journal.durableZxid, z(1, 4));
});
