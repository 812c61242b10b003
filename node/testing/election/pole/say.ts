/** POLE's messages in a few words, for transcripts. */

import type { PoleMessage } from "../../../election/pole/message.ts";

export const sayPole = (message: PoleMessage): string =>
  message.kind === "proposal"
    ? `P round ${message.round}, p${message.candidate} (${message.score.join(" ")})`
    : `V round ${message.round}, p${message.leader}`;
