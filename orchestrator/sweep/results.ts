/**
 * The file of a sweep: one table of an SQLite database, a row a cell, a column a quantity.
 *
 * SQLite, because a row is in the file or not, whenever the sweep is killed, so the file is also what a sweep
 * goes on from; because the pinned Node brings it; and because sqlite3, pandas, R and DuckDB read it as it
 * is.
 */

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { RefusedInput } from "../terminal/problem.ts";
import { COLUMNS, type Row, TEXTS } from "./row.ts";

export class Results implements Disposable {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #known: StatementSync;

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.#database = opened(file);
    const columns = COLUMNS.map((name) => `${name} ${TEXTS.includes(name) ? "TEXT" : "REAL"}`);
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    this.#database.exec(`CREATE TABLE IF NOT EXISTS cells (${columns.join(", ")}, PRIMARY KEY (id)) STRICT`);
    this.#insert = this.#database.prepare(
      `INSERT OR REPLACE INTO cells (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})`,
    );
    this.#known = this.#database.prepare("SELECT 1 FROM cells WHERE id = ?");
  }

  has(id: string): boolean {
    return this.#known.get(id) !== undefined;
  }

  /** In the file when this returns. */
  add(row: Row): void {
    this.#insert.run(...COLUMNS.map((name) => row[name]));
  }

  /** In the order of the maps, one at a time. */
  *rows(): Generator<Row> {
    for (const row of this.#database
      .prepare(`SELECT ${COLUMNS.join(", ")} FROM cells ORDER BY map, seed, election, oracle`)
      .iterate())
      yield row as unknown as Row;
  }

  row(id: string): Row | null {
    const row = this.#database.prepare(`SELECT ${COLUMNS.join(", ")} FROM cells WHERE id = ?`).get(id);
    return (row as unknown as Row | undefined) ?? null;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function opened(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file);
    database.exec("SELECT count(*) FROM sqlite_schema");
    return database;
  } catch (error) {
    throw new RefusedInput(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
