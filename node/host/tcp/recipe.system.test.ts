// lane: waits, 10 s
// The recipe's two forms live: the same automata and the same counts as in virtual time, before server
// processes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type MemberId, memberId } from "../../core/identity.ts";
import { seconds } from "../../core/time.ts";
import { serviceElections } from "../../election/service-catalog.ts";
import type { ServiceElectionProtocol } from "../../election/service-election.ts";
import { serverProcesses, until } from "../../testing/host/server-processes.ts";
import { LiveMember } from "./service-member.ts";

const places = await serverProcesses();
const COUNT = 5;

/** Five members that stand, and then all but the last resign: what each step cost all of them. */
async function costs(election: "chain" | "herd"): Promise<number[][]> {
  const leads = new Set<MemberId>();
  const members: LiveMember<ServiceElectionProtocol>[] = [];
  const sums = (): number[] => [
    members.reduce((sum, { counts }) => sum + counts.notifications, 0),
    members.reduce((sum, { counts }) => sum + (counts.asked.get("getChildren") ?? 0), 0),
    members.reduce((sum, { counts }) => sum + counts.watches, 0),
  ];
  const watching = (): number => sums()[2] ?? 0;
  for (let id = 1; id <= COUNT; id++) {
    const [own, self] = [memberId(id), `p${id}`];
    const entry = serviceElections[election];
    members.push(
      new LiveMember<ServiceElectionProtocol>({
        member: entry.create({ self, root: `/recipe/${election}` }, { pause: seconds(1) }),
        places,
        policy: { first: id },
        output: (output) => {
          if (output.kind === "elected" && output.leader === self) leads.add(own);
        },
        left: () => {},
      }),
    );
    await until("it leads or watches", () => leads.size === 1 && watching() === id - 1);
  }
  const steps = [sums()];
  for (let gone = 1; gone < COUNT; gone++) {
    const [before, left] = [watching(), COUNT - gone];
    members[gone - 1]?.request({ kind: "resign" });
    const expected = before + (election === "herd" ? left - 1 : 0);
    await until("the next leads", () => leads.has(memberId(gone + 1)) && watching() === expected);
    steps.push(sums());
  }
  for (const member of members) member.end();
  return steps;
}

test("five in a chain: notifications, lists and watches", async () => {
  assert.deepEqual(await costs("chain"), [
    [0, 5, 4],
    [1, 6, 4],
    [2, 7, 4],
    [3, 8, 4],
    [4, 9, 4],
  ]);
});

test("five in a herd: notifications, lists and watches", async () => {
  assert.deepEqual(await costs("herd"), [
    [0, 5, 4],
    [4, 9, 7],
    [7, 12, 9],
    [9, 14, 10],
    [10, 15, 10],
  ]);
});
