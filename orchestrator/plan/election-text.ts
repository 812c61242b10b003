/** An election by itself as the subject of a plan's file. */

import { z } from "zod";
import { MAX_MEMBER_ID, memberId } from "#node/core/identity.ts";
import { type GroupElectionName, groupElections } from "#node/election/group-catalog.ts";
import { printOptions, readOptions } from "./election-plan.ts";
import {
  chooseGroup,
  type ElectionSubject,
  type GroupElectionChoice,
  groupEntryOf,
  type PlacedMember,
} from "./plan.ts";

const GROUP_ELECTIONS = Object.keys(groupElections) as [GroupElectionName, ...GroupElectionName[]];

const member = z.int().min(1).max(MAX_MEMBER_ID);

const electionOfGroup = z
  .looseObject({ name: z.enum(GROUP_ELECTIONS) })
  .transform(({ name, ...fields }, context): GroupElectionChoice => {
    const values = readOptions(groupEntryOf(name).options, fields, (field, what) => {
      context.addIssue({ code: "custom", path: [field], message: `the election ${name} ${what}` });
    });
    return chooseGroup(name, (option) => values.get(option));
  });

const fields = z.object({
  kind: z.literal("election"),
  medium: z.literal("group"),
  election: electionOfGroup,
  /** The numbers at each site. */
  members: z.record(z.string(), z.array(member)),
  initiators: z.array(member),
  /** By number, of those that were judged. */
  worths: z.record(z.string(), z.int().min(1).max(1000)).optional(),
  buffer: z.int().min(1).optional(),
});

export function printSubject(subject: ElectionSubject): z.input<typeof fields> {
  const { kind, medium, election, members, initiators, buffer } = subject;
  const sites = Map.groupBy(members, ({ site }) => site);
  return {
    kind,
    medium,
    election: {
      name: election.name,
      ...printOptions(groupEntryOf(election.name).options, election.options),
    },
    members: Object.fromEntries(
      [...sites].map(([site, placed]): [string, number[]] => [site, placed.map((one) => one.member)]),
    ),
    initiators: [...initiators],
    ...(buffer !== undefined && { buffer }),
    ...(members.some(({ worth }) => worth !== undefined) && {
      worths: Object.fromEntries(
        members.flatMap((one) => (one.worth === undefined ? [] : [[String(one.member), one.worth]])),
      ),
    }),
  };
}

export const electionSubjectFile = fields.transform(
  ({ members, initiators, worths = {}, buffer, ...rest }): ElectionSubject => ({
    ...rest,
    ...(buffer !== undefined && { buffer }),
    members: Object.entries(members)
      .flatMap(([site, ids]) => ids.map((id) => placedAt(id, site, worths[String(id)])))
      .sort((a, b) => a.member - b.member),
    initiators: initiators.map(memberId),
  }),
);

const placedAt = (id: number, site: string, worth: number | undefined): PlacedMember => ({
  member: memberId(id),
  site,
  ...(worth !== undefined && { worth }),
});
