/** One random request below a small tree. */

import type { Random } from "#node/core/random.ts";
import { type Acl, OPEN, PERMISSION } from "#node/wire/client/acl.ts";
import type { Create } from "#node/wire/client/create.ts";
import type { MultiOperation } from "#node/wire/client/multi.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";

export interface Ground {
  readonly root: string;
  readonly random: Random;
}

export const NAMES = ["", "/a", "/a", "/b", "/a/x", "/a/x", "/a/y", "/b/x", "/none/x"] as const;
/** What `PathUtils` of ZooKeeper refuses, and what it lets pass although one would not think so. */
const ODD = ["", "a", "//", "/a/", "/a//b", "/a/./b", "/..", "/a\u0001", "/a\u0000", "/\u{1f600}", "/ä b"];

const path = ({ root, random }: Ground): string => root + random.pick(NAMES);

const oddPath = (place: Ground): string =>
  place.random.chance(0.5) ? place.random.pick(ODD) : place.root + place.random.pick(ODD);

const anyPath = (place: Ground): string => (place.random.chance(0.03) ? oddPath(place) : path(place));

const version = ({ random }: Ground): number => random.pick([-1, -1, -1, -1, -1, 0, 0, 1, 2, -2]);

function data({ random }: Ground): Uint8Array | null {
  const length = random.pick([-1, 0, 1, 5, 30]);
  return length < 0 ? null : Buffer.alloc(length, random.integer(97, 122));
}

const USERS = { "user:secret": "user:tpUq/4Pn5A64fVZyQ0gOJ8ZWqkY=", "other:word": "other:x" } as const;

const credentials = Object.keys(USERS);

const entry = (permissions: number, scheme: string, id: string): Acl => ({ permissions, id: { scheme, id } });

/** By name; the wrong ones are refused in different places. */
const ACLS = {
  open: OPEN,
  readable: [entry(PERMISSION.read, "world", "anyone")],
  unreadable: [entry(PERMISSION.all & ~PERMISSION.read, "world", "anyone")],
  own: [entry(PERMISSION.all, "auth", "")],
  user: [
    entry(PERMISSION.all, "digest", USERS["user:secret"]),
    entry(PERMISSION.read, "world", "anyone"),
    entry(PERMISSION.read, "world", "anyone"),
  ],
  here: [entry(PERMISSION.all, "ip", "127.0.0.1")],
  elsewhere: [entry(PERMISSION.all, "ip", "10.0.0.0/8"), entry(PERMISSION.admin, "world", "anyone")],
  none: [],
  nobody: [entry(PERMISSION.all, "world", "somebody")],
  unknown: [entry(PERMISSION.all, "no-scheme", "x")],
  malformed: [entry(PERMISSION.all, "digest", "no-colon")],
  nowhere: [entry(PERMISSION.all, "ip", "300.1.1.1")],
} as const satisfies Record<string, readonly Acl[]>;

export const acl = (name: keyof typeof ACLS): readonly Acl[] => ACLS[name];

const anyAcl = ({ random }: Ground): readonly Acl[] =>
  random.chance(0.85) ? ACLS.open : random.pick(Object.values(ACLS));

function drawCreate(place: Ground, nonsense = 0.02): Create {
  const { random } = place;
  const kind = random.pick(["create", "create", "create2", "createContainer", "createTtl"] as const);
  const flags =
    kind === "createContainer"
      ? 4
      : kind === "createTtl"
        ? random.pick([5, 6])
        : random.pick([0, 0, 0, 0, 1, 1, 2, 3]);
  return {
    kind,
    path: anyPath(place),
    data: data(place),
    acl: anyAcl(place),
    flags: random.chance(nonsense) ? random.pick([-1, 4, 5, 7, 99]) : flags,
    ttl: kind === "createTtl" ? random.pick([1000, 0, -1]) : -1,
  };
}

function drawMultiOperation(place: Ground): MultiOperation {
  const draw = place.random.unit();
  if (draw < 0.4) return drawCreate(place, 0);
  if (draw < 0.5) return { kind: "delete", path: anyPath(place), version: version(place) };
  if (draw < 0.85)
    return { kind: "setData", path: anyPath(place), data: data(place), version: version(place) };
  return { kind: "check", path: anyPath(place), version: version(place) };
}

const drawMultiRead = (place: Ground): MultiOperation => ({
  kind: place.random.pick(["getData", "getChildren"]),
  path: anyPath(place),
  watch: false,
});

const several = <T>({ random }: Ground, draw: () => T): T[] =>
  Array.from({ length: random.integer(0, 4) }, () => draw());

type Draw = (place: Ground) => ClientRequest;

const watched =
  (kind: "exists" | "getData" | "getChildren" | "getChildren2"): Draw =>
  (place) => ({ kind, path: anyPath(place), watch: place.random.chance(0.5) });

const drawAddWatch = (place: Ground): ClientRequest => ({
  kind: "addWatch",
  path: anyPath(place),
  mode: place.random.pick([0, 0, 0, 1, 1, 1, 7]),
});

const named =
  (kind: "getAcl" | "getAllChildrenNumber" | "getEphemerals"): Draw =>
  (place) => ({ kind, path: anyPath(place) });

const drawRemoveWatches = (place: Ground): ClientRequest => ({
  kind: "removeWatches",
  path: anyPath(place),
  type: place.random.pick([1, 2, 3, 3, 9]),
});

/**
 * How often each is drawn, against the sum of all. Three are left out because of ZooKeeper 3.8.0: a check
 * that stands alone takes its leader down when the version is right, one sync in some thousands is never
 * answered, and checkWatches says yes when anyone at all watches the path.
 */
const DRAWS: readonly (readonly [weight: number, draw: Draw])[] = [
  [26, (place) => drawCreate(place)],
  [6, (place) => ({ kind: "delete", path: anyPath(place), version: version(place) })],
  [12, (place) => ({ kind: "setData", path: anyPath(place), data: data(place), version: version(place) })],
  [8, watched("exists")],
  [8, watched("getData")],
  [4, watched("getChildren")],
  [4, watched("getChildren2")],
  [3, named("getAcl")],
  [3, named("getAllChildrenNumber")],
  [3, named("getEphemerals")],
  [3, (place) => ({ kind: "setAcl", path: anyPath(place), acl: anyAcl(place), version: version(place) })],
  [8, (place) => ({ kind: "multi", operations: several(place, () => drawMultiOperation(place)) })],
  [3, (place) => ({ kind: "multiRead", operations: several(place, () => drawMultiRead(place)) })],
  [5, drawAddWatch],
  [4, drawRemoveWatches],
  [2, ({ random }) => auth("digest", random.pick(credentials))],
  [0.3, ({ random }) => auth(random.pick(["no-scheme", "digest", "super"]), random.pick(["x:y", "x", ""]))],
  [1, () => ({ kind: "whoAmI" })],
  [1, () => ({ kind: "ping" })],
];

const TOTAL = DRAWS.reduce((sum, [weight]) => sum + weight, 0);

export function drawRequest(place: Ground): ClientRequest {
  let left = place.random.unit() * TOTAL;
  for (const [weight, draw] of DRAWS) {
    left -= weight;
    if (left < 0) return draw(place);
  }
  return { kind: "ping" };
}

const auth = (scheme: string, name: string): ClientRequest => ({
  kind: "auth",
  scheme,
  credentials: Buffer.from(name),
});
