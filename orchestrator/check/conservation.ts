/**
 * Transfers move money, they never make or lose any: whatever multis were retried, torn or left unknown,
 * every audit (all accounts at one moment) sums up to what the accounts were opened with.
 */

import { describe, entriesOf, type History } from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

export function conservedSum(history: History): Finding {
  const opened = entriesOf(history, "open").filter(({ outcome }) => outcome === "ok");
  const transfers = entriesOf(history, "transfer").filter(({ outcome }) => outcome !== "failed");
  const audits = entriesOf(history, "audit").filter(({ outcome }) => outcome === "ok");
  const total = sum(opened.map(({ amount }) => amount));
  const wrong = audits
    .filter(({ balances }) => sum(balances) !== total)
    .map((audit) => `${sum(audit.balances)} instead of ${total}: ${describe(audit)}`);
  return finding("sum of accounts conserved", audits.length === 0 ? 0 : transfers.length, wrong);
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
