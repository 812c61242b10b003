/** What goes with each request, so that every server understands it as the one that took it. */

import type { Options } from "../tree/payload.ts";
import type { FrontOptions } from "./front-protocol.ts";

export function carriedBy({ options, mutant }: Pick<FrontOptions, "options" | "mutant">): Options {
  if (mutant === "exists-asks-nobody") return { ...options, asIn380: true };
  return mutant === "acls-unbounded" ? { ...options, boundedAcls: false } : options;
}
