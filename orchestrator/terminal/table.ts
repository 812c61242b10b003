/** Rows of words as a table: for a terminal, where columns stand under each other, and as Markdown. */

type Row = readonly string[];

/** The first `names` columns lean left, the others right; all of them left when nothing is said. */
export function aligned(rows: readonly Row[], names = Number.POSITIVE_INFINITY): readonly string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column < names ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}

/** The first `names` columns lean left, the others right; all of them left when nothing is said. */
export function markdown(head: Row, rows: readonly Row[], names = Number.POSITIVE_INFINITY): string {
  const rule = head.map((_, column) => (column < names ? "---" : "---:"));
  return [head, rule, ...rows].map(markdownRow).join("\n");
}

/** One row, for a table that is printed as it comes to be. */
export const markdownRow = (cells: Row): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
