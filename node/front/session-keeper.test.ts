import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../core/identity.ts";
import { instant, milliseconds } from "../core/time.ts";
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

  look(
    seconds: number,
    sessions: readonly Session[],
    { heard = [], leading = false }: { heard?: readonly number[]; leading?: boolean } = {},
  ): string[] {
    const story: string[] = [];
    for (const end = this.#second + seconds; this.#second < end; this.#second++) {
      const late = this.keeper.late(sessions, heard, leading, instant(this.#second * 1e6));
      if (late.length > 0) story.push(`${this.#second}: ${late.map(({ id }) => id).join(" ")}`);
    }
    return story;
  }

  /** Nobody looks. */
  pass(seconds: number): void {
    this.#second += seconds;
  }
}

test("an own client that falls silent is late after its timeout, rounded up to a tick", () => {
  const watchman = new Watchman();
  const sessions = [session(7, 1), session(8, 1)];
  assert.deepEqual(watchman.look(10, sessions, { heard: [7] }), ["5: 8", "6: 8", "7: 8", "8: 8", "9: 8"]);
  assert.deepEqual(watchman.look(6, sessions).slice(0, 2), ["10: 8", "11: 8"]);
});

test("a client of another server is that server's business while it is up", () => {
  const watchman = new Watchman();
  watchman.keeper.isUp(other, true);
  assert.deepEqual(watchman.look(20, [session(7, 2)], { leading: true }), []);
});

test("when its server is down, the leader ends it, after a whole timeout", () => {
  const watchman = new Watchman();
  watchman.keeper.isUp(other, true);
  watchman.look(10, [session(7, 2)], { leading: true });
  watchman.keeper.isUp(other, false);
  assert.deepEqual(watchman.look(5, [session(7, 2)], { leading: true }), ["14: 7"]);
});

test("a follower leaves that to the leader", () => {
  const watchman = new Watchman();
  assert.deepEqual(watchman.look(20, [session(7, 2)]), []);
});

test("when a leader begins to serve, everybody has a whole timeout again", () => {
  const watchman = new Watchman();
  const sessions = [session(7, 1), session(8, 2)];
  watchman.look(3, sessions, { leading: true });
  watchman.keeper.beginAnew(sessions, instant(30e6));
  watchman.pass(28);
  assert.deepEqual(watchman.look(4, sessions, { leading: true }), []);
  assert.deepEqual(watchman.look(1, sessions, { leading: true }), ["35: 7 8"]);
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
  assert.deepEqual(watchman.keeper.schedule([], [], instant(13e6)), []);
});

test("whoever asks when sessions end is told of one that began between two ticks", () => {
  const watchman = new Watchman();
  watchman.look(3, [session(7, 1)]);
  assert.deepEqual(watchman.keeper.schedule([session(7, 1), session(8, 1)], [], instant(2.5e6)), [
    [5e6, [7]],
    [7e6, [8]],
  ]);
});
