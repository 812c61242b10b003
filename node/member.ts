/** Runs one member of a group; `--help` lists the flags. What happens is told a JSON object a line. */

import { readFileSync } from "node:fs";
import type { MemberConfig } from "./config/member-config.ts";
import { EXIT } from "./core/exit-code.ts";
import type { Instant } from "./core/time.ts";
import type { GroupElectionEntry, GroupElectionProtocol } from "./election/group-election.ts";
import { becomeThrifty, shedStripper } from "./host/thrift.ts";
import type { GroupEvent } from "./host/udp/udp-group.ts";

/** Hardly anything is new here, and nothing is done often enough to be worth a compiler. */
becomeThrifty(["--max-semi-space-size=1", "--v8-pool-size=1", "--optimize-for-size", "--no-opt"], {
  MALLOC_ARENA_MAX: "1",
});
const { memberHelp, readMemberConfig } = await import("./config/member-config.ts");
const { WrongValue } = await import("./config/quantity.ts");
const { parseSecret } = await import("./config/settings.ts");
const { instant } = await import("./core/time.ts");
const { groupElections } = await import("./election/group-catalog.ts");
const { groupKeyFor } = await import("./host/group-proof.ts");
const { monotonic } = await import("./host/monotonic.ts");
const { UdpGroup } = await import("./host/udp/udp-group.ts");
// Its thread has a stripper of its own.
await import("./host/alarm-thread.ts");
shedStripper();

const reading = readMemberConfig(process.argv.slice(2));
if (reading.kind === "help") process.stdout.write(memberHelp());
else if (reading.kind === "wrong") {
  for (const problem of reading.problems) process.stderr.write(`${problem}\n`);
  process.exitCode = EXIT.usage;
} else {
  const key = keyOf(reading.config.secretFile);
  try {
    if (key !== "unreadable") await run(reading.config, key);
  } catch (error) {
    const { group, interface: address } = reading.config;
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`the group ${group} cannot be joined on ${address}: ${reason}\n`);
    process.exitCode = EXIT.cannotRun;
  }
}

/** Null without a secret. */
function keyOf(file: string): Uint8Array | null | "unreadable" {
  if (file === "") return null;
  try {
    return groupKeyFor(parseSecret(readFileSync(file, "utf8").trim() || "too short"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const wrong = error instanceof WrongValue ? `its secret is not ${reason}` : reason;
    process.stderr.write(`--secret-file ${file}: ${wrong}\n`);
    process.exitCode = EXIT.usage;
    return "unreadable";
  }
}

async function run(config: MemberConfig, key: Uint8Array | null): Promise<void> {
  const { id, election, options, startAt } = config;
  const entry: GroupElectionEntry = groupElections[election];
  const tell = (at: Instant, event: string, facts: object): void => {
    process.stdout.write(`${JSON.stringify({ at, member: id, event, ...facts })}\n`);
  };
  const group = await UdpGroup.join<GroupElectionProtocol>({
    ...config,
    ...(config.buffer > 0 && { receiveBuffer: config.buffer }),
    key,
    self: id,
    member: entry.create(id, options),
    codec: entry.codec,
    output: (output, now) =>
      output.kind === "elected"
        ? tell(now, "elected", { leader: output.leader, round: output.round })
        : tell(now, "observed", output.facts),
    announced: (message, now) => tell(now, "announced", { kind: entry.codec.kind(message) }),
    tell: (event) => tell(monotonic(), event.kind, told(event)),
  });
  let overflown = 0;
  /** What the kernel threw away since it was last told, because nobody read it in time. */
  const tellOverflow = (): void => {
    const { kernelDrops } = group;
    if (kernelDrops === null || kernelDrops === overflown) return;
    tell(monotonic(), "overflown", { datagrams: kernelDrops - overflown });
    overflown = kernelDrops;
  };
  live(config, (startAt) => {
    tellOverflow();
    group.again(entry.create(id, options), startAt);
  });
  tell(monotonic(), "joined", { election, ...options, group: config.group, port: config.port, startAt });
  const end = (): void => {
    group.request("leave");
    tellOverflow();
    const { sent, given, not } = group.counts;
    const counts = { sent: Object.fromEntries(sent), given: Object.fromEntries(given), not };
    tell(monotonic(), "ended", { ...counts, kernelDrops: group.kernelDrops });
    void group.close().then(() => process.exit(EXIT.passed));
  };
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
}

/** One life after another; a tenth of the time of each nobody lives, so that nothing comes of the last. */
function live({ startAt, lives, every }: MemberConfig, again: (startAt: Instant) => void): void {
  const first = Math.max(startAt, monotonic());
  const next = (life: number): void => {
    if (life === lives) return;
    const due = instant(first + life * every);
    const ends = due - every / 10;
    setTimeout(
      () => {
        again(due);
        next(life + 1);
      },
      Math.max(0, (ends - monotonic()) / 1e3),
    ).unref();
  };
  next(1);
}

function told({ kind: _kind, ...facts }: GroupEvent): object {
  return facts;
}
