/**
 * What the commands do that are about the testbed alone: calibrate, up, clean. `main.ts` only declares them.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { release } from "node:os";
import { dirname } from "node:path";
import { loadTopology } from "../topology/topology.ts";
import { EXIT } from "#node/core/exit-code.ts";
import { interruption, unlessInterrupted } from "../terminal/interrupted.ts";
import { benchPlane } from "../bench/plane/bench.ts";
import { isMet, type Line, printLine } from "../bench/plane/line.ts";
import { numberOf, recordOfPlain } from "../book/plain.ts";
import type { BookRecord } from "../book/record.ts";
import { enter } from "../book/store.ts";
import { commandLine } from "./command-line.ts";
import { diagnose, printDiagnosis } from "./doctor.ts";
import Docker from "dockerode";
import { reapSwarm } from "../sweep/swarm/remains.ts";
import { findDaemon, reapRunningDaemon } from "../testbed/infrastructure/daemon.ts";
import { provideImage, provideSweepImage } from "../testbed/infrastructure/image.ts";
import { newLabel } from "../testbed/label.ts";
import { printCertificate } from "../testbed/network/certificate-text.ts";
import type { EngineName } from "../testbed/network/network.ts";
import { reap } from "../testbed/reaper.ts";
import { openTestbed, type TestbedOptions } from "../testbed/testbed.ts";

export interface BedFlags {
  readonly engine?: EngineName;
  readonly infrastructure?: "netns" | "docker";
  readonly rootless?: boolean;
  readonly precise?: boolean;
  readonly socketBuffers?: number;
  readonly congestionControl?: string;
}

const bedOptions = (topology: string, flags: BedFlags): TestbedOptions => ({
  topology: loadTopology(topology),
  ...flags,
});

export interface CalibrateFlags extends BedFlags {
  readonly bandwidth: number;
  readonly rounds: number;
  readonly json?: boolean;
}

const STORE = "reports/calibration";

/** Opens a testbed, certifies its network, prints and stores the certificate; the exit code. */
export async function calibrate(topology: string, flags: CalibrateFlags): Promise<number> {
  const { bandwidth, rounds, json, ...bedFlags } = flags;
  using stop = interruption();
  console.error(`${topology}: network`);
  await using testbed = await openTestbed(bedOptions(topology, bedFlags));
  console.error(`${topology}: calibration`);
  const asked = { rounds, bandwidthSeconds: bandwidth, socketBuffers: flags.socketBuffers ?? null };
  const certificate = await unlessInterrupted(stop.signal, () =>
    testbed.certify({ ...asked, multicast: testbed.network.engine === "plane" }),
  );
  mkdirSync(STORE, { recursive: true });
  const file = `${STORE}/${certificate.topology}-${certificate.engine}-${certificate.infrastructure}.json`;
  writeFileSync(file, `${JSON.stringify(certificate, null, 2)}\n`);
  console.log(json === true ? JSON.stringify(certificate) : printCertificate(certificate));
  console.error(`stored in ${file}`);
  return certificate.verdict === "valid" ? EXIT.passed : EXIT.failed;
}

/** Keeps a testbed up and says how to look into it from outside, until it is interrupted. */
export async function up(topology: string, flags: BedFlags): Promise<number> {
  using stop = interruption();
  await using testbed = await openTestbed(bedOptions(topology, flags));
  for (const machine of testbed.machines.values()) {
    const enter = testbed.infrastructure.enter(machine).join(" ");
    console.log(
      `${machine.name.padEnd(20)} ${machine.site.padEnd(12)} ${machine.address.padEnd(12)} ${enter}`,
    );
  }
  console.error(`${testbed.topology.name} is up, engine ${testbed.network.engine}; Ctrl-C ends it`);
  if (!stop.signal.aborted) await once(stop.signal, "abort");
  return EXIT.passed;
}

export async function clean(): Promise<number> {
  const removed = [...reap(), ...(await reapRunningDaemon()), ...(await reapSwarm(new Docker()))];
  for (const what of removed) console.log(`removed ${what}`);
  return EXIT.passed;
}

/** Prints what this machine can do; 3 when no testbed can be opened here. */
export async function doctor(json: boolean): Promise<number> {
  const diagnosis = await diagnose();
  console.log(json ? JSON.stringify(diagnosis) : printDiagnosis(diagnosis));
  return diagnosis.engine === null ? EXIT.cannotRun : EXIT.passed;
}

const BENCH = "reports/bench-plane/plane.json";

/** Measures the plane; 1 when something that was promised is not kept here. */
export async function bench(json: boolean, repetitions: number): Promise<number> {
  using stop = interruption();
  const lines = await benchPlane(repetitions, stop.signal, (known, repetition) => {
    if (json) return;
    console.log([`After ${repetition} of ${repetitions}:`, ...known.map(printLine)].join("\n"));
  });
  mkdirSync(dirname(BENCH), { recursive: true });
  const document = JSON.stringify({ version: 2, kernel: release(), repetitions, lines }, null, 2);
  writeFileSync(BENCH, `${document}\n`);
  if (lines.length > 0) enter("reports", dirname(BENCH), recordOfPlane(lines, repetitions));
  if (json) console.log(document);
  console.error(`stored in ${BENCH}`);
  return lines.every(isMet) ? EXIT.passed : EXIT.failed;
}

function recordOfPlane(lines: readonly Line[], repetitions: number): BookRecord {
  const better = ({ asked }: Line) => (asked === null ? null : "most" in asked ? "less" : "more");
  return recordOfPlain({
    kind: "plane",
    what: `the packet plane, ${repetitions} repetitions`,
    command: commandLine(),
    asked: [],
    reasons: [],
    numbers: Object.fromEntries(
      lines.map((line) => [line.what, numberOf(line.values, line.unit, better(line))]),
    ),
  });
}

/** Builds the replica's image on the daemon that runs, or that of a sweep's tasks. */
export async function image(base: "any" | "own", isOfSweep: boolean): Promise<number> {
  await using daemon = await findDaemon(newLabel());
  const { name, remark } = await (isOfSweep ? provideSweepImage : provideImage)(daemon.docker, base);
  console.log(`${name}: ${remark}`);
  if (daemon.isOurs) console.error("no daemon ran, so one was started for this, and the image left with it");
  return EXIT.passed;
}
