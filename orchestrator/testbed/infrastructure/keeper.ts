/**
 * Keeps the network namespaces of one testbed alive, by holding a descriptor of each. It is their only
 * holder, and leaves when its standard input ends: so no namespace survives an orchestrator, however that
 * died.
 *
 * Asked for a machine's namespace (a JSON line), it answers with the descriptor's number: /proc/PID/fd/NUMBER
 * enters it.
 */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { newNamespace } from "../network/libc.ts";
import { type TcpWish, tcpSettings } from "./tcp-settings.ts";

if (import.meta.main) {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const wish = JSON.parse(line) as TcpWish;
    const descriptor = newNamespace();
    execFileSync("ip", ["link", "set", "dev", "lo", "up"]);
    for (const [name, value] of tcpSettings(wish)) setSystem(name, value);
    process.stdout.write(`${JSON.stringify(descriptor)}\n`);
  });
}

function setSystem(name: string, value: string): void {
  try {
    writeFileSync(`/proc/sys/net/ipv4/${name}`, value);
  } catch {
    // Not every kernel lets a user namespace set every one; the certificate tells what was achieved.
  }
}
