// Which tests run which places of a file: V8 counts how often each block is run while a test file runs on
// the sources as they are. A mistake where no test ever comes needs no trial, and one that some reach is
// tried with those only.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { trial } from "./trial.ts";

type Block = readonly [start: number, end: number, count: number];

export interface Reached {
  readonly passes: boolean;
  readonly ms: number;
  /** For each file that was run, its blocks, process by process. */
  readonly blocks: Readonly<Record<string, readonly (readonly Block[])[]>>;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
    }[];
  }[];
}

export async function reachOf(test: string, files: readonly string[], boundMs: number): Promise<Reached> {
  const coverage = mkdtempSync(join(tmpdir(), "reach-"));
  const { ending, ms } = await trial(test, boundMs, { coverage });
  const pathOf = new Map(files.map((file) => [pathToFileURL(resolve(file)).href, file]));
  const blocks: Record<string, Block[][]> = {};
  for (const name of readdirSync(coverage)) {
    // V8 writes one object of this form; a process that was ended while it wrote leaves none.
    const { result } = JSON.parse(readFileSync(join(coverage, name), "utf8")) as Coverage;
    for (const { url, functions } of result) {
      const file = pathOf.get(url);
      if (file === undefined) continue;
      const ranges = functions.flatMap(({ ranges: each }) => each);
      blocks[file] ??= [];
      blocks[file].push(
        ranges.map(({ startOffset, endOffset, count }): Block => [startOffset, endOffset, count]),
      );
    }
  }
  rmSync(coverage, { recursive: true, force: true });
  return { passes: ending === "passed", ms, blocks };
}

/** Whether any process ran the innermost block around this place. */
export function runs({ blocks }: Reached, file: string, at: number): boolean {
  return (blocks[file] ?? []).some((ofProcess) => {
    let innermost: Block | undefined;
    for (const block of ofProcess) {
      const [start, end] = block;
      const isInner = innermost === undefined || end - start <= innermost[1] - innermost[0];
      if (start <= at && at < end && isInner) innermost = block;
    }
    return innermost !== undefined && innermost[2] > 0;
  });
}
