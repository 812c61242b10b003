import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../core/identity.ts";
import { type Instant, instant, milliseconds } from "../core/time.ts";
import { SessionKeeper } from "./session-keeper.ts";
import type { Session } from "../tree/sessions.ts";

const [own, other] = [serverId(1), serverId(2)] as const;

const session = (id: number, server: number, timeoutMs = 4000): Session => ({
  id,
  timeoutMs,
  seal: "a seal",
  server: serverId(server),
  ephemerals: new Set(),
});

/** Ticks of a second; `look` says who is late at each, as `second: sessions`. */
class Watchman {
  readonly keeper = new SessionKeeper(own, milliseconds(1000));
  #second = 0;

  constructor(leading = false) {
    this.keeper.beginAnew([], leading, instant(0));
  }

  look(seconds: number, sessions: readonly Session[], heard: readonly number[] = []): string[] {
    const story: string[] = [];
    for (const end = this.#second + seconds; this.#second < end; this.#second++) {
      const now = instant(this.#second * 1e6);
      this.keeper.look(sessions, new Map(heard.map((id) => [id, now])), now);
      const late = this.keeper.late(MANY, now);
      if (late.length > 0) story.push(`${this.#second}: ${late.map(({ id }) => id).join(" ")}`);
    }
    return story;
  }

  /** Nobody looks. */
  pass(seconds: number): void {
    this.#second += seconds;
  }
}

const MANY = 1000;
const NOBODY = new Map<number, Instant>();

test("an own client that falls silent is late after its timeout, rounded up to a tick", () => {
  const watchman = new Watchman();
  const sessions = [session(7, 1), session(8, 1)];
  assert.deepEqual(watchman.look(10, sessions, [7]), ["5: 8", "6: 8", "7: 8", "8: 8", "9: 8"]);
  assert.deepEqual(watchman.look(6, sessions).slice(0, 2), ["10: 8", "11: 8"]);
});

test("a client of another server is that server's business while it serves under the leader", () => {
  const watchman = new Watchman(true);
  watchman.keeper.serves(other, true, instant(0));
  assert.deepEqual(watchman.look(20, [session(7, 2)]), []);
});

test("when its server has left, the leader ends it, after a whole timeout", () => {
  const watchman = new Watchman(true);
  watchman.keeper.serves(other, true, instant(0));
  watchman.look(10, [session(7, 2)]);
  watchman.keeper.serves(other, false, instant(10.5e6));
  assert.deepEqual(watchman.look(6, [session(7, 2)]), ["15: 7"]);
});

test("a follower leaves that to the leader", () => {
  const watchman = new Watchman();
  assert.deepEqual(watchman.look(20, [session(7, 2)]), []);
});

test("when a leader begins to serve, everybody has a whole timeout again", () => {
  const watchman = new Watchman();
  const sessions = [session(7, 1), session(8, 2)];
  watchman.look(3, sessions);
  watchman.keeper.beginAnew(sessions, true, instant(30e6));
  watchman.pass(28);
  assert.deepEqual(watchman.look(4, sessions), []);
  assert.deepEqual(watchman.look(1, sessions), ["35: 7 8"]);
});

test("a client that was heard between two looks has its timeout from then on", () => {
  const watchman = new Watchman();
  const [sessions, heard] = [[session(7, 1)], new Map([[7, instant(1.9e6)]])];
  watchman.look(2, sessions);
  watchman.keeper.look(sessions, heard, instant(2.1e6));
  assert.deepEqual(watchman.look(5, sessions), ["6: 7"]);
});

test("of many who are late as many are named as are asked for, and the others the next time", () => {
  const watchman = new Watchman();
  const sessions = [1, 2, 3, 4, 5].map((id) => session(id, 1));
  watchman.look(5, sessions);
  const { keeper } = watchman;
  keeper.look(sessions, NOBODY, instant(5e6));
  const names = (most: number, at: number) => keeper.late(most, instant(at)).map(({ id }) => id);
  assert.deepEqual(names(2, 5e6), [1, 2]);
  assert.deepEqual(names(0, 5.01e6), []);
  keeper.hear(new Map([[3, instant(5.01e6)]]));
  assert.deepEqual(names(9, 5.02e6), [4, 5]);
});

test("a session that came here from a server that is down has its whole timeout again", () => {
  const watchman = new Watchman();
  watchman.look(4, [session(7, 2)]);
  assert.deepEqual(watchman.look(6, [session(7, 1)]), ["9: 7"]);
});

test("a session that ended is forgotten", () => {
  const watchman = new Watchman();
  watchman.look(3, [session(7, 1)]);
  assert.deepEqual(watchman.look(10, []), []);
  assert.deepEqual(watchman.keeper.schedule(), []);
});

test("whoever looks is told when sessions end, of one that began between two ticks, too", () => {
  const watchman = new Watchman();
  watchman.look(3, [session(7, 1)]);
  watchman.keeper.look([session(7, 1), session(8, 1)], NOBODY, instant(2.5e6));
  assert.deepEqual(watchman.keeper.schedule(), [
    [5e6, [7]],
    [7e6, [8]],
  ]);
});

test("only those are looked at of which something has changed", () => {
  const watchman = new Watchman();
  const sessions = new Map([1, 2, 3].map((id) => [id, session(id, 1)]));
  watchman.look(1, [...sessions.values()]);
  sessions.delete(2);
  sessions.set(3, session(3, 2));
  sessions.set(4, session(4, 1));
  const asked: number[] = [];
  const find = (id: number): Session | undefined => {
    asked.push(id);
    return sessions.get(id);
  };
  watchman.keeper.lookAt([2, 3, 4], find, NOBODY, instant(1.5e6));
  assert.deepEqual(asked, [2, 3, 4]);
  const late = (at: number) =>
    watchman.keeper
      .late(MANY, instant(at))
      .map(({ id }) => id)
      .toSorted((one, other) => one - other);
  assert.deepEqual(late(5e6), [1]);
  assert.deepEqual(late(6e6), [1, 4]);
});
