/**
 * The ways in which an ensemble loses its leader, each of which it notices by other signs. What ends each
 * again comes so late that another has led for long, and is for whoever was kept from serving its clients.
 */

import type { Topology } from "../topology/topology.ts";

export interface Kill {
  /** In words for people. */
  readonly title: string;
  /** As `fault/words.ts` reads them, without their times; the end is said of each site where it names one. */
  readonly fault: string;
  readonly end: string;
}

export const KILLS = {
  process: {
    title: "kill -9: its machine lives, and ends its connections",
    fault: "crash leader",
    end: "restart crashed",
  },
  machine: {
    title: "its machine is gone: nothing comes from it any more",
    fault: "crash-machine leader",
    end: "restart crashed",
  },
  "one-way": {
    title: "what it sends to other servers is lost, what they send arrives",
    fault: "cut-one-way leader",
    end: "heal",
  },
  pause: {
    title: "it stands still (SIGSTOP), and its kernel acknowledges what it is sent",
    fault: "pause leader",
    end: "resume site:SITE",
  },
  disk: {
    title: "its disk is stuck: no write and no sync returns",
    fault: "disk-stuck leader",
    end: "disk-mended site:SITE",
  },
  apart: {
    title: "it is cut off from all other servers, and its clients reach it",
    fault: "cut leader",
    end: "heal",
  },
} as const satisfies Record<string, Kill>;

export type KillKind = keyof typeof KILLS;
export const KILL_KINDS = Object.keys(KILLS) as readonly KillKind[];

/** Seconds of the load. */
export const KILL_AT = 4;
const AFTERWARDS = 6;

export const killDuration = (holdSeconds: number): number => KILL_AT + holdSeconds + AFTERWARDS;

/** As a plan is told them. */
export function killWords(kind: KillKind, { sites }: Pick<Topology, "sites">, holdSeconds: number): string[] {
  const { fault, end } = KILLS[kind];
  const where = [...sites.values()].filter(({ servers }) => servers.length > 0).map(({ name }) => name);
  const ends = end.includes("SITE") ? where.map((site) => end.replace("SITE", site)) : [end];
  return [`${KILL_AT}s ${fault}`, ...ends.map((one) => `${KILL_AT + holdSeconds}s ${one}`)];
}
