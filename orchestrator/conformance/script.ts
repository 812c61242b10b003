/**
 * Random scripts for two endpoints at once: what several sessions ask, step by step, drawn from a seed.
 *
 * The tree is small and the values few, so that requests meet each other: creations of what is there,
 * versions that were right one step ago, watches on what is deleted next. One request in ten is nonsense. A
 * step does not depend on any answer, so the same script can be put to any server.
 */

import type { Random } from "#node/core/random.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";
import { acl, drawRequest, NAMES, type Ground } from "./script-request.ts";

export type Step =
  | { readonly kind: "ask"; readonly session: number; readonly request: ClientRequest }
  /** Ends the session; the place of it is taken by a new one. */
  | { readonly kind: "close"; readonly session: number }
  /** Cuts the connection and shows the session to the next server. */
  | { readonly kind: "move"; readonly session: number }
  /** As clients do after a move: sets its watches again, from what it has seen last or from the beginning. */
  | {
      readonly kind: "rewatch";
      readonly session: number;
      readonly since: "last" | "ever";
      readonly data: readonly string[];
      readonly exist: readonly string[];
      readonly child: readonly string[];
      readonly persistent: readonly string[];
      readonly recursive: readonly string[];
    };

export const SESSIONS = 3;

/** A script that works below `/<name>` and leaves the rest of the tree alone. */
export function drawScript(random: Random, name: string, length: number): Step[] {
  const root = `/${name}`;
  const place: Ground = { root, random };
  const steps: Step[] = ["", "/a", "/b", "/a/x"].map((at) => ask(0, create(root + at)));
  if (random.chance(0.5)) steps.push(...quota(place, name));
  while (steps.length < length) steps.push(drawStep(place));
  return steps;
}

function drawStep(place: Ground): Step {
  const { random } = place;
  const session = random.integer(0, SESSIONS - 1);
  const draw = random.unit();
  if (draw < 0.02) return { kind: "close", session };
  if (draw < 0.05) return { kind: "move", session };
  if (draw < 0.08) return drawRewatch(place, session);
  return ask(session, drawRequest(place));
}

function drawRewatch({ root, random }: Ground, session: number): Step {
  const some = (share: number): string[] =>
    [...new Set(NAMES)].filter(() => random.chance(share)).map((name) => root + name);
  return {
    kind: "rewatch",
    session,
    since: random.pick(["last", "ever"]),
    data: some(0.2),
    exist: some(0.2),
    child: some(0.2),
    persistent: some(0.1),
    recursive: some(0.1),
  };
}

const ask = (session: number, request: ClientRequest): Step => ({ kind: "ask", session, request });

const create = (path: string, data = ""): ClientRequest => ({
  kind: "create",
  path,
  data: Buffer.from(data),
  acl: acl("open"),
  flags: 0,
  ttl: -1,
});

/** A quota as ZooKeeper's command line would set it: the server keeps the statistics below it. */
function quota({ random }: Ground, name: string): Step[] {
  const home = `/zookeeper/quota/${name}`;
  const limits = `count=${random.integer(2, 6)},bytes=${random.integer(5, 50)}`;
  return [
    create(home),
    create(`${home}/zookeeper_limits`, limits),
    create(`${home}/zookeeper_stats`, "count=0,bytes=0"),
  ].map((request) => ask(0, request));
}

/** In one line, for whoever reads how two servers came apart. */
export function printStep(step: Step): string {
  const { kind, session, ...rest } = step;
  const details = "request" in rest ? rest.request : rest;
  return `s${session} ${kind} ${JSON.stringify(details, printBytes)}`;
}

/** For JSON: bytes as text. A Buffer comes here as what its own `toJSON` made of it. */
export function printBytes(_key: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  const isBuffer = typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";
  return isBuffer && "data" in value ? Buffer.from(value.data as number[]).toString("latin1") : value;
}
