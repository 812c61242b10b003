/**
 * What the tests of a suite share because it takes long to start: a Docker daemon, with the images that are
 * built in it. The runner of the tests starts it when the first test file that says `with docker` begins,
 * tells the files where it is, and ends it after the last; a file that is run by itself starts its own.
 */

import Docker from "dockerode";
import { type Daemon, findDaemon } from "../testbed/infrastructure/daemon.ts";
import { newLabel } from "../testbed/label.ts";

export type Fixture = "docker";

/** The environment variables that tell where the suite's are. */
export const VARIABLES: Readonly<Record<Fixture, string>> = { docker: "POLEBENCH_SUITE_DOCKER" };

interface Shared extends AsyncDisposable {
  /** What the files are told. */
  readonly address: string;
}

/** Starts one for a suite; it does not outlive whoever calls. */
export const START: Readonly<Record<Fixture, () => Promise<Shared>>> = {
  docker: async () => {
    const daemon = await findDaemon(newLabel());
    return { address: socketOf(daemon), [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() };
  },
};

/**
 * The suite's daemon, or one of our own. Until it is disposed of, whoever looks for a daemon finds this one.
 */
export async function useDaemon(): Promise<Daemon> {
  const suites = process.env[VARIABLES.docker];
  const daemon = await (suites === undefined ? findDaemon(newLabel()) : daemonAt(suites));
  const before = process.env["DOCKER_HOST"];
  process.env["DOCKER_HOST"] = `unix://${socketOf(daemon)}`;
  return {
    docker: daemon.docker,
    isOurs: daemon.isOurs,
    pid: daemon.pid,
    [Symbol.asyncDispose]: async () => {
      if (before === undefined) delete process.env["DOCKER_HOST"];
      else process.env["DOCKER_HOST"] = before;
      await daemon[Symbol.asyncDispose]();
    },
  };
}

const daemonAt = (socketPath: string): Daemon => ({
  docker: new Docker({ socketPath }),
  isOurs: false,
  pid: null,
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

export function socketOf({ docker }: Pick<Daemon, "docker">): string {
  const { socketPath } = docker.modem as { readonly socketPath?: string };
  if (socketPath === undefined)
    throw new Error("the Docker daemon is not reached by a socket of this machine");
  return socketPath;
}
