/**
 * Recipes go through the troubles of a plan, one recipe after the other, before the same servers; everything
 * that happened is judged and summed up.
 */

import type { Certificate } from "../testbed/network/certificate.ts";
import { Random } from "#node/core/random.ts";
import { standingOf } from "#node/election/medium/standing.ts";
import { LEADERSHIP } from "../check/leadership/leadership.ts";
import { judgeLooked, type Looked } from "../check/leadership/looked.ts";
import { outOfTurn } from "../check/leadership/turns.ts";
import { CannotRun } from "../terminal/exit-code.ts";
import { Arena, Late } from "./arena.ts";
import { type Before, type Episode, episodeOf } from "./episode.ts";
import type { Heard, Member } from "./member.ts";
import type { Counted, Seen, Written } from "./member-line.ts";
import { missingFor } from "./members/programs.ts";
import { applies, type Contest, type Recipe, type RecipePlan, rootOf, type Trouble } from "./plan.ts";
import { standingIn } from "./standing.ts";
import { strike } from "./troubles.ts";

/** What one contest went through. */
export interface Course {
  /** Of the contest. */
  readonly recipe: string;
  readonly episodes: readonly Episode[];
  readonly writes: { readonly taken: number; readonly refused: number };
  /** What contradicts what the recipe promises. */
  readonly wrong: readonly string[];
}

export interface RecipeOutcome {
  readonly plan: RecipePlan;
  readonly certificate: Certificate;
  readonly courses: readonly Course[];
  readonly heard: readonly Heard[];
  readonly seen: readonly Seen[];
  readonly written: readonly Written[];
  readonly counted: readonly Counted[];
}

/** From one trouble to the next. */
const PEACE_MS = 700;

export async function runRecipes(
  plan: RecipePlan,
  signal: AbortSignal,
  tell: (progress: string) => void,
): Promise<RecipeOutcome> {
  for (const recipe of plan.contests.flatMap(({ recipes }) => recipes)) {
    const missing = missingFor(recipe);
    if (missing !== null) throw new CannotRun(missing);
  }
  await using arena = await Arena.open(plan, signal, tell);
  const courses: Course[] = [];
  for (const contest of plan.contests) courses.push(await courseOf(arena, contest, signal, tell));
  const { certificate, heard, seen, written, counted } = arena;
  return { plan, certificate, courses, heard, seen, written, counted };
}

async function courseOf(
  arena: Arena,
  contest: Contest,
  signal: AbortSignal,
  tell: (progress: string) => void,
): Promise<Course> {
  const { plan } = arena;
  const { name: recipe, recipes } = contest;
  const from = arena.heard.length;
  await using stack = new AsyncDisposableStack();
  const members = plan.members.map((placed, index) => {
    const by = recipes[index % recipes.length] ?? recipes[0];
    return stack.use(arena.member(placed, contest, by));
  });
  tell(`${recipe}: ${members.length} members`);
  // One after the other, so that they stand in this order.
  for (const member of members) {
    await member.start();
    await arena
      .until(`${member.id} stands`, () => member.stands)
      .catch((late: unknown) => {
        throw late instanceof Late ? new CannotRun(`${late.message}\n${member.complaints}`) : late;
      });
  }
  const episodes: Episode[] = [];
  const late: string[] = [];
  for (const trouble of troublesOf(plan, contest)) {
    tell(`${recipe}, trouble ${episodes.length + 1}: ${trouble}`);
    try {
      episodes.push(await episode(arena, contest, trouble, members, signal));
    } catch (error) {
      if (!(error instanceof Late)) throw error;
      late.push(`${recipe}, ${trouble}: ${error.message}`);
      return { recipe, episodes, ...judged(arena, contest, arena.heard.slice(from), episodes, late) };
    }
  }
  for (const member of members) await member.leave();
  return { recipe, episodes, ...judged(arena, contest, arena.heard.slice(from), episodes, late) };
}

/** As often as was asked for, or drawn until the time is up. */
function* troublesOf(plan: RecipePlan, contest: Contest): Generator<Trouble> {
  const troubles = plan.troubles.filter((trouble) => applies(trouble, contest));
  if (plan.tortured === null) {
    for (const trouble of troubles) for (let time = 0; time < plan.times; time++) yield trouble;
    return;
  }
  const random = new Random(plan.service.seed);
  const end = performance.now() + plan.tortured;
  while (performance.now() < end) {
    const drawn = troubles[random.integer(0, troubles.length - 1)];
    if (drawn !== undefined) yield drawn;
  }
}

async function episode(
  arena: Arena,
  contest: Contest,
  trouble: Trouble,
  members: readonly Member[],
  signal: AbortSignal,
): Promise<Episode> {
  const actors = (): readonly Member[] => members.filter(({ acts }) => acts);
  await arena.until("all stand and one leads", () => {
    return members.every(({ stands }) => stands) && actors().length === 1 && order().length >= members.length;
  });
  await arena.rest(PEACE_MS);
  await arena.until("one leads", () => actors().length === 1);
  const [leader] = actors() as [Member];
  const [first, ...others] = order();
  const elector = members.find(({ id }) => id === first) ?? leader;
  const second = members.find(({ id }) => id === others[0]) ?? elector;
  const before: Before = {
    contest,
    trouble,
    leader: { id: leader.id, site: leader.placed.site },
    elector: siteOf(elector === leader ? second : elector),
    isAtAnEnd: elector === leader || others.at(-1) === leader.id,
    ensembleLeader: arena.servers.leader() ?? arena.plan.service.subject.firstLeader,
  };
  const blow = await strike(trouble, { arena, members, leader, elector, signal });
  return episodeOf(arena, before, blow);

  /** The ids of those who stand, where the layout tells them. */
  function order(): readonly string[] {
    const root = rootOf(contest);
    const names = standingIn(arena.seen, contest.name === "priority" ? `${root}/election` : root);
    return names.map((name) => standingOf(name)?.owner ?? name);
  }
}

const siteOf = ({ id, placed }: Member): { id: string; site: string } => ({ id, site: placed.site });

/** Ours stop before their session can have ended; what others do is for the report to say. */
const OURS: ReadonlySet<Recipe> = new Set(["chain", "herd", "priority"]);

function judged(
  { plan: { timeout }, written }: Arena,
  contest: Contest,
  heard: readonly Heard[],
  episodes: readonly Episode[],
  late: readonly string[],
): Pick<Course, "writes" | "wrong"> {
  const { name: recipe, recipes } = contest;
  // In the order of the service, which answers reach their members late.
  const history = heard
    .flatMap((line) => (line.kind === "wrote" ? [line] : []))
    .toSorted((a, b) => a.order - b.order);
  const taken = history.filter(({ isTaken }) => isTaken).length;
  const tooLong = episodes
    .filter(({ several }) => recipes.every((each) => OURS.has(each)) && several > timeout)
    .map(({ trouble, several }) => `${recipe}, ${trouble}: two acted for ${several.toFixed(0)} ms at once`);
  const acts = heard.flatMap((line) => (line.kind === "acts" ? [line] : []));
  const turns = recipes.includes("priority")
    ? judgeLooked(lookedAt(written, contest), acts)
    : outOfTurn(acts).map((each) => `${recipe}: ${each}`);
  return {
    writes: { taken, refused: history.length - taken },
    wrong: [...LEADERSHIP.fenced(history), ...turns, ...tooLong, ...late],
  };
}

/** What was written below `leader` of one contest. */
function lookedAt(written: readonly Written[], contest: Contest): Looked[] {
  return (["elected", "current", "last"] as const).flatMap((name) =>
    written
      .filter(({ path }) => path === `${rootOf(contest)}/leader/${name}`)
      .map((each) => ({ ...each, name })),
  );
}
