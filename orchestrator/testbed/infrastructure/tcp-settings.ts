/**
 * What is set on every machine before anything runs there.
 *
 * A new network namespace takes over the host's congestion control, and the kernel lets it choose another
 * only among those that the host allows everybody. So none is chosen unless somebody asks; certificates name
 * the one that is used.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { CannotRunHere } from "../environment.ts";

export interface TcpWish {
  /** cubic, bbr, ...; null leaves the host's. */
  readonly congestionControl: string | null;
  /** The most that TCP buffers for a connection; null leaves the kernel's limit. */
  readonly socketBuffers: number | null;
}

/** Names and values under /proc/sys/net/ipv4. */
export function tcpSettings(wish: TcpWish): readonly (readonly [string, string])[] {
  const { congestionControl, socketBuffers } = wish;
  return [
    // A later run must not start with what TCP remembers of an earlier one.
    ["tcp_no_metrics_save", "1"],
    ["ping_group_range", "0 2147483647"],
    ...(congestionControl === null ? [] : [["tcp_congestion_control", congestionControl] as const]),
    ...(socketBuffers === null
      ? []
      : [
          ["tcp_rmem", `4096 131072 ${socketBuffers}`] as const,
          ["tcp_wmem", `4096 65536 ${socketBuffers}`] as const,
        ]),
  ];
}

const ALLOWED = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

/**
 * Has the host allow its users, and so our machines, the congestion control that was asked for. Only root
 * may.
 */
export function allowCongestionControl(name: string | null): void {
  if (name === null) return;
  const allowed = readFileSync(ALLOWED, "utf8").trim().split(" ");
  if (allowed.includes(name)) return;
  try {
    writeFileSync(ALLOWED, [...allowed, name].join(" "));
  } catch (error) {
    const remedy = `as root: sysctl net.ipv4.tcp_allowed_congestion_control="${allowed.join(" ")} ${name}"`;
    throw new CannotRunHere(`this host does not allow the congestion control ${name}; ${remedy}`, {
      cause: error,
    });
  }
}
