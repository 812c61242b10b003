/** `polebench priority`: an operator's words about a priority election, at any service of the protocol. */

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { EXIT } from "../core/exit-code.ts";
import { idOf } from "../election/priority/layout.ts";
import { Client } from "./client.ts";
import { NoServers } from "./places.ts";
import { PriorityDesk, type Status, type Wish } from "./priority-desk.ts";
import { ServiceError, SessionOver } from "./service-error.ts";

export const PRIORITY_USAGE = `polebench priority <what> --connect host:port[,host:port] [--path /cluster]

  status                       who stands, who is elected, who leads, and what is wished
  prefer <member|site>...      shall lead rather than others, best first
  exclude <member>...          shall not lead
  maintain <site>...           none of these sites shall lead
  transfer <member>            leads from now on, until it ends

  --undo           takes words of prefer, exclude or maintain back
  --within <s>     transfer waits so long until the member is ready (30)
  --json           status as JSON
  --auth <user:password>       digest authentication
  --path <path>    the root of the election (/cluster)`;

export interface Printer {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

interface Flags {
  readonly connect?: string | undefined;
  readonly path?: string | undefined;
  readonly undo?: boolean | undefined;
  readonly within?: string | undefined;
  readonly json?: boolean | undefined;
  readonly auth?: string | undefined;
  readonly help?: boolean | undefined;
}

class Usage extends Error {}

const WISHES: readonly string[] = ["prefer", "exclude", "maintain"] satisfies Wish[];

/** The exit code. */
export async function runPriority(args: readonly string[], printer: Printer): Promise<number> {
  try {
    const [words, flags] = parsed(args);
    const [what, ...rest] = words;
    if (flags.help === true || what === "help") {
      printer.out(PRIORITY_USAGE);
      return EXIT.passed;
    }
    checkWords(what, rest, flags);
    return await withClient(flags, async (desk) => carryOut(what ?? "", rest, desk, flags, printer));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printer.err(`polebench priority: ${error.message}`);
    if (error instanceof Usage || error instanceof NoServers) return EXIT.usage;
    return error instanceof SessionOver ? EXIT.cannotRun : EXIT.failed;
  }
}

function parsed(args: readonly string[]): [string[], Flags] {
  const options = {
    connect: { type: "string" },
    path: { type: "string" },
    undo: { type: "boolean" },
    within: { type: "string" },
    json: { type: "boolean" },
    auth: { type: "string" },
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    return [positionals, values];
  } catch (error) {
    throw new Usage(`${error instanceof Error ? error.message : String(error)}\n\n${PRIORITY_USAGE}`);
  }
}

function checkWords(
  what: string | undefined,
  words: readonly string[],
  { connect, path, within }: Flags,
): void {
  const wrong = (why: string): Usage => new Usage(`${why}\n\n${PRIORITY_USAGE}`);
  if (what === undefined) throw wrong("say what");
  if (what !== "status" && what !== "transfer" && !WISHES.includes(what))
    throw wrong(`there is no "${what}"`);
  if (what === "status" && words.length > 0) throw wrong("status takes no words");
  if (what === "transfer" && words.length !== 1) throw wrong("transfer takes one member");
  if (WISHES.includes(what) && words.length === 0) throw wrong(`${what} whom?`);
  if (connect === undefined) throw wrong("--connect is missing");
  if (path !== undefined && !/^(?:\/[^/]+)+$/.test(path)) throw wrong(`"${path}" is no path of a znode`);
  if (within !== undefined && !(Number(within) > 0)) throw wrong(`"${within}" is no time in seconds`);
}

async function withClient(flags: Flags, work: (desk: PriorityDesk) => Promise<number>): Promise<number> {
  const { connect = "", path = "/cluster", auth } = flags;
  const shown = auth === undefined ? [] : [{ scheme: "digest", credentials: auth }];
  const client = await Client.connect(connect, { within: 10_000, auth: shown });
  try {
    return await work(new PriorityDesk(client, path));
  } catch (error) {
    if (error instanceof ServiceError && error.code === "noAuth") {
      throw new Error(`${error.message}; show who you are with --auth user:password`, { cause: error });
    }
    throw error;
  } finally {
    await client.close();
  }
}

async function carryOut(
  what: string,
  words: readonly string[],
  desk: PriorityDesk,
  flags: Flags,
  { out, err }: Printer,
): Promise<number> {
  if (what === "status") {
    const status = await desk.status();
    out(flags.json === true ? JSON.stringify(status, null, 2) : pageOf(status));
    return EXIT.passed;
  }
  if (what !== "transfer") {
    const policy = await desk.wish(what as Wish, words, flags.undo);
    out(wishesOf(policy).join("\n"));
    if (flags.undo === true) return EXIT.passed;
    const of = what === "exclude" ? "is called" : what === "maintain" ? "is at" : "is called or is at";
    for (const word of await desk.strange(what as Wish, words))
      err(`nobody who stands ${of} "${word}": it counts when somebody does; --undo takes it back`);
    for (const id of what === "prefer" ? await desk.passedOver(words) : [])
      err(`${id} did not take over when it was to: it is passed over until another election; see transfer`);
    return EXIT.passed;
  }
  const [id = ""] = words;
  return transferred(desk, id, Number(flags.within ?? 30), out);
}

/** Waits until who was elected is ready, or another is elected. */
async function transferred(
  desk: PriorityDesk,
  id: string,
  within: number,
  out: Printer["out"],
): Promise<number> {
  const began = performance.now();
  const term = await desk.transfer(id);
  for (;;) {
    const { current, elected, term: now } = await desk.status();
    const took = ((performance.now() - began) / 1e3).toFixed(2);
    if (current?.status === "READY" && current.term >= term && idOf(current.member) === id) {
      out(`${id} leads in term ${current.term}, after ${took} s`);
      return EXIT.passed;
    }
    const other = elected.member === null ? "nobody" : idOf(elected.member);
    if (now > term && other !== id)
      throw new Error(`${id} did not take over: ${other} is elected now, in term ${now}`);
    if (performance.now() - began > within * 1e3) {
      throw new Error(`${id} is elected in term ${term} and not ready after ${within} s; see status`);
    }
    await sleep(20);
  }
}

function pageOf({ term, elector, elected, current, last, policy, members }: Status): string {
  const leads =
    current?.status === "READY" ? `${idOf(current.member)} leads in term ${current.term}` : "nobody leads";
  const takes =
    current !== null && current.status !== "READY"
      ? [`${idOf(current.member)} has the place since term ${current.term}: ${current.status}`]
      : [];
  const shall =
    elected.member === null ? "nobody is elected" : `${idOf(elected.member)} is elected in term ${term}`;
  const failed = elected.excluded.length > 0 ? [`passed over: ${elected.excluded.map(idOf).join(", ")}`] : [];
  const before =
    last.term < 0 ? "nobody ever led" : `last ready: ${last.id} at ${last.site}, term ${last.term}`;
  const rows = members.map(({ id, site, score, barred }) =>
    [`  ${id}`, site ?? "?", `score ${score ?? "?"}`, id === elector ? "elector" : "", barred ?? ""]
      .filter((cell) => cell !== "")
      .join("  "),
  );
  return [
    leads,
    ...takes,
    shall,
    ...failed,
    before,
    ...wishesOf(policy),
    "members, in the order in which they came:",
    ...rows,
  ].join("\n");
}

const wishesOf = ({ prefer, exclude, maintain }: Status["policy"]): string[] => [
  `prefer: ${prefer.join(", ") || "none"}`,
  `exclude: ${exclude.join(", ") || "none"}`,
  `maintain: ${maintain.join(", ") || "none"}`,
];
