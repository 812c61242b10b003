/**
 * What this machine can do: each ability is tried, not guessed, and what is missing comes with its remedy.
 * The last line says which engine and infrastructure a testbed would take here, and why.
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, release } from "node:os";
import Docker from "dockerode";
import {
  CannotRunHere,
  demandNamespaces,
  demandTun,
  isInstalled,
  isNetemHere,
  isRoot,
  type Program,
} from "./environment.ts";

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** What was found, or what to do about what was not. */
  readonly detail: string;
}

export interface Diagnosis {
  readonly findings: readonly Finding[];
  readonly engine: "netem" | "plane" | null;
  readonly reason: string;
}

export async function diagnose(): Promise<Diagnosis> {
  const namespaces = tried(
    "network namespaces",
    demandNamespaces,
    isRoot() ? "as root" : "in a user namespace",
  );
  const tun = tried("TUN devices", demandTun, "/dev/net/tun");
  const netem = isNetemHere();
  const programs = (["ip", "tc", "nsenter", "setpriv", "iperf3", "linux.uml", "dockerd"] as const).map(
    installed,
  );
  const findings = [
    { what: "kernel", ok: true, detail: `${release()}, ${availableParallelism()} processors` },
    { what: "TCP", ok: true, detail: tcp() },
    namespaces,
    tun,
    {
      what: "netem",
      ok: netem,
      detail: netem
        ? "delays packets"
        : "this kernel has no sch_netem; try modprobe sch_netem; the plane needs none",
    },
    realTime(),
    await daemon(),
    ...programs,
  ];
  if (!namespaces.ok) return { findings, engine: null, reason: namespaces.detail };
  if (netem) return { findings, engine: "netem", reason: "the kernel delays packets itself" };
  if (tun.ok) return { findings, engine: "plane", reason: "this kernel has no netem" };
  return { findings, engine: null, reason: `neither netem nor TUN devices: ${tun.detail}` };
}

export function printDiagnosis({ findings, engine, reason }: Diagnosis): string {
  const lines = findings.map(
    ({ what, ok, detail }) => `${ok ? "ok     " : "missing"} ${what.padEnd(20)} ${detail}`,
  );
  return [...lines, `engine: ${engine ?? "none"} (${reason})`].join("\n");
}

function tried(what: string, demand: () => void, detail: string): Finding {
  try {
    demand();
    return { what, ok: true, detail };
  } catch (error) {
    if (!(error instanceof CannotRunHere)) throw error;
    return { what, ok: false, detail: error.message };
  }
}

const PURPOSE: Readonly<Record<Program, string>> = {
  ip: "apt-get install iproute2: nothing runs without it",
  tc: "apt-get install iproute2: for the engine netem",
  nsenter: "apt-get install util-linux: nothing runs without it",
  unshare: "apt-get install util-linux: nothing runs without it",
  setpriv: "apt-get install util-linux: nothing runs without it",
  dockerd: "apt-get install docker.io: for the infrastructure docker where no daemon runs",
  "linux.uml": "apt-get install user-mode-linux: to test netem on a kernel without it",
  iperf3: "apt-get install iperf3: to measure bandwidth by another's tool",
};

function installed(program: Program): Finding {
  const ok = isInstalled(program);
  return { what: program, ok, detail: ok ? "installed" : PURPOSE[program] };
}

function tcp(): string {
  const read = (name: string): string => readFileSync(`/proc/sys/net/ipv4/${name}`, "utf8").trim();
  const most = (name: string): string => read(name).split(/\s+/).at(-1) ?? "?";
  const buffers = `at most ${most("tcp_rmem")} B received, ${most("tcp_wmem")} B sent are buffered`;
  return `${read("tcp_congestion_control")} (allowed: ${read("tcp_allowed_congestion_control")}), ${buffers}`;
}

/** Whether the plane may run ahead of others. */
function realTime(): Finding {
  const { status } = spawnSync("setpriv", ["--", "chrt", "--fifo", "1", "true"]);
  const ok = status === 0;
  const detail = ok
    ? "SCHED_FIFO is allowed: the plane is exact also when others compute"
    : "SCHED_FIFO is refused: the plane is exact only while a processor is free; run as root, or ulimit -r 1";
  return { what: "real-time threads", ok, detail };
}

async function daemon(): Promise<Finding> {
  const what = "docker daemon";
  try {
    const { Version } = await new Docker().version();
    return { what, ok: true, detail: `version ${Version} answers` };
  } catch {
    const canStart = isRoot() && isInstalled("dockerd");
    return {
      what,
      ok: canStart,
      detail: canStart ? "none runs; one of our own is started when needed" : PURPOSE.dockerd,
    };
  }
}
