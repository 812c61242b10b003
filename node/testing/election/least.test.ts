// The two least elections, on paper: what they say, and that they end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ensemble, serverId } from "../../core/identity.ts";
import { milliseconds } from "../../core/time.ts";
import type { ElectionEntry } from "../../election/entry.ts";
import type { Schema, Values } from "../../election/options.ts";
import { grandTour } from "./grand-tour/entry.ts";
import { lowestId } from "./lowest-id/entry.ts";
import { Rehearsal } from "./rehearsal.ts";
import { scripted } from "./scripted-judge.ts";

const ms = milliseconds;
const servers = ensemble([1, 2, 3]);
const [p1, p2, p3] = [serverId(1), serverId(2), serverId(3)];

const rehearse = <Message, S extends Schema>(entry: ElectionEntry<Message, S>, options: Values<S>) =>
  new Rehearsal<Message>({
    servers,
    delay: () => ms(10),
    enter: (self) => entry.create({ self, servers, judge: scripted({ score: 0 }), mutant: null }, options),
    say: (message) => JSON.stringify(message),
  });

const leaders = <Message>(play: Rehearsal<Message>) =>
  [...play.elected].map(([server, { leader }]) => `p${server}: p${leader}`).sort();

test("the lowest id leads among those who stand", () => {
  const play = rehearse(lowestId, { patience: ms(100), reign: ms(0) });
  play.start(ms(0), p1, p2, p3).play(ms(500));
  assert.deepEqual(leaders(play), ["p1: p1", "p2: p1", "p3: p1"]);
  play.crash(ms(600), p1).play(ms(2000));
  assert.deepEqual(leaders(play), ["p2: p2", "p3: p2"]);
});

test("a token goes round the ring, and the greatest id that it met leads", () => {
  const play = rehearse(grandTour, { ring: ensemble([1, 2, 3]).toReversed() });
  play.start(ms(0), p1, p2, p3).play(ms(500));
  assert.deepEqual(leaders(play), ["p1: p3", "p2: p3", "p3: p3"]);
  play.crash(ms(600), p3).play(ms(2000));
  assert.deepEqual(leaders(play), ["p1: p2", "p2: p2"]);
});
