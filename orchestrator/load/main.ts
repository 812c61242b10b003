/**
 * `make load`: many sessions, watches and znodes, then more requests than there can be answers, and
 * answers that nobody takes. The table
 * goes to stdout and to `reports/load/NAME.md`, the numbers to `NAME.json`, progress to stderr.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { numbersIn, recordOfPlain } from "../book/plain.ts";
import { enter } from "../book/store.ts";
import { DEFAULT_SYSTEM, SPEAKING_ZOOKEEPER, SYSTEMS } from "../system/catalog.ts";
import { answered } from "./answers.ts";
import { crowded } from "./crowded.ts";
import { overloaded } from "./overload.ts";
import { printLoad, type Seen } from "./table.ts";
import { EXIT } from "#node/core/exit-code.ts";

const REPORTS = fileURLToPath(new URL("../../reports/load/", import.meta.url));
const PARTS = ["crowd", "overload", "answers"] as const;

const { values } = parseArgs({
  options: {
    system: { type: "string", multiple: true, default: [DEFAULT_SYSTEM] },
    part: { type: "string", multiple: true, default: [...PARTS] },
    sessions: { type: "string", default: "10000" },
    watches: { type: "string", default: "100000" },
    znodes: { type: "string", default: "1000000" },
    stuck: { type: "string", default: "1000" },
    times: { type: "string", default: "3" },
    seconds: { type: "string", default: "10" },
    name: { type: "string", default: "latest" },
  },
});
const number = (name: "sessions" | "watches" | "znodes" | "stuck" | "times" | "seconds"): number =>
  Number(values[name]);
const crowding = {
  sessions: number("sessions"),
  watches: number("watches"),
  znodes: number("znodes"),
  payloadBytes: 100,
  restSeconds: number("seconds"),
  windowSeconds: 20,
};
const overloading = { times: number("times"), seconds: number("seconds"), payloadBytes: 1024 };
const answering = { pipelined: 500, stuck: number("stuck"), seconds: number("seconds") };
const systems = SPEAKING_ZOOKEEPER.filter((name) => values.system.includes(name));
const parts = PARTS.filter((part) => values.part.includes(part));
const isWrong =
  [...Object.values(crowding), ...Object.values(overloading), ...Object.values(answering)].some(
    (value) => !(value > 0),
  ) ||
  systems.length < values.system.length ||
  parts.length < values.part.length;
if (isWrong) {
  console.error(`usage: main.ts [--system ${SPEAKING_ZOOKEEPER.join("|")}] [--part ${PARTS.join("|")}]
  [--sessions 10000] [--watches 100000] [--znodes 1000000] [--stuck 1000]
  [--times 3] [--seconds 10] [--name latest]`);
  process.exit(EXIT.usage);
}
const missing = systems.flatMap((name) => SYSTEMS[name].missing() ?? []);
if (missing.length > 0) {
  console.error(missing.join("\n"));
  process.exit(EXIT.cannotRun);
}

const seen: Record<string, Seen> = {};
const loads = [loadavg()];
for (const name of systems) {
  const progress = (phase: string): void => console.error(`${name}: ${phase}`);
  seen[name] = {
    ...(parts.includes("crowd") ? { crowded: await crowded(SYSTEMS[name], crowding, progress) } : {}),
    ...(parts.includes("overload")
      ? { overloaded: await overloaded(SYSTEMS[name], overloading, progress) }
      : {}),
    ...(parts.includes("answers") ? { answered: await answered(SYSTEMS[name], answering, progress) } : {}),
  };
  loads.push(loadavg());
}
const [processor] = cpus();
const processors = `${cpus().length} processors (${processor?.model ?? "unknown"})`;
const machine = `${processors}, Linux ${release()}, Node ${process.version}`;
const today = new Date().toISOString().slice(0, 10);
const loadText = loads.map(([minute = 0]) => minute.toFixed(1)).join(", ");
const text = `# Load

${machine}; ${today}.
Load of the machine (mean of a minute) before and after each system: ${loadText}.

${printLoad(seen, { crowding, overloading, answering })}`;
process.stdout.write(text);
mkdirSync(REPORTS, { recursive: true });
writeFileSync(join(REPORTS, `${values.name}.md`), text);
const document = { version: 1, machine, loads, crowding, overloading, answering, seen };
writeFileSync(join(REPORTS, `${values.name}.json`), `${JSON.stringify(document, null, 1)}\n`);
const record = recordOfPlain({
  kind: "load",
  what: Object.keys(seen).join(", "),
  command: ["make load", ...process.argv.slice(2)].join(" "),
  asked: [JSON.stringify({ crowding, overloading, answering }), ...Object.keys(seen)],
  reasons: [],
  numbers: numbersIn(seen),
});
enter(join(REPORTS, ".."), null, record);
console.error(`written to ${join(REPORTS, values.name)}.md and .json`);
