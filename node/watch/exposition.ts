/**
 * The numbers of a server in Prometheus' text format, version 0.0.4. Names are those of ZooKeeper's own
 * Prometheus page where they mean the same, so that its dashboards find them.
 */

import { metrics } from "./four-letter-words.ts";
import type { Status } from "./status.ts";

export function exposition(status: Status): string {
  const lines: string[] = [];
  for (const [name, text] of [...metrics(status), ...status.host.process]) {
    const value = Number(text);
    if (text === "" || Number.isNaN(value)) continue;
    lines.push(`# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}`, `${name} ${value}`);
  }
  for (const [name, { count, total }] of status.host.spreads) {
    lines.push(`# TYPE ${name} summary`, `${name}_count ${count}`, `${name}_sum ${total}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}
