/**
 * What this machine can do: each ability is tried, not guessed, and what is missing comes with its remedy.
 * The last lines say which engine a testbed would take here, and why, and where trials can run.
 */

import { readFileSync } from "node:fs";
import { availableParallelism, release } from "node:os";
import Docker from "dockerode";
import type { Runtime } from "../plan/plan.ts";
import {
  CannotRunHere,
  demandNamespaces,
  demandTun,
  isInstalled,
  isKazooHere,
  isNetemHere,
  isRoot,
  KAZOO_PACKAGE,
  type Program,
} from "../testbed/environment.ts";
import { SYSTEM_NAMES, type SystemName, SYSTEMS } from "../system/catalog.ts";
import { succeeds } from "../testbed/child.ts";

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
  /** As `make run RUNTIME=` takes them; virtual time needs nothing of all this. */
  readonly runtimes: readonly Runtime[];
}

export async function diagnose(): Promise<Diagnosis> {
  const namespaces = tried(
    "network namespaces",
    demandNamespaces,
    isRoot() ? "as root" : "in a user namespace",
  );
  const tun = tried("TUN devices", demandTun, "/dev/net/tun");
  const netem = isNetemHere();
  const programs = (
    ["ip", "tc", "nsenter", "setpriv", "iperf3", "linux.uml", "dockerd", "java"] as const
  ).map(installed);
  const docker = await daemon();
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
    docker,
    ...programs,
    ...SYSTEM_NAMES.map(system),
    kazoo(),
  ];
  const none: Diagnosis = { findings, engine: null, reason: namespaces.detail, runtimes: ["sim"] };
  if (!namespaces.ok) return none;
  const runtimes: Runtime[] = [...(docker.ok ? (["docker"] as const) : []), "netns", "sim"];
  if (netem) return { findings, engine: "netem", reason: "the kernel delays packets itself", runtimes };
  if (tun.ok) return { findings, engine: "plane", reason: "this kernel has no netem", runtimes };
  return { ...none, reason: `neither netem nor TUN devices: ${tun.detail}` };
}

export function printDiagnosis({ findings, engine, reason, runtimes }: Diagnosis): string {
  const lines = findings.map(
    ({ what, ok, detail }) => `${ok ? "ok     " : "missing"} ${what.padEnd(20)} ${detail}`,
  );
  const instead = engine === null ? "; make run RUNTIME=sim takes seconds and needs none of this" : "";
  const chosen = [`engine: ${engine ?? "none"} (${reason})`, `runtimes: ${runtimes.join(", ")}${instead}`];
  return [...lines, ...chosen].join("\n");
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
  java: "apt-get install default-jre-headless: for SYSTEM=zookeeper",
  etcd: "apt-get install etcd-server: for SYSTEM=etcd",
  "mkfs.ext4": "apt-get install e2fsprogs: for the fault disk-stuck",
  mount: "apt-get install mount: for the fault disk-stuck",
  fsfreeze: "apt-get install util-linux: for the fault disk-stuck",
};

function installed(program: Program): Finding {
  const ok = isInstalled(program);
  return { what: program, ok, detail: ok ? "installed" : PURPOSE[program] };
}

function system(name: SystemName): Finding {
  const missing = SYSTEMS[name].missing();
  return { what: name, ok: missing === null, detail: missing ?? `installed: for SYSTEM=${name}` };
}

function kazoo(): Finding {
  const ok = isKazooHere();
  return { what: "kazoo", ok, detail: ok ? "installed" : `${KAZOO_PACKAGE}: for CLIENT=kazoo` };
}

function tcp(): string {
  const read = (name: string): string => readFileSync(`/proc/sys/net/ipv4/${name}`, "utf8").trim();
  const most = (name: string): string => read(name).split(/\s+/).at(-1) ?? "?";
  const buffers = `at most ${most("tcp_rmem")} B received, ${most("tcp_wmem")} B sent are buffered`;
  return `${read("tcp_congestion_control")} (allowed: ${read("tcp_allowed_congestion_control")}), ${buffers}`;
}

/** Whether the plane may run ahead of others. */
function realTime(): Finding {
  const ok = succeeds("setpriv", "--", "chrt", "--fifo", "1", "true");
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
