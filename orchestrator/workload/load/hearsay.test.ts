import assert from "node:assert/strict";
import test from "node:test";
import { Hearsay } from "./hearsay.ts";

test("a write is done when both its writer and its watcher have heard, whoever hears first", () => {
  const hearsay = new Hearsay(2);
  const done: string[] = [];
  const said = (): string => done.join(", ");
  hearsay.acknowledged(0, () => done.push("first"));
  assert.equal(said(), "");
  hearsay.told(1);
  assert.equal(said(), "", "that was the other one's");
  hearsay.told(0);
  assert.equal(said(), "first");
  hearsay.told(0);
  hearsay.acknowledged(0, () => done.push("second"));
  assert.equal(said(), "first, second");
});

test("everybody is watched by exactly one, who is somebody else where there are two", () => {
  const hearsay = new Hearsay(3);
  assert.equal(new Set([0, 1, 2].map((client) => hearsay.watchedBy(client))).size, 3);
  for (const client of [0, 1, 2]) assert.notEqual(hearsay.watchedBy(client), client);
});
