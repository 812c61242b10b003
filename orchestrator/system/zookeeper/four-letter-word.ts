/** Asks a server one of ZooKeeper's four-letter words; an empty answer when it does not even listen. */

import { connect } from "node:net";
import { HOST } from "../../topology/loopback.ts";
import type { Mode, Place } from "../system.ts";

export function ask(clientPort: number, word: string, host = HOST): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(clientPort, host, () => socket.write(word));
    socket.setEncoding("utf8");
    socket.setTimeout(1000, () => socket.destroy());
    socket.on("data", (chunk: string) => (answer += chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(answer));
  });
}

/** What the server is to its ensemble, or null while it serves nobody. */
export async function modeOf({ clientPort, host }: Pick<Place, "clientPort" | "host">): Promise<Mode | null> {
  const said = await ask(clientPort, "srvr", host);
  const found = /^Mode: (leader|follower|observer|standalone)$/m.exec(said);
  return found === null ? null : (found[1] as Mode);
}
