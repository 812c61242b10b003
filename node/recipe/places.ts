/** Servers as people write them: `host:2181,host2:2181`, IPv6 in brackets. */

import type { ServerAddress } from "../host/tcp/live-session.ts";

const DEFAULT_PORT = 2181;

/** A list of servers that nobody can use; the message says what is wrong. */
export class NoServers extends Error {
  override readonly name = "NoServers";
}

export function placesOf(servers: string): readonly ServerAddress[] {
  const given = servers.split(",").map((each) => each.trim());
  return given.map((each) => {
    const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:/\s[\]]+))(?::(\d{1,5}))?$/.exec(each);
    const [host, port] = [match?.[1] ?? match?.[2], Number(match?.[3] ?? DEFAULT_PORT)];
    if (host === undefined || port < 1 || port > 65_535) {
      throw new NoServers(`"${each}" is no server: write host:port, several with commas between them`);
    }
    return { host, port };
  });
}
