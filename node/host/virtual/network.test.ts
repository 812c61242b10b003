import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ServerId, serverId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import { type Duration, type Instant, milliseconds, seconds } from "../../core/time.ts";
import type { Channel } from "../../replica/message.ts";
import { Agenda } from "./agenda.ts";
import type { LinkShape } from "./link.ts";
import { Network, type NetworkShape } from "./network.ts";

const [one, two, three] = [serverId(1), serverId(2), serverId(3)];

/** A network of steady links of 10 ms one way, and the story of what its processes were told. */
class Story {
  readonly agenda = new Agenda();
  readonly network: Network;
  readonly lines: string[] = [];
  readonly #servers: readonly ServerId[];
  /** How many were sent on the present connection, as the sender sees it, by direction. */
  readonly #sent = new Map<string, number>();

  constructor(size: number, link: Partial<LinkShape> = {}, shape: Partial<NetworkShape> = {}, seed = 1) {
    this.#servers = [one, two, three].slice(0, size);
    const tell = (line: string): void => void this.lines.push(`${this.agenda.now / 1000} ms: ${line}`);
    const steady: LinkShape = { delay: milliseconds(10), jitter: 0, ...link };
    const whole: NetworkShape = { link: () => steady, resend: 0 as Duration, ...shape };
    this.network = new Network(this.#servers, whole, this.agenda, new Random(seed), {
      connected: (server, peer) => {
        this.#sent.set(`${server} ${peer}`, 0);
        tell(`${server} is connected to ${peer}`);
      },
      unreachable: (server, peer) => tell(`${peer} is unreachable for ${server}`),
      arrived: (server, from, { hash }) => tell(`${server} hears ${hash} from ${from}`),
    });
  }

  /** All servers begin at once and connect. */
  static whole(size: number, ...rest: [Partial<LinkShape>?, Partial<NetworkShape>?, number?]): Story {
    const story = new Story(size, ...rest);
    for (const server of story.#servers) story.network.begin(server);
    story.pass(500);
    story.lines.length = 0;
    return story;
  }

  send(from: ServerId, to: ServerId, name: number, channel: Channel = "bulk", size = 10): void {
    this.network.send(from, to, { bytes: new Uint8Array(size), hash: name }, channel);
  }

  /** Sends the next number of this connection. */
  sendNext(from: ServerId, to: ServerId): void {
    const name = this.#sent.get(`${from} ${to}`) ?? 0;
    this.#sent.set(`${from} ${to}`, name + 1);
    this.send(from, to, name);
  }

  cut(...pairs: [ServerId, ServerId][]): void {
    for (const [from, to] of pairs) this.network.cut(from, to);
  }

  heal(...pairs: [ServerId, ServerId][]): void {
    for (const [from, to] of pairs) this.network.heal(from, to);
  }

  pass(ms: number): void {
    const end = (this.agenda.now + milliseconds(ms)) as Instant;
    while (this.agenda.next <= end) this.agenda.advance();
    this.agenda.idle(end);
  }

  /** What happened since it was last asked. */
  happened(): string[] {
    return this.lines.splice(0);
  }
}

test("it takes a round trip to be connected; the other side knows half a round trip later", () => {
  const story = new Story(2);
  story.network.begin(one);
  story.network.begin(two);
  story.pass(500);
  deepEqual(story.happened(), ["20 ms: 2 is connected to 1", "30 ms: 1 is connected to 2"]);
});

test("who is not there yet is dialed again and again", () => {
  const story = new Story(2);
  story.network.begin(two);
  story.pass(5000);
  deepEqual(story.happened(), []);
  story.network.begin(one);
  story.pass(1100);
  equal(story.happened().length, 2);
});

test("a process that dies is unreachable after one way's delay, a machine that dies never by itself", () => {
  const story = Story.whole(3);
  story.network.processDied(two);
  story.pass(100);
  deepEqual(story.happened(), ["510 ms: 2 is unreachable for 1", "510 ms: 2 is unreachable for 3"]);
  story.network.machineDied(three);
  story.pass(60_000);
  deepEqual(story.happened(), []);
});

test("what a machine had sent is lost with it", () => {
  const story = Story.whole(3);
  story.send(one, two, 1);
  story.pass(5);
  story.send(one, three, 2);
  story.pass(8);
  story.network.machineDied(one);
  story.pass(20_000);
  deepEqual(story.happened(), ["510 ms: 2 hears 1 from 1"]);
});

test("who sends to a dead machine gives up after 30 s", () => {
  const story = Story.whole(2);
  story.network.machineDied(one);
  story.send(two, one, 7);
  story.pass(60_000);
  deepEqual(story.happened(), ["30510 ms: 1 is unreachable for 2"]);
});

test("who sends to a machine that is back learns that it knows nothing of the connection", () => {
  const story = Story.whole(2);
  story.network.machineDied(one);
  story.pass(500);
  story.network.begin(one);
  story.pass(500);
  deepEqual(story.happened(), [], "the dialer believes in its old connection");
  story.send(two, one, 7);
  story.pass(50);
  deepEqual(story.happened(), ["1520 ms: 1 is unreachable for 2"]);
  story.pass(500);
  equal(story.happened().length, 2, "and dials again");
});

test("what was sent to a machine while it was off is sent again when it is back, and refused", () => {
  const story = Story.whole(2);
  story.network.machineDied(one);
  story.send(two, one, 7);
  story.pass(500);
  story.network.begin(one);
  story.pass(20);
  deepEqual(story.happened(), ["1010 ms: 1 is unreachable for 2"]);
});

test("a machine that comes back and dials ends the connection that its peer still believes in", () => {
  const story = Story.whole(2);
  story.network.machineDied(two);
  story.pass(500);
  story.network.begin(two);
  story.pass(30);
  deepEqual(story.happened(), [
    "1020 ms: 2 is connected to 1",
    "1030 ms: 2 is unreachable for 1",
    "1030 ms: 1 is connected to 2",
  ]);
});

test("a cut holds back what is under way; it arrives in order when the cut heals", () => {
  const story = Story.whole(2);
  story.send(one, two, 1);
  story.pass(5);
  story.cut([one, two]);
  story.send(one, two, 2, "control");
  story.pass(1000);
  story.send(one, two, 3);
  story.pass(5);
  deepEqual(story.happened(), []);
  story.heal([one, two]);
  story.pass(100);
  deepEqual(story.happened(), [
    "1510 ms: 2 hears 1 from 1",
    "1510 ms: 2 hears 2 from 1",
    "1515 ms: 2 hears 3 from 1",
  ]);
});

test("a cut one way leaves the other way open, but who hears no acknowledgement gives up", () => {
  const story = Story.whole(2);
  story.cut([two, one]);
  story.send(one, two, 1);
  story.send(two, one, 2);
  story.pass(20);
  deepEqual(story.happened(), ["510 ms: 2 hears 1 from 1"]);
  story.pass(60_000);
  const told = story.happened();
  ok(told.includes("30510 ms: 2 is unreachable for 1"));
  ok(told.includes("30510 ms: 1 is unreachable for 2"));
});

test("a cut that heals in time is forgiven, also to those who only waited for acknowledgements", () => {
  const story = Story.whole(2);
  story.cut([two, one]);
  story.send(one, two, 1);
  story.pass(20_000);
  story.heal([two, one]);
  story.pass(60_000);
  deepEqual(story.happened(), ["510 ms: 2 hears 1 from 1"]);
});

test("nobody connects through a cut, in either direction", () => {
  for (const direction of [
    [one, two],
    [two, one],
  ] as const) {
    const story = new Story(2);
    story.cut([...direction]);
    story.network.begin(one);
    story.network.begin(two);
    story.pass(10_000);
    deepEqual(story.happened(), []);
    story.heal([...direction]);
    story.pass(3000);
    equal(story.happened().length, 2);
  }
});

test("the end of a process that died behind a cut is told when the cut heals", () => {
  const story = Story.whole(2);
  story.cut([one, two]);
  story.send(one, two, 1);
  story.network.processDied(one);
  story.pass(1000);
  deepEqual(story.happened(), []);
  story.heal([one, two]);
  story.pass(5);
  deepEqual(story.happened(), ["1500 ms: 2 hears 1 from 1", "1500 ms: 1 is unreachable for 2"]);
});

test("what a machine held back is lost with its power, and nothing sent later arrives without it", () => {
  const story = Story.whole(2, {}, {});
  story.send(one, two, 1);
  story.pass(5);
  story.cut([one, two]);
  story.pass(6);
  story.send(one, two, 2);
  story.network.machineDied(one);
  story.heal([one, two]);
  story.pass(1000);
  deepEqual(story.happened(), []);
});

test("what is lost to a cut after the sender's machine died takes what was sent later with it", () => {
  const story = Story.whole(2);
  story.send(one, two, 1);
  story.pass(8);
  story.send(one, two, 2);
  story.network.machineDied(one);
  story.cut([one, two]);
  story.pass(4);
  story.heal([one, two]);
  story.pass(1000);
  deepEqual(story.happened(), []);
});

test("what is sent after a cut healed does not overtake what the kernel has not sent again yet", () => {
  const story = Story.whole(2, {}, { resend: seconds(1) });
  story.cut([one, two]);
  story.send(one, two, 1);
  story.pass(100);
  story.heal([one, two]);
  story.send(one, two, 2);
  story.pass(2000);
  const heard = story.happened().map((line) => line.split(": ")[1]);
  deepEqual(heard, ["2 hears 1 from 1", "2 hears 2 from 1"]);
});

test("a process does not inherit a connection that was on its way to the one before", () => {
  const story = new Story(2);
  story.network.begin(one);
  story.network.begin(two);
  story.pass(15);
  story.network.processDied(one);
  story.network.begin(one);
  story.pass(30);
  deepEqual(story.happened(), ["20 ms: 2 is connected to 1", "40 ms: 1 is unreachable for 2"]);
});

test("a greeting that its connection's end has overtaken opens nothing", () => {
  for (let seed = 0; seed < 100; seed++) {
    const story = new Story(2, { jitter: 1, distribution: "uniform" }, {}, seed);
    story.network.begin(one);
    story.network.begin(two);
    while (!story.network.isConnected(two, one)) story.agenda.advance();
    story.network.processDied(two);
    story.pass(1000);
    equal(story.network.isConnected(one, two), false, `seed ${seed}`);
  }
});

test("close is told to the closer at once, to the other a delay later; then they connect again", () => {
  const story = Story.whole(2);
  story.send(two, one, 1);
  story.send(one, two, 2);
  story.network.close(one, two);
  story.send(one, two, 3);
  story.pass(15);
  deepEqual(story.happened(), [
    "500 ms: 2 is unreachable for 1",
    "510 ms: 2 hears 2 from 1",
    "510 ms: 1 is unreachable for 2",
  ]);
  story.pass(200);
  equal(story.happened().length, 2);
});

test("bulk takes its time, and control does not wait behind it", () => {
  const story = Story.whole(2, { bytesPerSecond: 1e6 });
  story.send(one, two, 1, "bulk", 100_000);
  story.send(one, two, 2, "bulk", 1000);
  story.send(one, two, 3, "control", 1000);
  story.pass(500);
  deepEqual(story.happened(), [
    "511 ms: 2 hears 3 from 1",
    "610 ms: 2 hears 1 from 1",
    "611 ms: 2 hears 2 from 1",
  ]);
});

test("connections break by themselves as often as said, and come back", () => {
  const story = Story.whole(2, { breaksPerHour: 30 });
  story.pass(3600_000);
  const broken = story.happened().filter((line) => line.endsWith("2 is unreachable for 1")).length;
  ok(broken > 35 && broken < 90, `${broken} breaks, 60 expected of both directions together`);
});

type Act = readonly [kind: number, from: number, to: number, ms: number];

test("whatever happens, each channel loses only suffixes, and nobody hears from who is not connected", () => {
  const acts = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.nat(2), fc.nat(2), fc.nat(40)), {
    minLength: 5,
    maxLength: 80,
  });
  fc.assert(
    fc.property(acts, fc.nat(), (story, seed) => checkStory(story, seed)),
    { numRuns: 300 },
  );
});

function checkStory(acts: readonly Act[], seed: number): void {
  const story = Story.whole(
    3,
    { jitter: 0.5 },
    { acknowledgement: seconds(1), resend: milliseconds(50) },
    seed,
  );
  const alive = new Set([one, two, three]);
  for (const [kind, a, b, ms] of acts) {
    const [from, to] = [serverId(a + 1), serverId(b + 1)];
    if (kind === 0 && alive.delete(from)) story.network.processDied(from);
    if (kind === 1 && alive.delete(from)) story.network.machineDied(from);
    if (kind <= 3 && !alive.has(to)) {
      story.network.begin(to);
      alive.add(to);
      story.lines.push(`life of ${to}`);
    }
    if (from === to) continue;
    if (kind === 4) story.cut([from, to]);
    if (kind === 5) story.heal([from, to]);
    if (kind === 6 && alive.has(from)) story.network.close(from, to);
    if (kind >= 7 && alive.has(from)) for (let n = 0; n < 3; n++) story.sendNext(from, to);
    story.pass(ms);
  }
  for (const from of alive) {
    for (const to of [one, two, three]) if (from !== to) story.heal([from, to], [to, from]);
  }
  story.pass(10_000);
  checkLines(story.lines);
}

/** Each connection's messages are numbered from 0, and must be heard so, as far as they are heard. */
function checkLines(lines: readonly string[]): void {
  const connected = new Set<string>(["1 2", "1 3", "2 1", "2 3", "3 1", "3 2"]);
  const last = new Map<string, number>();
  for (const line of lines) {
    const [, who, what, whom] =
      /: (\d) (is connected to|hears \d+ from) (\d)$/.exec(line) ??
      /: (\d) (is unreachable) for (\d)$/.exec(line) ??
      [];
    const life = /life of (\d)/.exec(line)?.[1];
    if (life !== undefined) for (const pair of connected) if (pair.startsWith(life)) connected.delete(pair);
    if (who === undefined || what === undefined || whom === undefined) continue;
    if (what === "is connected to") {
      ok(!connected.has(`${who} ${whom}`), line);
      connected.add(`${who} ${whom}`);
      last.delete(`${who} ${whom}`);
    } else if (what === "is unreachable") ok(connected.delete(`${whom} ${who}`), line);
    else {
      const name = Number(/\d+/.exec(what)?.[0]);
      ok(connected.has(`${who} ${whom}`), line);
      equal(name, (last.get(`${who} ${whom}`) ?? -1) + 1, line);
      last.set(`${who} ${whom}`, name);
    }
  }
}
