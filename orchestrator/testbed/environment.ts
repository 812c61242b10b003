/** What this machine lacks, said in one line with its remedy; the command ends with exit code 3. */

import { accessSync, constants } from "node:fs";
import { execaSync } from "execa";
import { succeeds } from "./child.ts";
import { EXIT } from "#node/core/exit-code.ts";

export class CannotRunHere extends Error {
  override readonly name = "CannotRunHere";
  readonly exitCode = EXIT.cannotRun;
}

/** The remedy for each program that we run but do not bring. */
const DEBIAN_PACKAGE = {
  ip: "iproute2",
  tc: "iproute2",
  nsenter: "util-linux",
  unshare: "util-linux",
  setpriv: "util-linux",
  dockerd: "docker.io",
  "linux.uml": "user-mode-linux",
  iperf3: "iperf3",
  java: "default-jre-headless",
  etcd: "etcd-server",
  "mkfs.ext4": "e2fsprogs",
  mount: "mount",
  fsfreeze: "util-linux",
} as const;

export type Program = keyof typeof DEBIAN_PACKAGE;

export function isInstalled(program: Program): boolean {
  const path = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`;
  return path.split(":").some((folder) => {
    try {
      accessSync(`${folder}/${program}`, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export function demand(...programs: readonly Program[]): void {
  for (const program of programs) {
    if (isInstalled(program)) continue;
    const name = DEBIAN_PACKAGE[program];
    throw new CannotRunHere(`${program} is missing: apt-get install ${name}, or your system's package of it`);
  }
}

export const isRoot = (): boolean => process.getuid?.() === 0;

/** Without root everything happens in a user namespace; some systems forbid those. */
export function demandNamespaces(rootless = !isRoot()): void {
  demand("ip", "nsenter", "setpriv", "unshare");
  if (!rootless) {
    const tried = execaSync("unshare", ["--net", "true"], { reject: false });
    if (tried.exitCode !== 0) {
      throw new CannotRunHere(
        `root may not make network namespaces (${tried.stderr.trim()}): give the container CAP_SYS_ADMIN`,
      );
    }
    return;
  }
  const tried = execaSync("unshare", ["--user", "--map-root-user", "--net", "true"], { reject: false });
  if (tried.exitCode !== 0) {
    throw new CannotRunHere(
      `no user namespaces here (${tried.stderr.trim()}): run as root without --rootless, or allow ` +
        "them with sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces=1000 and " +
        "kernel.apparmor_restrict_unprivileged_userns=0",
    );
  }
}

export function demandTun(): void {
  try {
    accessSync("/dev/net/tun", constants.F_OK);
  } catch {
    throw new CannotRunHere(
      "/dev/net/tun is missing: modprobe tun; in a container: --device /dev/net/tun --cap-add NET_ADMIN",
    );
  }
  try {
    accessSync("/dev/net/tun", constants.R_OK | constants.W_OK);
  } catch {
    throw new CannotRunHere("/dev/net/tun may not be opened: run as root, or chmod 666 /dev/net/tun");
  }
}

/** Whether Debian's Python has it, as the clients of `CLIENT=kazoo` are run. */
export const isKazooHere = (): boolean => succeeds("/usr/bin/python3", "-c", "import kazoo");

export const KAZOO_PACKAGE = "apt-get install python3-kazoo";

/** Whether this kernel delays packets by itself, found out by having it delay some. */
export function isNetemHere(): boolean {
  if (!isInstalled("tc") || !isInstalled("unshare")) return false;
  const attempt =
    "ip link add dev here type veth peer name there && tc qdisc add dev here root netem delay 1ms";
  const user = isRoot() ? [] : ["--user", "--map-root-user"];
  return succeeds("unshare", ...user, "--net", "sh", "-c", attempt);
}
