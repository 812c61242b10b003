/** The replica's messages as a host carries them. */

import { channelOf } from "../replica/message.ts";
import type { ReplicaProtocol } from "../replica/replica-protocol.ts";
import { decodePeerMessage, encodePeerMessage } from "../wire/frame.ts";
import type { Codec } from "./codec.ts";

export const replicaCodec: Codec<ReplicaProtocol> = {
  encode: encodePeerMessage,
  decode: decodePeerMessage,
  channel: channelOf,
};
