/**
 * What a server has sent to the others, by what it was for: each message belongs to the phase that it serves,
 * whenever that phase was, so what an election or a recovery cost can be told from the heartbeats and late
 * stragglers among which it happened.
 *
 *   heartbeat         at all times
 *   election          who leads?
 *   discovery         who follows, and who has the newest history?
 *   pull              the leader fetches what it lacks
 *   synchronization   followers are brought level
 *   broadcast         what clients write
 */

export const PURPOSES = [
  "heartbeat",
  "election",
  "discovery",
  "pull",
  "synchronization",
  "broadcast",
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Frames, as the protocol has them: what TCP and IP add is not counted. One to three servers is three. */
export interface Volume {
  readonly messages: number;
  readonly bytes: number;
}

export type Volumes = Readonly<Record<Purpose, Volume>>;
