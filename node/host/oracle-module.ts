/**
 * An oracle of one's own: a module that exports `oracle`, named by its path (`--oracle ./mine.ts`).
 *
 * It runs inside every replica and decides who leads, so its shape is tried before anything starts: a wrong
 * one ends with one line that says what, where, and what would be right.
 */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ensemble, serverId } from "../core/identity.ts";
import { round, type Score } from "../core/score.ts";
import { milliseconds } from "../core/time.ts";
import { ZERO } from "../core/zxid.ts";
import type { Oracle, View } from "../oracle/oracle.ts";
import { NO_REPORT } from "../oracle/report.ts";
import { EXIT } from "../core/exit-code.ts";

/** A wrong `--oracle`: for people, one line. */
export class OracleModuleError extends Error {
  override readonly name = "OracleModuleError";
  /** EX_USAGE. */
  readonly exitCode = EXIT.usage;
}

/** `./mine.ts` and `/opt/mine.ts` are paths, `latency` is a name of the catalog. */
export const isModulePath = (name: string): boolean => /[./\\]/.test(name);

/** Loads the module at `path`, relative to `folder`, and tries the oracle it exports. */
export async function loadOracle(path: string, folder: string): Promise<Oracle> {
  const file = resolve(folder, path);
  let module: { readonly oracle?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw wrong(path, `cannot be loaded: ${lineOf(error)}`);
  }
  const oracle = shaped(path, module);
  probe(path, oracle);
  return oracle;
}

const FUNCTIONS = ["score", "compare", "ready", "explain"] as const satisfies readonly (keyof Oracle)[];

function shaped(path: string, { oracle }: { readonly oracle?: unknown }): Oracle {
  if (typeof oracle !== "object" || oracle === null) {
    throw wrong(
      path,
      `exports no oracle; right would be: export const oracle: Oracle = { ${FUNCTIONS.join(", ")} }`,
    );
  }
  const missing = FUNCTIONS.filter((name) => typeof (oracle as Record<string, unknown>)[name] !== "function");
  if (missing.length > 0) {
    const names = missing.map((name) => `${name}()`).join(", ");
    throw wrong(
      path,
      `its oracle lacks ${names}; an oracle has ${FUNCTIONS.join(", ")} (node/oracle/oracle.ts)`,
    );
  }
  return oracle as Oracle;
}

/** Asks the oracle about two servers once, as an election would. */
function probe(path: string, oracle: Oracle): void {
  const ask = (what: keyof Oracle, call: () => unknown): unknown => {
    try {
      return call();
    } catch (error) {
      throw wrong(path, `its ${what}() fails: ${lineOf(error)}`);
    }
  };
  const gives = (what: keyof Oracle, answer: unknown, right: string): OracleModuleError =>
    wrong(path, `its ${what}() gives ${JSON.stringify(answer)}; right would be ${right}`);

  const scores = PROBES.map((view) => ask("score", () => oracle.score(view, round(1))));
  for (const score of scores)
    if (!isScore(score)) throw gives("score", score, "a list of finite numbers, such as [12.5]");
  const [a, b] = scores as [Score, Score];
  const [there, back] = [
    ask("compare", () => oracle.compare(a, b)),
    ask("compare", () => oracle.compare(b, a)),
  ];
  for (const sign of [there, back])
    if (typeof sign !== "number" || Number.isNaN(sign))
      throw gives("compare", sign, "a number, less than 0 for worse");
  if (Math.sign(there as number) + Math.sign(back as number) !== 0)
    throw gives("compare", [there, back], "one sign for (a, b) and the other for (b, a)");
  const ready = ask("ready", () => oracle.ready(PROBES[0]));
  if (typeof ready !== "boolean") throw gives("ready", ready, "true or false");
  const why = ask("explain", () => oracle.explain(PROBES[0], round(1)));
  if (
    typeof why !== "object" ||
    why === null ||
    Object.values(why).some((value) => typeof value !== "number")
  )
    throw gives("explain", why, 'an object of numbers, such as {"meanMs":12.5}');
}

const isScore = (score: unknown): boolean =>
  Array.isArray(score) && score.every((part) => Number.isFinite(part));

const servers = ensemble([1, 2, 3]);

/** What p1 and p2 see, p3 being far away. */
const PROBES = [probeView(1, [0, 10, 40]), probeView(2, [10, 0, 30])] as const;

function probeView(self: number, distances: readonly number[]): View {
  return {
    self: serverId(self),
    servers,
    roundTrips: new Map(servers.map((server, at) => [server, milliseconds(distances[at] ?? 0)])),
    requestRates: new Map(servers.map((server) => [server, 100 / server])),
    unmeasured: [],
    lastZxid: ZERO,
    reports: new Map(servers.map((server) => [server, NO_REPORT])),
    lastLeader: null,
    departed: null,
  };
}

const wrong = (path: string, what: string): OracleModuleError =>
  new OracleModuleError(`--oracle ${path}: ${what}`);

const lineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";
