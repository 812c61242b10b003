/**
 * Everything that servers say to each other: the messages of the replica's parts, each under its part's name.
 */

import type { BroadcastMessage } from "../broadcast/message.ts";
import type { Ballot } from "../election/ballot.ts";
import type { HeartbeatMessage } from "../oracle/heartbeat-message.ts";

export type PeerMessage =
  | { readonly part: "heartbeat"; readonly message: HeartbeatMessage }
  | { readonly part: "election"; readonly message: Ballot }
  | { readonly part: "broadcast"; readonly message: BroadcastMessage };

/**
 * Heartbeats and elections have a channel of their own, so that they never wait behind a snapshot: a server
 * that is busy sending must not look dead.
 */
export type Channel = "control" | "bulk";

export const channelOf = (message: PeerMessage): Channel =>
  message.part === "broadcast" ? "bulk" : "control";
