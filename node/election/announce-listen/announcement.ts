/**
 * What members of a group say of themselves: that they lead, that they ask who does, or that they leave.
 *
 * All three name a life and a number that rises within it, so that a late copy is known for what it is, and
 * one of a life that has said Bye for a ghost. Each claims a rank: who has more is to lead, and the address
 * decides between equals.
 */

import type { Reader } from "../../wire/reader.ts";
import type { Writer } from "../../wire/writer.ts";
import type { GroupElectionEntry } from "../group-election.ts";

export interface Announcement {
  readonly kind: "announcement" | "query" | "bye";
  readonly life: number;
  /** What is said in one life counts from 1. */
  readonly number: number;
  readonly rank: number;
}

const KINDS = ["announcement", "query", "bye"] as const;
const ONE: Announcement = { kind: "announcement", life: 1, number: 2, rank: 0 };

/** announcement => kind:u8 life:u32 number:u32 rank:u32 */
export const codec: GroupElectionEntry<Announcement>["codec"] = {
  write({ kind, life, number, rank }, writer: Writer) {
    writer.u8(KINDS.indexOf(kind)).u32(life).u32(number).u32(rank);
  },
  read(reader: Reader) {
    const kind = KINDS[reader.u8()];
    if (kind === undefined) {
      reader.fail("nothing that a member says");
      return null;
    }
    return { kind, life: reader.u32(), number: reader.u32(), rank: reader.u32() };
  },
  kind: ({ kind }) => kind,
  examples: [ONE, { ...ONE, kind: "query" }, { ...ONE, kind: "bye", rank: 7 }],
};
