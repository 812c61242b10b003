/**
 * Brings a server with a new disk back: runs it on that disk until it follows as one that counts, and ends
 * it. What it goes through is the server's own (`node/broadcast/new-disk.ts`); here it is watched and told.
 */

import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readConfig, type Surroundings } from "#node/config/config.ts";
import { EXIT } from "#node/core/exit-code.ts";
import { child } from "../../testbed/child.ts";

const MAIN = fileURLToPath(new URL("../../../node/main.ts", import.meta.url));

export interface Surrounding extends Omit<Surroundings, "arguments"> {
  readonly say: (line: string) => void;
  readonly complain: (line: string) => void;
  readonly signal: AbortSignal;
}

interface Line {
  readonly event?: string;
  readonly epoch?: number;
  readonly leader?: number;
  readonly reason?: string;
  readonly msg?: string;
}

/** Returns the exit code. */
export async function recoverServer(words: readonly string[], around: Surrounding): Promise<number> {
  const reading = readConfig({ ...around, arguments: words });
  if (reading.kind !== "config") {
    const problems = reading.kind === "wrong" ? reading.problems : [USAGE];
    for (const problem of problems) around.complain(problem);
    return EXIT.usage;
  }
  const { id, servers } = reading.config;
  if (servers.size < 2) {
    around.complain("a server alone has nobody to come back through: --servers names the ensemble");
    return EXIT.usage;
  }
  const server = child([process.execPath, MAIN, "--log-level", "info", ...words], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const ended = once(server, "close");
  const stop = (): boolean => server.kill("SIGTERM");
  around.signal.addEventListener("abort", stop, { once: true });
  let code: number = EXIT.cannotRun;
  const told = new Set<string>();
  let returns = false;
  if (server.stdout !== null) {
    for await (const text of createInterface({ input: server.stdout })) {
      const line = parse(text);
      if (line.event === "returning") {
        returns = true;
        around.say(`server ${id}: ${line.msg ?? ""}`);
      } else if (line.event === "founding") {
        around.complain("no other server knows an epoch: this ensemble has never run. Start it as usual");
        code = EXIT.unknown;
        stop();
      } else if (line.event === "lost" || line.event === "failed") {
        const why = line.reason ?? line.msg ?? "";
        if (!told.has(why)) around.complain(`server ${id}: ${why}`);
        told.add(why);
      } else if (line.event === "serving" && code !== EXIT.passed) {
        code = returns ? EXIT.passed : EXIT.unknown;
        if (returns)
          around.say(
            `server ${id} is back: it is level under server ${line.leader} in epoch ${line.epoch}, ` +
              "and counts. Start it as usual",
          );
        else around.complain(`the disk of server ${id} is not new, and it serves. Start it as usual`);
        stop();
      }
    }
  }
  await ended;
  around.signal.removeEventListener("abort", stop);
  return around.signal.aborted && code === EXIT.cannotRun ? EXIT.interrupted : code;
}

const USAGE =
  "usage: polebench recover [zoo.cfg] [flags of the server]; --not-running names others that do not run";

function parse(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return {};
  }
}
