/** Paths in a service: what lies above a znode is made before it, and a name is joined to its parent. */

import { type Acl, OPEN } from "../../wire/client/acl.ts";
import type { Create } from "../../wire/client/create.ts";

export const MODES = { persistent: 0, ephemeral: 1, ephemeralSequential: 3 } as const;

const EMPTY = new Uint8Array(0);

/** The znode and all above it, highest first. */
export function wayTo(path: string): readonly string[] {
  const parts = path.split("/").slice(1);
  return parts.flatMap((part, at) => (part === "" ? [] : [`/${parts.slice(0, at + 1).join("/")}`]));
}

export const below = (parent: string, name: string): string =>
  parent === "/" ? `/${name}` : `${parent}/${name}`;

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** For everybody to read and write, unless it is said otherwise. */
export const creation = (
  path: string,
  mode: keyof typeof MODES,
  data: Uint8Array = EMPTY,
  acl: readonly Acl[] = OPEN,
): Create => ({ kind: "create", path, data, acl, flags: MODES[mode], ttl: -1 });

/** The znode below which an election lies, and all above it: these are everybody's. */
export const foundationOf = (root: string, acl: readonly Acl[] = OPEN): readonly Create[] =>
  wayTo(root).map((path) => creation(path, "persistent", EMPTY, path === root ? acl : OPEN));
