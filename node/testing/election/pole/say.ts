/** POLE's messages in a few words, for transcripts. */

import type { PoleMessage } from "../../../election/pole/message.ts";

export function sayPole(message: PoleMessage): string {
  switch (message.kind) {
    case "proposal":
      return `P round ${message.round}, p${message.candidate} (${message.score.join(" ")})`;
    case "vote":
      return `V round ${message.round}, p${message.leader}`;
    case "standing":
      return `S round ${message.round}, (${message.score.join(" ")})`;
    case "heir":
      return `H round ${message.round}, p${message.heir}`;
  }
}
