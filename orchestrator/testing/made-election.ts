/** A recording of an election by itself made by hand for tests: three members, LE-A, and what they tell. */

import { planMembers, type MembersFlags } from "../plan/members-flags.ts";
import type { ElectionRecording, Mark, MemberEvent } from "../recording/recording.ts";

/** `3`: it begins; `1 > 3`: it follows; `3!`: it announces; `3 ends`. Of one moment, in this order. */
export type Story = Readonly<Record<number, string>>;

export function madeElection(story: Story, flags: MembersFlags = {}, marks: readonly Mark[] = []) {
  const plan = planMembers({ members: "3", election: "le-a", duration: "10s", ...flags }, "sim");
  const events = Object.entries(story).flatMap(([ms, words]) =>
    words.split(", ").map((word) => told(Number(ms) * 1e3, word)),
  );
  const announced = events.filter(({ event }) => event === "announced").length;
  const recording: ElectionRecording = {
    plan,
    events,
    marks,
    counts: { sent: announced === 0 ? {} : { announcement: announced }, given: {}, ...UNKNOWN },
    certificates: { idle: null, loaded: null },
    machine: null,
    resources: [],
    unmeasured: {},
    environment: {
      command: "",
      startedAt: "",
      sources: "",
      version: "",
      commit: "",
      node: "",
      kernel: "",
      machine: "",
      engine: "made",
    },
    interrupted: false,
  };
  return recording;
}

const UNKNOWN = { lost: null, overflown: null, carried: null };

function told(at: number, word: string): MemberEvent {
  const [, id = "", sign = "", leader = ""] = /^([0-9]+)(?: ?(>|!|ends) ?([0-9]*))?$/.exec(word) ?? [];
  const member = Number(id);
  if (sign === ">") return { at, member, event: "elected", leader: Number(leader), round: 1 };
  if (sign === "!") return { at, member, event: "announced", kind: "announcement" };
  return { at, member, event: sign === "ends" ? "ended" : "begun" };
}
