/**
 * What befalls an election, done to real processes. Each does its harm, waits until another leads where
 * somebody else is to, and mends what it did.
 */

import { monotonic } from "#node/host/monotonic.ts";
import { CannotRun } from "../terminal/exit-code.ts";
import type { Arena } from "./arena.ts";
import type { Heard, Member } from "./member.ts";
import type { Trouble } from "./plan.ts";

export interface Scene {
  readonly arena: Arena;
  readonly members: readonly Member[];
  /** Who acts. */
  readonly leader: Member;
  /** Who came first, in an election that has an elector. */
  readonly elector: Member;
  readonly signal: AbortSignal;
}

export interface Blow {
  /** When the harm was done, in milliseconds of the machine's clock. */
  readonly since: number;
  /** The first other that acted, or the leader where none was to. */
  readonly next: Heard | null;
  /** When `next` had been seen to act, and nothing had been mended. */
  readonly until: number;
}

const now = (): number => monotonic() / 1e3;
/** What is under way when the next acts is counted too. */
const ECHO_MS = 300;
const LEVEL_MS = 60_000;

export async function strike(trouble: Trouble, scene: Scene): Promise<Blow> {
  const { arena, leader, elector, members, signal } = scene;
  const since = now();
  const isAble = (each: Member): boolean => each !== leader && !hasFailed(each, arena.heard);
  const other = members.find((each) => isAble(each) && each !== elector) ?? elector;
  switch (trouble) {
    case "kill":
      await leader.kill();
      return struck(scene, since, async () => leader.start());
    case "leave":
      await leader.leave();
      return struck(scene, since, async () => leader.start());
    case "kill-elector": {
      const dead = [...new Set([leader, elector])];
      await Promise.all(dead.map(async (each) => each.kill()));
      return struck(scene, since, async () => {
        for (const each of dead) await each.start();
      });
    }
    case "kill-candidate":
      return killOnTheWay(scene, since);
    case "hang-takeover":
      arena.misconduct("hang-takeover");
      await leader.leave();
      return struck(scene, since, async () => {
        arena.good("hang-takeover");
        await leader.start();
      });
    case "hang":
      await leader.standStill();
      return struck(scene, since, async () => leader.goOn());
    case "stay":
      arena.misconduct("stay");
      await arena.operate("prefer", other.id);
      return struck(scene, since, async () => {
        arena.good("stay");
        await arena.operate("prefer", other.id, "--undo");
      });
    case "transfer":
      await arena.operate("transfer", other.id);
      return struck(scene, since, async () => {});
    case "expire":
      await arena.testbed.isolate(`p${leader.placed.machine}`);
      return struck(scene, since, async () => arena.testbed.rejoin(`p${leader.placed.machine}`));
    case "cut-site":
      return cutSite(scene, since);
    case "kill-ensemble-leader": {
      const server = arena.servers.leader();
      if (server === null) throw new Error("nobody leads the ensemble");
      await arena.servers.kill(server);
      await arena.rest(1000);
      await arena.servers.start(server);
      return level(scene, since);
    }
    case "rolling-restart":
      for (const server of arena.servers.living) {
        await arena.servers.kill(server);
        await arena.rest(500);
        await arena.servers.start(server);
        await arena.servers.level(signal, LEVEL_MS);
      }
      return level(scene, since);
  }
}

/** Who did not get ready is no candidate for as long as whoever was elected instead leads. */
function hasFailed({ id }: Member, heard: readonly Heard[]): boolean {
  const own = heard.filter(({ member, kind }) => member === id && /^(?:hangs|acts|stands)$/.test(kind));
  return own.at(-1)?.kind === "hangs";
}

/** Waits until another acts, then mends. */
async function struck(scene: Scene, since: number, mend: () => Promise<void>): Promise<Blow> {
  const { arena, leader } = scene;
  try {
    const next = await another(scene, since, []);
    await arena.rest(ECHO_MS);
    return { since, next, until: now() };
  } finally {
    await mend();
    await arena.until(`${leader.id} knows whether it leads`, () => isSettled(scene));
  }
}

/** One at most acts, unless it acts rightly. */
const isSettled = ({ members }: Scene): boolean => members.filter(({ acts }) => acts).length <= 1;

async function another(scene: Scene, since: number, dead: readonly Member[]): Promise<Heard> {
  const { arena, leader } = scene;
  const isNext = ({ kind, member, at }: Heard): boolean =>
    kind === "acts" && at >= since && member !== leader.id && dead.every(({ id }) => id !== member);
  await arena.until(`somebody leads after ${leader.id}`, () => arena.heard.some(isNext));
  return arena.heard.find(isNext) as Heard;
}

async function killOnTheWay(scene: Scene, since: number): Promise<Blow> {
  const { arena, leader, members } = scene;
  await leader.leave();
  const isTaking = ({ kind, at }: Heard): boolean => kind === "takes over" && at >= since;
  await arena.until("somebody takes over", () => arena.heard.some(isTaking));
  const name = arena.heard.find(isTaking)?.member;
  const candidate = members.find(({ id }) => id === name) ?? leader;
  await candidate.kill();
  const next = await another(scene, since, [candidate]);
  await arena.rest(ECHO_MS);
  const until = now();
  await candidate.start();
  await leader.start();
  return { since, next, until };
}

async function cutSite(scene: Scene, since: number): Promise<Blow> {
  const { arena, leader } = scene;
  const { network, machines } = arena.testbed;
  const isInside = ({ site }: { readonly site: string }): boolean => site === leader.placed.site;
  const all = [...machines.values()];
  const [inside, outside] = [all.filter(isInside), all.filter((each) => !isInside(each))];
  if (outside.length === 0) throw new CannotRun("cut-site: the topology has one site only");
  const ways = inside.flatMap(({ name: a }) =>
    outside.flatMap(({ name: b }) => [[a, b] as const, [b, a] as const]),
  );
  await Promise.all(ways.map(async ([from, to]) => network.cut(from, to)));
  return struck(scene, since, async () => {
    await Promise.all(ways.map(async ([from, to]) => network.heal(from, to)));
    await arena.servers.level(scene.signal, LEVEL_MS);
  });
}

/** Servers died, and nobody else has to lead for that. */
async function level(scene: Scene, since: number): Promise<Blow> {
  const { arena, members, leader, signal } = scene;
  await arena.servers.level(signal, LEVEL_MS);
  await arena.until("somebody leads again", () => members.some(({ acts }) => acts));
  await arena.rest(ECHO_MS);
  const isNext = ({ kind, member, at }: Heard): boolean =>
    kind === "acts" && at >= since && member !== leader.id;
  return { since, next: arena.heard.find(isNext) ?? null, until: now() };
}
