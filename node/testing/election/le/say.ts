/** The messages of servers that announce themselves in a few words, for transcripts. */

import type { LeMessage } from "../../../election/le/message.ts";

export function sayLe(message: LeMessage): string {
  const score = message.key.score.join(" ");
  if (message.kind === "worth") return `I would claim (${score})`;
  const serves = message.epoch > 0 ? `, and serve in epoch ${message.epoch}` : "";
  return `I lead round ${message.round} (${score})${serves}`;
}
