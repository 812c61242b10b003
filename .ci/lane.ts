// What a test file asks of the machine while it runs. It says so in its first line, so that the line goes
// wherever the file goes:
//
//   // lane: alone, 45 s: a certificate is about the network only where nothing else disturbs it
//   // lane: quiet, 30 s: when a fault takes hold is a moment that another test must not move
//   // lane: waits, 30 s, with docker
//
// alone: nothing else runs meanwhile. quiet: looks at moments, and leaves a processor idle most of the time;
// so one a processor, and nobody who computes. Both say why. waits: mostly for others, so several run beside
// what computes. works: computes; so does whatever says nothing. The seconds are about how long it takes, and
// who takes longest begins first. Who is `with` something shares it with others, and finds it started.
import type { Fixture } from "../orchestrator/testing/suite-fixtures.ts";

export const LANES = ["works", "waits", "quiet", "alone"] as const;
export type Lane = (typeof LANES)[number];

export interface Need {
  readonly lane: Lane;
  readonly seconds: number;
  readonly fixture?: Fixture;
}

const FIXTURES: readonly Fixture[] = ["docker"];
const SAYS = /^\/\/ lane:/;
const MARK = /^\/\/ lane: (?<lane>[a-z]+), (?<seconds>\d+) s(?:, with (?<fixture>\w+))?(?<why>: \S.*)?$/;
const UNSAID: Need = { lane: "works", seconds: 1 };

export function needOf(path: string, text: string): Need {
  const [first = ""] = text.split("\n", 1);
  if (!SAYS.test(first)) return UNSAID;
  const { lane: said = "", seconds = "", fixture: wanted, why } = MARK.exec(first)?.groups ?? {};
  const lane = LANES.find((each) => each === said);
  if (lane === undefined)
    throw new Error(`${path}:1: "${first}" should be like "// lane: waits, 30 s", of ${LANES.join(", ")}`);
  if ((lane === "alone" || lane === "quiet") && why === undefined)
    throw new Error(`${path}:1: who runs ${lane} says why: "// lane: ${lane}, ${seconds} s: ..."`);
  const fixture = FIXTURES.find((each) => each === wanted);
  if (wanted !== undefined && fixture === undefined)
    throw new Error(`${path}:1: there is no "${wanted}" to share, there are ${FIXTURES.join(", ")}`);
  return { lane, seconds: Number(seconds), ...(fixture !== undefined && { fixture }) };
}
