// lane: waits, 15 s
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { setTimeout } from "node:timers/promises";
import { after, seconds } from "#node/core/time.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { feed } from "./command-feed.ts";
import type { Infrastructure, Machine, Running } from "./infrastructure/infrastructure.ts";
import { createNetns } from "./infrastructure/netns.ts";
import { newLabel } from "./label.ts";

const MEMBERS = [1, 2, 3, 4, 5];

const machine = (name: string, index: number): Machine => ({
  name,
  site: "here",
  index,
  address: `10.77.0.${index}`,
});

/** Each member has a machine, and one more is the bridge between them. */
const MACHINES = [...MEMBERS.map((id) => machine(`m${id}`, id)), machine("bridge", 250)];

async function joinByBridge(infrastructure: Infrastructure): Promise<void> {
  const ip = (where: Machine, ...lines: string[]): Promise<string> =>
    feed([...infrastructure.enter(where), "ip", "-batch", "-"], `${lines.join("\n")}\n`);
  const members = MACHINES.filter(({ name }) => name !== "bridge");
  const bridge = MACHINES.at(-1);
  assert.ok(bridge !== undefined);
  await ip(
    bridge,
    // What is sent to a group goes to all, as on a hub: nobody has to be asked who listens.
    "link add bridge type bridge mcast_snooping 0",
    "link set bridge up",
    ...members.flatMap((member) => [
      `link add ${member.name} type veth peer name lan netns ${infrastructure.namespace(member)}`,
      `link set ${member.name} master bridge up`,
    ]),
  );
  for (const member of members)
    await ip(member, `address add ${member.address}/24 dev lan`, "link set lan up");
}

interface Line {
  readonly at: number;
  readonly event: string;
  readonly leader?: number;
  readonly life?: number;
  readonly given?: Record<string, number>;
  readonly sent?: Record<string, number>;
  readonly not?: Record<string, number>;
  readonly kernelDrops?: number;
}

/** Members on their machines, and what they have told. */
class Group implements AsyncDisposable {
  readonly #infrastructure: Infrastructure;
  readonly #folder = mkdtempSync(join(tmpdir(), "polebench-members-"));
  readonly #running = new Map<number, Running>();

  constructor(infrastructure: Infrastructure) {
    this.#infrastructure = infrastructure;
  }

  async start(id: number, startAt = 0): Promise<void> {
    const place = this.#infrastructure.machines.get(`m${id}`);
    assert.ok(place !== undefined);
    const { node, source } = this.#infrastructure;
    const flags = { id, interface: place.address, "start-at": startAt };
    const times = { announce: "300ms", listen: "1050ms", suppress: "150ms" };
    const words = Object.entries({ ...flags, ...times }).map(([name, value]) => `--${name}=${value}`);
    const command = [node, join(source, "node/member.ts"), ...words] as [string, ...string[]];
    this.#running.set(id, await this.#infrastructure.start(place, { command, log: this.#log(id) }));
  }

  process(id: number): Running {
    const running = this.#running.get(id);
    assert.ok(running !== undefined);
    return running;
  }

  told(id: number, event: string): Line[] {
    const lines = readFileSync(this.#log(id), "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Line).filter((line) => line.event === event);
  }

  /** Until all of these follow the same leader, or a minute is over: a hang should say where it hangs. */
  async untilFollowed(leader: number, members: readonly number[]): Promise<void> {
    const leaders = (): (number | undefined)[] =>
      members.map((id) => this.told(id, "elected").at(-1)?.leader);
    const end = Date.now() + 60_000;
    while (leaders().some((each) => each !== leader)) {
      assert.ok(Date.now() < end, `not all follow ${leader}: ${leaders().join(", ")}`);
      await setTimeout(20);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.values()].map((running) => running.kill()));
    rmSync(this.#folder, { recursive: true });
  }

  #log(id: number): string {
    return join(this.#folder, `m${id}.ndjson`);
  }
}

test("five on a bridge follow the greatest, the next when it is killed, and it when it is back", async () => {
  const options = { label: newLabel(), machines: MACHINES, congestionControl: null, socketBuffers: null };
  await using infrastructure = await createNetns(options);
  await joinByBridge(infrastructure);
  await using group = new Group(infrastructure);
  const startAt = after(monotonic(), seconds(2));
  for (const id of MEMBERS) await group.start(id, startAt);
  await group.untilFollowed(5, MEMBERS);
  for (const id of MEMBERS) {
    const [begun] = group.told(id, "begun");
    assert.ok(begun !== undefined && begun.at >= startAt, `member ${id} began before all were to begin`);
  }

  await group.process(5).kill("SIGKILL");
  const survivors = MEMBERS.slice(0, -1);
  await group.untilFollowed(4, survivors);

  await group.start(5);
  await group.untilFollowed(5, MEMBERS);
  const lives = group.told(5, "begun").map(({ life }) => life);
  assert.equal(new Set(lives).size, 2, "it began a life of its own");

  for (const id of MEMBERS)
    assert.deepEqual(await group.process(id).kill("SIGTERM"), { code: 0, signal: null });
  for (const id of MEMBERS) {
    const [ended] = group.told(id, "ended");
    assert.ok((ended?.given?.["announcement"] ?? 0) > 0 || id === 5, `member ${id} heard nobody`);
    // Who returns may hear the leader between joining and beginning.
    const { unheard: _unheard, ...not } = ended?.not ?? {};
    assert.deepEqual(not, {
      own: 0,
      stranger: 0,
      damaged: 0,
      forged: 0,
      replayed: 0,
      tooLong: 0,
      unsent: 0,
    });
    assert.equal(ended?.kernelDrops, 0);
    assert.equal(ended?.sent?.["announcement"] ?? 0, announcedInLastLife(group, id));
  }
});

function announcedInLastLife(group: Group, id: number): number {
  const begun = group.told(id, "begun").at(-1)?.at ?? 0;
  return group.told(id, "announced").filter(({ at }) => at >= begun).length;
}
