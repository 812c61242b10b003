// Announce-listen as stories to read, in its folder's testdata/. `make unit FILTER=transcript UPDATE=1`
// writes them anew.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type MemberId, memberId } from "../../core/identity.ts";
import { instant, milliseconds, seconds } from "../../core/time.ts";
import {
  AnnounceListen,
  type AnnounceListenProtocol,
  type Slip,
} from "../../election/announce-listen/announce-listen.ts";
import { announceListenSuppressed } from "../../election/announce-listen/entry.ts";
import type { GroupElectionOutput } from "../../election/group-election.ts";
import { printFact } from "../../telemetry/facts.ts";
import { VirtualGroup } from "./group.ts";

const TESTDATA = join(import.meta.dirname, "../../election/announce-listen/testdata");
const [p1, p2, p3] = [1, 2, 3].map(memberId) as [MemberId, MemberId, MemberId];

interface Stage {
  readonly suppressMs: number;
  readonly listenMs: number;
  readonly slip?: Slip;
}

/** Three members, 50 ms apart, T_A = 1 s; every line is what one of them heard, did or came to believe. */
class Play {
  readonly group: VirtualGroup<AnnounceListenProtocol>;
  readonly #lines: string[] = [];
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
    const { suppressMs, listenMs, slip = null } = stage;
    const options = {
      announce: seconds(1),
      listen: milliseconds(listenMs),
      suppress: milliseconds(suppressMs),
    };
    this.group = new VirtualGroup<AnnounceListenProtocol>({
      members: [p1, p2, p3],
      seed: 4,
      create: (self) => new AnnounceListen(self, options, { slip }),
      codec: announceListenSuppressed.codec,
      network: { way: () => ({ delay: milliseconds(50), jitter: 0 }) },
      observer: {
        input: (member, input) => {
          if (input.kind === "start") this.#note(member, "begins");
          if (input.kind === "message") this.#note(member, `<- p${input.from}: ${input.message.number}`);
          if (input.kind === "timeout") this.#note(member, `${input.timer} timer fires`);
        },
        announced: (member, { number }) => this.#note(member, `-> all: ${number}`),
        output: (member, output) => this.#note(member, told(output)),
      },
    });
  }

  at(ms: number, line: string, deed: (group: Play["group"]) => void): this {
    this.group.at(instant(ms * 1e3), () => {
      if (line !== "") this.#lines.push(`${stamp(ms)}      ${line}`);
      deed(this.group);
    });
    return this;
  }

  start(ms: number, ...members: MemberId[]): this {
    return this.at(ms, "", (group) => members.forEach((member) => group.start(member)));
  }

  play(ms: number): this {
    this.group.run(instant(ms * 1e3));
    return this;
  }

  leaders(): (MemberId | undefined)[] {
    return [p1, p2, p3].map((member) => (this.group.member(member) as AnnounceListen | null)?.leader);
  }

  record(t: TestContext, file: string): void {
    const { suppressMs, listenMs } = this.#stage;
    const stage = `Three members, one way 50 ms, T_A = 1000 ms, T_L = ${listenMs} ms, T_S = ${suppressMs} ms.
The greatest number is to lead; each announcement has the number shown. Times in ms.`;
    t.assert.fileSnapshot(`${t.name}\n\n${stage}\n\n${this.#lines.join("\n")}\n`, join(TESTDATA, file), {
      serializers: [(text: string) => text],
    });
  }

  #note(member: MemberId, line: string): void {
    this.#lines.push(`${stamp(this.group.now / 1e3)}  p${member}  ${line}`);
  }
}

const stamp = (ms: number): string => ms.toFixed(2).padStart(8);

function told(output: GroupElectionOutput): string {
  if (output.kind === "elected") return `ELECTS p${output.leader} in round ${output.round}`;
  const { name, ...facts } = output.facts;
  const words = Object.entries(facts).map(([fact, value]) =>
    fact === "wait" ? `for ${(Number(value) / 1e3).toFixed(2)} ms` : `p${printFact(value)}`,
  );
  return [name, ...words].join(" ");
}

test("LE-S without faults: the earliest speaks, a smaller one is silenced, the greatest ends it", (t) => {
  const play = new Play({ suppressMs: 500, listenMs: 2500 }).start(0, p1, p2, p3).play(1600);
  assert.deepEqual(play.leaders(), [p3, p3, p3]);
  play.record(t, "suppressed.txt");
});

test("LE-A without faults: everybody speaks at once", (t) => {
  const play = new Play({ suppressMs: 0, listenMs: 2500 }).start(0, p1, p2, p3).play(1600);
  assert.deepEqual(play.leaders(), [p3, p3, p3]);
  play.record(t, "announced.txt");
});

test("the leader dies: nobody alive leads until the others miss it, then the next greatest does", (t) => {
  const play = new Play({ suppressMs: 500, listenMs: 2500 })
    .start(0, p1, p2, p3)
    .at(1700, "p3 dies", (group) => group.stop(p3))
    .play(4600);
  assert.deepEqual(play.leaders(), [p2, p2, undefined]);
  play.record(t, "leader-dies.txt");
});

test("the dead leader comes back with a new life, and leads again", (t) => {
  const play = new Play({ suppressMs: 500, listenMs: 2500 })
    .start(0, p1, p2, p3)
    .at(1000, "p3 dies", (group) => group.stop(p3))
    .at(1200, "p3 begins a new life", (group) => group.start(p3))
    .play(2000);
  assert.deepEqual(play.leaders(), [p3, p3, p3]);
  play.record(t, "leader-returns.txt");
});

test("a tie: heartbeat and end of T_L on one microsecond, the heartbeat goes first", (t) => {
  const play = new Play({ suppressMs: 0, listenMs: 1000 }).start(0, p1, p2, p3).play(3500);
  assert.deepEqual(play.leaders(), [p3, p3, p3]);
  play.record(t, "tie.txt");
});

test("a smaller one joins late, is not answered, and follows at the next heartbeat", (t) => {
  const play = new Play({ suppressMs: 0, listenMs: 2500 }).start(0, p2, p3).start(1300, p1).play(2100);
  assert.deepEqual(play.leaders(), [p3, p3, p3]);
  play.record(t, "smaller-joins.txt");
});

test("slip: a heartbeat counts for nothing, and each follower leaves T_L after it first heard", (t) => {
  const slip = "only a greater address is heard";
  const play = new Play({ suppressMs: 500, listenMs: 2500, slip }).start(0, p1, p2, p3).play(3000);
  assert.deepEqual(play.leaders(), [p1, p2, p3]);
  assert.deepEqual(play.play(3600).leaders(), [p3, p3, p3]);
  play.record(t, "slip-only-greater.txt");
});
