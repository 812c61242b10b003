/** The messages of a vote in a few words, for transcripts. */

import type { MajoritySays } from "../../../election/vote/message.ts";

export function sayVote(message: MajoritySays): string {
  switch (message.kind) {
    case "ask":
      return `vote for me in round ${message.round} (${message.key.score.join(" ")})`;
    case "grant":
      return `my vote of round ${message.round} is yours`;
    case "late":
      return `round ${message.round} is under way`;
    case "renew":
      return `promise anew in round ${message.round} (${message.renewal})`;
    case "kept":
      return `promised in round ${message.round} (${message.renewal})`;
    case "standing":
      return `I would score (${message.key.score.join(" ")})`;
    case "master":
      return `I lead round ${message.round}`;
    case "vote":
      return `I follow p${message.leader} since round ${message.round}`;
    case "whom":
      return "whom do you follow?";
  }
}
