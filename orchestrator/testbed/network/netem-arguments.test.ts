import assert from "node:assert/strict";
import test from "node:test";
import { microseconds, milliseconds } from "#node/core/time.ts";
import { type LinkShape, parseTopology } from "../../topology/topology.ts";
import { beyondNetem, difference, netemArguments } from "./netem-arguments.ts";

const plain: LinkShape = {
  delay: milliseconds(10.375),
  jitter: null,
  loss: 0,
  rate: Number.POSITIVE_INFINITY,
};
const jitter: LinkShape["jitter"] = {
  distribution: "pareto",
  scale: microseconds(208),
  halfLife: microseconds(0),
};

const table: [what: string, shape: LinkShape, ordered: boolean, told: string][] = [
  ["a plain delay", plain, true, "limit 100000 delay 10375us rate 0bit"],
  [
    "jitter in order needs a rate, high enough not to matter",
    { ...plain, jitter },
    true,
    "limit 100000 delay 10375us 208us distribution polebench-pareto rate 100000000000bit",
  ],
  [
    "jitter that may overtake has none, said aloud because a change would keep an old one",
    { ...plain, jitter },
    false,
    "limit 100000 delay 10375us 208us distribution polebench-pareto rate 0bit",
  ],
  [
    "twice, or wrong",
    { ...plain, duplicate: 0.01, corrupt: 0.02 },
    true,
    "limit 100000 delay 10375us duplicate 1% corrupt 2% rate 0bit",
  ],
  ["loss", { ...plain, loss: 0.001 }, true, "limit 100000 delay 10375us loss random 0.1% rate 0bit"],
  [
    "a rate limit has a queue of 250 ms: 217 packets at 10 Mbit/s, with those under way",
    { ...plain, rate: 10e6 },
    true,
    "limit 217 delay 10375us rate 10000000bit",
  ],
];

for (const [what, shape, ordered, told] of table) {
  test(what, () => assert.equal(netemArguments(shape, ordered).join(" "), told));
}

test("what the engine costs by itself is taken off, down to nothing", () => {
  assert.match(netemArguments(plain, true, 75).join(" "), /delay 10300us/);
  assert.match(netemArguments({ ...plain, delay: microseconds(50) }, true, 75).join(" "), /delay 0us/);
});

test("what is read back is compared, each parameter by itself", () => {
  const state = {
    kind: "netem",
    dev: "to1",
    options: { limit: 100_000, delay: { delay: 0.010375, jitter: 0.000208 }, rate: { rate: 12.5e9 } },
  };
  assert.equal(difference(state, { ...plain, jitter }, true), null);
  assert.equal(difference(state, { ...plain, jitter, loss: 0.1 }, true), "loss is 0 instead of 0.1");
  assert.equal(difference(state, plain, true), "jitter is 208 instead of 0");
  const forgotten = { ...state, options: { ...state.options, limit: 1000 } };
  assert.equal(difference(forgotten, { ...plain, jitter }, true), "limit is 1000 instead of 100000");
});

test("what netem cannot do is said in a sentence, with the engine that can", () => {
  const beyond = (yaml: string): string | null =>
    beyondNetem(parseTopology(`${yaml}sites: { a: { servers: [p1] }, b: }\nlinks: ${LINKS}`, "t.yaml"));
  const swings = "jitter: { distribution: normal, sd: 1ms, halfLife: 50ms }\n";
  assert.equal(beyond(""), null);
  assert.match(beyond(swings) ?? "", /^a to b: netem has no jitter with a half-life; use --engine plane$/);
  assert.match(beyond("multicastLoss: shared\n") ?? "", /no multicast between machines; use --engine plane$/);
});

const LINKS = "[{ between: [a, b], rtt: 20ms }]\n";
