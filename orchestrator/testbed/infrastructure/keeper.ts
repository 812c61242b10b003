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

export interface NamespaceWish {
  /** cubic, bbr, ...: what the kernel's default is differs, and every bandwidth depends on it. */
  readonly congestionControl: string;
  /** The most that TCP buffers for a connection; null leaves the kernel's limit. */
  readonly socketBuffers: number | null;
}

if (import.meta.main) {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const wish = JSON.parse(line) as NamespaceWish;
    const descriptor = newNamespace();
    execFileSync("ip", ["link", "set", "dev", "lo", "up"]);
    // A later run on the same machine must not start with what TCP remembers of an earlier one.
    setSystem("tcp_no_metrics_save", "1");
    setSystem("tcp_congestion_control", wish.congestionControl);
    if (wish.socketBuffers !== null) {
      setSystem("tcp_rmem", `4096 131072 ${wish.socketBuffers}`);
      setSystem("tcp_wmem", `4096 65536 ${wish.socketBuffers}`);
    }
    setSystem("ping_group_range", "0 2147483647");
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
