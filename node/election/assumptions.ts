/**
 * Where an election is right, and where it is asked to run. What contradicts is said in a sentence, before
 * anything starts.
 */

import { type Medium, mediaOf } from "./medium/catalog.ts";

export type Failures = "none" | "crash" | "crash-recovery";
export type Messages = "reliable" | "lossy";
export type Timing = "asynchronous" | "partially synchronous" | "rounds";

export interface Assumptions {
  readonly medium: Medium;
  readonly failures: Failures;
  readonly messages: Messages;
  readonly timing: Timing;
}

/** What an election meets where it is to run. */
export interface Surroundings {
  /** Media that there are. */
  readonly media: readonly Medium[];
  readonly failures: Failures;
  readonly messages: Messages;
  /** Does everybody step at once, a round after another? */
  readonly rounds: boolean;
  /** How many there are, where that is known. */
  readonly servers?: number;
}

const WORSE: readonly Failures[] = ["none", "crash", "crash-recovery"];

/** One sentence for each assumption that does not hold. */
export function contradictions(name: string, assumes: Assumptions, around: Surroundings): readonly string[] {
  const { medium, failures, messages, timing } = assumes;
  const found: string[] = [];
  if (!around.media.includes(medium)) {
    found.push(`the election ${name} speaks over ${medium}, and here it has only ${around.media.join(", ")}`);
  }
  if (medium === "ring" && around.servers === 1) {
    found.push(`the election ${name} assumes a ring, and here one server is alone: a ring has two or more`);
  }
  if (WORSE.indexOf(around.failures) > WORSE.indexOf(failures)) {
    const most = failures === "none" ? "that nobody fails" : "that who has crashed stays away";
    const met = around.failures === "crash" ? "servers crash" : "crashed servers come back";
    found.push(`the election ${name} assumes ${most}, and here ${met}`);
  }
  if (messages === "reliable" && around.messages === "lossy") {
    found.push(`the election ${name} assumes that every message arrives, and here some are lost`);
  }
  if (timing === "rounds" && !around.rounds) {
    found.push(
      `the election ${name} assumes rounds in which all step together, and here nobody waits for them`,
    );
  }
  return found;
}

/** A server of an ensemble; who starts one is not asked what will fail. */
export const SERVER: Surroundings = {
  media: mediaOf("server"),
  failures: "none",
  messages: "reliable",
  rounds: false,
};

/** Whoever tries servers hard: they crash and come back, and connections break. */
export const HARD: Surroundings = { ...SERVER, failures: "crash-recovery", messages: "lossy" };
