/** One process that carries cells out: a cell in, its row out. */

import module from "node:module";
import type { Cell } from "./cell.ts";
import type { Row } from "./row.ts";

/** Or why there is none. */
export type Said = { readonly row: Row } | { readonly reason: string };

if (process.send !== undefined) {
  // The next one need not read all sources again.
  module.enableCompileCache();
  const { carriedOut } = await import("./trial.ts");
  const said = (cell: Cell): Said => {
    try {
      return { row: carriedOut(cell) };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error) };
    }
  };
  process.on("message", (cell: Cell) => process.send?.(said(cell)));
  process.on("disconnect", () => process.exit());
}
