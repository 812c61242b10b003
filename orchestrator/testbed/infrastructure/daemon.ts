/**
 * A Docker daemon to talk to: the one that runs, or one of our own where none does and root allows. Ours
 * keeps its data, its socket and its mounts to itself, and leaves with us.
 */

import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import Docker from "dockerode";
import { CannotRunHere, isInstalled, isRoot } from "../environment.ts";
import { DOCKER_LABEL, type Label, ownerLives } from "../label.ts";
import { labelledFolder, labelledGroup, removeGroup } from "../reaper.ts";
import { child, DIE_WITH_PARENT, labelled } from "../child.ts";

export interface Daemon extends AsyncDisposable {
  readonly docker: Docker;
  readonly isOurs: boolean;
  /** Of ours. */
  readonly pid: number | null;
}

/** A machine with much to do takes its time. */
const PATIENCE = 60_000;

export async function findDaemon(label: Label): Promise<Daemon> {
  const running = new Docker();
  if (await answers(running)) {
    return { docker: running, isOurs: false, pid: null, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  if (!isInstalled("dockerd")) {
    throw new CannotRunHere("no Docker daemon answers and dockerd is missing: apt-get install docker.io");
  }
  if (!isRoot()) {
    throw new CannotRunHere("no Docker daemon answers, and only root may start one: systemctl start docker");
  }
  return startDaemon(label);
}

/** Does a daemon run that we may talk to? */
export const isDaemonRunning = (): Promise<boolean> => answers(new Docker());

const answers = async (docker: Docker): Promise<boolean> => {
  try {
    await docker.ping();
    return true;
  } catch {
    return false;
  }
};

/** A machine of its own, as far as a daemon can tell. */
export interface DaemonPlace {
  /** A command prefix into its network. */
  readonly enter: readonly string[];
  readonly hostname: string;
}

/** Without a place it is on this host as any other. */
export async function startDaemon(label: Label, place?: DaemonPlace): Promise<Daemon> {
  const folder = labelledFolder("docker", label);
  const socket = join(folder, "socket");
  // A mount namespace of its own: whatever it mounts is gone when its last process is.
  const group = labelledGroup(label);
  const daemon = `dockerd --host unix://${socket} --bridge none --iptables=false --ip6tables=false`;
  const places = ["--data-root", join(folder, "data"), "--exec-root", join(folder, "exec")];
  const command = [
    ...(place?.enter ?? []),
    "unshare",
    "--mount",
    ...(place === undefined ? ["--"] : ["--uts", "--", "sh", "-c", APART, place.hostname]),
    ...DIE_WITH_PARENT,
    ...daemon.split(" "),
    ...places,
    "--cgroup-parent",
    `/${group}`,
    "--log-level",
    "error",
    "--pidfile",
    join(folder, "pid"),
  ];
  const started = child(command, { stdout: "ignore", env: labelled(label) });
  let complaint = "";
  started.stderr
    ?.setEncoding("utf8")
    .on("data", (text: string) => (complaint = (complaint + text).slice(-1000)));
  const docker = new Docker({ socketPath: socket });
  for (const end = Date.now() + PATIENCE; !(await answers(docker)); await pause(50)) {
    if (started.exitCode === null && Date.now() < end) continue;
    await stop(started, folder, group);
    throw new CannotRunHere(`dockerd does not start: ${complaint.trim().split("\n").at(-1) ?? ""}`);
  }
  return {
    docker,
    isOurs: true,
    pid: started.pid ?? null,
    [Symbol.asyncDispose]: () => stop(started, folder, group),
  };
}

/** Daemons keep their networks under one path. */
const APART = 'hostname "$0" && mkdir -p /run/docker && mount -t tmpfs none /run/docker && exec "$@"';

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

async function stop(daemon: ChildProcess, folder: string, group: string): Promise<void> {
  if (daemon.exitCode === null && daemon.signalCode === null) {
    const exited = new Promise((resolve) => daemon.once("exit", resolve));
    daemon.kill("SIGTERM");
    const timer = setTimeout(() => daemon.kill("SIGKILL"), 10_000);
    await exited;
    clearTimeout(timer);
  }
  rmSync(folder, { recursive: true, force: true });
  removeGroup(group);
}

/** Removes the containers of dead runs from a daemon that others use too. */
export async function reapContainers(docker: Docker): Promise<readonly string[]> {
  const ours = await docker.listContainers({ all: true, filters: { label: [DOCKER_LABEL] } });
  const dead = ours.filter(({ Labels }) => !ownerLives(Labels[DOCKER_LABEL] ?? ""));
  await Promise.all(dead.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  return dead.map(({ Names }) => `container ${Names.join(" ")}`);
}

/** The same for the daemon that runs, if one does. */
export async function reapRunningDaemon(): Promise<readonly string[]> {
  const docker = new Docker();
  return (await answers(docker)) ? reapContainers(docker) : [];
}
