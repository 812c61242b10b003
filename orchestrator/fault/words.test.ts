import assert from "node:assert/strict";
import test, { suite } from "node:test";
import fc from "fast-check";
import { serverId } from "#node/core/identity.ts";
import { microseconds } from "#node/core/time.ts";
import { loadTopology } from "../topology/topology.ts";
import { ABILITY_OF, type End, type Fault, type FaultKind, serversOf, type Target } from "./fault.ts";
import { mayBend, parseFault, printTimedFault } from "./words.ts";

const topology = loadTopology("3dc");

const SAID = [
  "60s crash leader",
  "60s crash-machine p4",
  "60s leave leader",
  "1.5s pause site:slac",
  "65s resume site:slac",
  "90s restart crashed",
  "60s transfer p2",
  "60s cut p1 p4",
  "60s cut leader",
  "60s cut site:fnal",
  "60s cut-one-way p1 p4",
  "80s heal",
  "80s heal p1 p4",
  "80s heal site:fnal",
  "60s forget-bulk p1 p4",
  "60s forget-any slac p2",
  "60s link slac fnal 100ms",
  "60s link p1 slac 100ms",
  "60s loss slac fnal 5%",
  "60s duplicate p1 p4 0.5%",
  "60s corrupt p1 slac 100%",
  "60s rate slac fnal 10mbit",
  "60s rate slac fnal 1.5kbit",
  "70s rate slac fnal unlimited",
  "60s disk-full p3",
  "60s disk-failing leader",
  "60s disk-torn p3",
  "70s disk-slow site:slac 200ms",
  "60s disk-stuck leader",
  "60s disk-wiped p3",
  "90s disk-mended crashed",
  "80s clock-jump p1 +5s",
  "80s clock-jump p1 -0.25s",
  "80s clock-leap site:slac 5s",
];

suite("faults as they are said", () => {
  test("every kind is printed as it is said", () => {
    for (const text of SAID) {
      const parsed = parseFault(text, topology);
      assert.ok(typeof parsed !== "string", `${text}: ${JSON.stringify(parsed)}`);
      assert.equal(printTimedFault(parsed), text);
    }
    const kinds = new Set(SAID.map((text) => text.split(" ")[1]));
    assert.deepEqual(kinds, new Set(Object.keys(ABILITY_OF)));
  });

  test("whatever is printed is read as the same", () => {
    fc.assert(
      fc.property(times, anyFault, (at, fault) => {
        const text = printTimedFault({ at: microseconds(at), fault });
        assert.deepEqual(parseFault(text, topology), { at, fault }, text);
      }),
      { numRuns: 2000 },
    );
  });

  const refused: [text: string, problem: RegExp][] = [
    ["60 crash leader", /begins with no time such as 60s/],
    ["60s crush leader", /did you mean "crash"\?/],
    ["60s constructor p1", /"constructor" is no fault/],
    ["60s disc-full p1", /did you mean "disk-full"\?/],
    ["60s crash p6", /"p6" is nothing to aim at/],
    ["60s crash", /crash takes one target/],
    ["60s pause site:slak", /unknown site "slak", did you mean "slac"\?/],
    ["60s link slac cern 10ms", /unknown site "cern"/],
    ["60s link slac p9 10ms", /unknown site "p9"/],
    ["60s link slac fnal 10", /"10" is no round-trip time/],
    ["60s link slac slac 10ms", /"60s link slac slac 10ms" links slac to itself/],
    ["60s cut p1 p1", /"60s cut p1 p1" cuts p1 off from itself/],
    ["60s cut p1 p2 p3", /cut takes one target or two/],
    ["60s heal p1 p2 p3", /heal takes nothing, one target or two/],
    ["60s heal p9", /"p9" is nothing to aim at/],
    ["60s loss slac fnal 5", /"5" is no share from 0% to 100%/],
    ["60s corrupt slac fnal 101%", /"101%" is no share from 0% to 100%/],
    ["60s duplicate p1 p1 1%", /takes duplicate from p1 to itself/],
    ["60s loss slac 5%", /loss takes two sites or servers and a share such as 5%/],
    ["60s rate slac fnal 10", /"10" is no rate such as 10mbit, nor unlimited/],
    ["60s rate slac fnal 0bit", /"0bit" is no rate/],
    ["60s forget-bulk p1", /forget-bulk takes two sites or servers/],
    ["60s forget-any p1 p1", /forgets connections from p1 to itself/],
    ["60s disk-full", /disk-full takes one target/],
    ["60s disk-slow p1", /disk-slow takes one target and a time such as 200ms/],
    ["60s disk-slow p1 slowly", /"slowly" is no time of a write such as 200ms/],
    ["60s clock-jump p1 5", /"5" is no jump such as \+5s or -5s/],
    ["60s clock-leap p1 -5s", /"-5s" is no time that a clock leaps ahead, such as 5s/],
  ];
  for (const [text, problem] of refused) {
    test(`refused: ${text}`, () => {
      const parsed = parseFault(text, topology);
      assert.ok(typeof parsed === "string", JSON.stringify(parsed));
      assert.match(parsed, problem);
    });
  }

  test("which ones need a server that can be told to go wrong is known before they are understood", () => {
    assert.deepEqual(
      ["60s disk-full p9", "1s clock-jump p1 +5s", "60s disk-wiped p1", "60s crash p1", "60s nonsense"].map(
        mayBend,
      ),
      [true, true, false, false, false],
    );
  });
});

test("a target is resolved when its time comes", () => {
  const now = { topology, leader: serverId(5), crashed: [serverId(2)] };
  const at = (text: string) => {
    const parsed = parseFault(text, topology);
    assert.ok(typeof parsed !== "string" && "target" in parsed.fault);
    return serversOf(parsed.fault.target, now);
  };
  assert.deepEqual(at("1s crash leader"), [5]);
  assert.deepEqual(at("1s restart crashed"), [2]);
  assert.deepEqual(at("1s pause site:slac"), [2, 3]);
  assert.deepEqual(serversOf({ kind: "leader" }, { ...now, leader: null }), []);
});

const times = fc.integer({ min: 0, max: 3600e6 });
const durations = times.map(microseconds);
const ends = fc.constantFrom<End>(
  ...[...topology.servers.keys()].map((server): End => ({ kind: "server", server })),
  ...[...topology.sites.keys()].map((site): End => ({ kind: "site", site })),
);
const targets = fc.oneof(ends, fc.constantFrom<Target>({ kind: "leader" }, { kind: "crashed" }));
const two = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<{ readonly from: T; readonly to: T }> =>
  fc
    .tuple(of, of)
    .filter(([from, to]) => JSON.stringify(from) !== JSON.stringify(to))
    .map(([from, to]) => ({ from, to }));
const aimed = fc.constantFrom(
  "crash",
  "crash-machine",
  "pause",
  "resume",
  "restart",
  "transfer",
  "disk-full",
  "disk-failing",
  "disk-torn",
  "disk-stuck",
  "disk-wiped",
  "disk-mended",
);
const anyFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.tuple(aimed, targets).map(([kind, target]): Fault => ({ kind, target })),
  two(targets).map((ways): Fault => ({ kind: "cut", ...ways })),
  targets.map((from): Fault => ({ kind: "cut-one-way", from, to: null })),
  fc.constant<Fault>({ kind: "heal", from: null, to: null }),
  two(targets).map((ways): Fault => ({ kind: "heal", ...ways })),
  fc
    .tuple(fc.constantFrom("forget-bulk", "forget-any"), two(ends))
    .map(([kind, ways]): Fault => ({ kind, ...ways })),
  fc.tuple(two(ends), durations).map(([ways, roundTrip]): Fault => ({ kind: "link", ...ways, roundTrip })),
  fc
    .tuple(fc.constantFrom("loss", "duplicate", "corrupt"), two(ends), fc.integer({ min: 0, max: 1e6 }))
    .map(([kind, ways, millionths]): Fault => ({ kind, ...ways, share: millionths / 1e6 })),
  fc
    .tuple(two(ends), fc.oneof(fc.integer({ min: 1, max: 1e11 }), fc.constant(Infinity)))
    .map(([ways, bitsPerSecond]): Fault => ({ kind: "rate", ...ways, bitsPerSecond })),
  fc.tuple(targets, durations).map(([target, by]): Fault => ({ kind: "disk-slow", target, by })),
  fc.tuple(targets, durations).map(([target, by]): Fault => ({ kind: "clock-leap", target, by })),
  fc
    .tuple(targets, fc.integer({ min: -3600e6, max: 3600e6 }))
    .map(([target, by]): Fault => ({ kind: "clock-jump", target, by: microseconds(by) })),
) satisfies fc.Arbitrary<{ readonly kind: FaultKind }>;
