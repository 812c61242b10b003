/** What the figures of the chapter are about, under its own parameters: T_S = T_A = 1 and D = 0.1. */

import type { Subject } from "./curves.ts";
import * as formulas from "./formulas.ts";
import type { LossKind } from "./formulas.ts";

const D = 0.1;

const lossWords = (loss: number, kind: LossKind): string =>
  loss === 0 ? "no loss" : `${100 * loss} % lost, ${kind}`;

/** Until the last has heard who is to lead, of LE-S. */
export const delayOfLeS = (loss: number, kind: LossKind, look: number): Subject => ({
  label: `LE-S, ${lossWords(loss, kind)}`,
  look,
  beginning: { election: "le-s", loss, kind },
  measure: "delay",
  formula: (members) => formulas.leadershipDelay(kind, loss, members, 1),
  ...(loss > 0 && { printed: (members) => 0.5 + formulas.printedRounds(kind, loss, members) }),
});

export const delayOfLeA = (loss: number, kind: LossKind, look: number): Subject => ({
  label: `LE-A, ${lossWords(loss, kind)}`,
  look,
  beginning: { election: "le-a", loss, kind, suppress: 0 },
  measure: "delay",
  formula: (members) => formulas.leadershipDelay(kind, loss, members, 0),
});

export const delayOfLeM = (loss: number, kind: LossKind, look: number): Subject => ({
  label: `LE-M, ${lossWords(loss, kind)}`,
  look,
  beginning: { election: "le-m", loss, kind },
  measure: "delay",
  formula: loss === 0 ? (members) => formulas.earliestDelay(kind, loss, members, 1) : null,
});

/** Suppression alone is the first round of SUP+AL: the moment of its first announcement, or of its last. */
export const suppression = (
  which: "first" | "last",
  loss: number,
  kind: LossKind,
  look: number,
): Subject => ({
  label: `SUP, its ${which}, ${lossWords(loss, kind)}`,
  look,
  beginning: { election: "sup-al", loss, kind },
  measure: which,
  formula: which === "first" ? (members) => 1 / (members + 1) : null,
});

export const messagesOfLeS = (loss: number, kind: LossKind, look: number): Subject => {
  const isExact = loss === 0 || kind === "shared";
  return {
    label: `LE-S, ${lossWords(loss, kind)}`,
    look,
    beginning: { election: "le-s", loss, kind },
    measure: "inSuppress",
    formula: isExact ? (members) => formulas.messages(members, loss, D) : null,
    ...(loss > 0 && isExact && { printed: (members) => formulas.printedMessages(members, loss, D) }),
  };
};

export const messagesOfSup = (loss: number, kind: LossKind, look: number): Subject => ({
  label: `SUP, ${lossWords(loss, kind)}`,
  look,
  beginning: { election: "sup-al", loss, kind },
  measure: "inSuppress",
  formula: loss === 0 || kind === "shared" ? (members) => formulas.earliestMessages(members, loss, D) : null,
});

export const messagesOfLeM = (loss: number, kind: LossKind, look: number): Subject => ({
  ...messagesOfSup(loss, kind, look),
  label: `LE-M, ${lossWords(loss, kind)}`,
  beginning: { election: "le-m", loss, kind },
});

/** Without the curve that is wrong. */
export const rightOnly = ({ printed: _printed, ...subject }: Subject): Subject => subject;
