/** Bully's messages in a few words, for transcripts. */

import type { BullySays } from "../../../election/bully/message.ts";

export function sayBully(message: BullySays): string {
  const { kind, round } = message;
  if (kind === "election")
    return `Election round ${round}, p${message.key.server} (${message.key.score.join(" ")})`;
  if (kind === "vote") return `vote round ${round}, p${message.leader}`;
  if (kind === "whom") return "whom do you follow?";
  return `${{ ok: "OK", yield: "yield", coordinator: "Coordinator" }[kind]} round ${round}`;
}
