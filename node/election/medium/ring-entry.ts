/** An election over the ring, as the catalog has it: what its folder gives, and what the ring adds. */

import type { ServerId } from "../../core/identity.ts";
import type { Assumptions } from "../assumptions.ts";
import type { ElectionEntry, MessageCodec, Seat } from "../entry.ts";
import type { Schema, Values } from "../options.ts";
import { Ring, type RingElection, type RingMessage, type Way } from "./ring.ts";

export const RING_OPTIONS = {
  ring: {
    kind: "order",
    inPlans: "ringOrder",
    default: "ids",
    sentence: "who passes on to whom: ids, or a list of all servers such as p3,p1,p2",
  },
} as const satisfies Schema;

type RingSchema<S extends Schema> = S & typeof RING_OPTIONS;

/** As `ElectionEntry`, but of an automaton over the ring. */
export interface RingEntry<Message, S extends Schema> {
  create(seat: Seat, options: Values<S>): RingElection<Message>;
  readonly codec: MessageCodec<Message>;
  readonly options: S;
  readonly assumes: Omit<Assumptions, "medium">;
  readonly source: string;
  readonly summary: string;
  tell?: ElectionEntry["tell"];
  proposes?(message: Message): readonly ServerId[];
  readonly quorumStands?: boolean;
  readonly remembers?: boolean;
  mayNotEnd?(options: Values<S>): string | null;
}

/** The entry for the catalog. */
export function overRing<Message, S extends Schema>(
  entry: RingEntry<Message, S>,
): ElectionEntry<RingMessage<Message>, RingSchema<S>> {
  const { source, summary, assumes } = entry;
  return {
    create(seat, options) {
      const { ring: order } = options as Values<typeof RING_OPTIONS>;
      return new Ring({ ...seat, order }, entry.create(seat, options));
    },
    codec: ringCodec(entry.codec),
    options: { ...entry.options, ...RING_OPTIONS },
    assumes: { ...assumes, medium: "ring" },
    source,
    summary,
    ...(entry.tell && { tell: entry.tell }),
    ...(entry.proposes && {
      proposes: ({ message }: RingMessage<Message>) => entry.proposes?.(message) ?? [],
    }),
    ...(entry.remembers === true && { remembers: true }),
    ...(entry.quorumStands === true && { quorumStands: () => true }),
    ...(entry.mayNotEnd && {
      mayNotEnd: (options: Values<RingSchema<S>>) => entry.mayNotEnd?.(options) ?? null,
    }),
  };
}

const WAYS: readonly Way[] = ["on", "back", "aside"];

/** message => way:u8 body */
export const ringCodec = <Message>(codec: MessageCodec<Message>): MessageCodec<RingMessage<Message>> => ({
  write({ way, message }, writer) {
    writer.u8(WAYS.indexOf(way));
    codec.write(message, writer);
  },
  read(reader) {
    const way = WAYS[reader.u8()];
    const message = codec.read(reader);
    return way === undefined || message === null ? null : { way, message };
  },
  examples: codec.examples.flatMap((message) => WAYS.map((way) => ({ way, message }))),
});
