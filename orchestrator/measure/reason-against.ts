/** Why a run is no result, in a line; empty when it is one. */

import type { ServiceSummary } from "./summary.ts";

export const reasonAgainst = ({ verdict }: Pick<ServiceSummary, "verdict">): string =>
  verdict.findings
    .filter(({ judgement }) => judgement !== "valid")
    .map(({ property, reasons }) => `${property}: ${reasons[0] ?? ""}`)
    .join("; ");
