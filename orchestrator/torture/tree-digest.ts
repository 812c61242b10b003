/** One server's whole tree as text: every path with its data, version, place and owner. */

import { ERRORS } from "#node/wire/client/error.ts";
import type { Session } from "./session.ts";
import { sightOf } from "./workload.ts";

export async function digestOf(session: Session): Promise<string> {
  await session.ask([{ kind: "sync", path: "/" }]);
  const lines: string[] = [];
  const paths = ["/"];
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const [data, children] = await session.ask([
      { kind: "getData", path, watch: false },
      { kind: "getChildren", path, watch: false },
    ]);
    if (data?.error !== ERRORS.ok || children?.reply?.kind !== "getChildren") {
      lines.push(`${path} cannot be read`);
      continue;
    }
    const { value, version, mzxid, owner } = sightOf(data);
    // An ephemeral may go with its session at any moment.
    if (owner === null) lines.push(`${path} ${version} ${mzxid} ${value}`);
    for (const name of children.reply.names) {
      const below = path === "/" ? `/${name}` : `${path}/${name}`;
      if (!below.startsWith("/zookeeper") && below !== "/lock") paths.push(below);
    }
  }
  return lines.toSorted().join("\n");
}
