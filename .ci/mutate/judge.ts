// What becomes of a mutant: killed by a test, ended by its time, survived all tests that run its place, or
// in a place where no test comes.
import type { Changed } from "./compiler.ts";
import { digest, Ledger } from "./ledger.ts";
import { type Reached, reachOf, runs } from "./reach.ts";
import { testsOf, textOf } from "./rooms.ts";
import { trial } from "./trial.ts";

export interface Verdict {
  readonly mutant: Changed;
  readonly ending: "killed" | "timed out" | "survived" | "unreached";
  /** The test that saw it, or how many did not. */
  readonly by: string;
}

type Known = { readonly ending: Verdict["ending"]; readonly by: string; readonly holds: string };

/** A mutant may take this much longer than the sources as they are. */
const patience = 5;
const graceMs = 20_000;
const longestMs = 120_000;

export class Judge {
  readonly #room: string;
  readonly #files: readonly string[];
  readonly #jobs: number;
  readonly #known = new Ledger<Known>(".cache/mutate/verdicts.jsonl");
  readonly #reaches = new Ledger<Reached>(".cache/mutate/reaches.jsonl");
  readonly #reached = new Map<string, Reached>();

  constructor(room: string, files: readonly string[], jobs: number) {
    this.#room = room;
    this.#files = files;
    this.#jobs = jobs;
  }

  /** Runs the tests of these files on the sources as they are, to see where they come and how long. */
  async prepare(files: readonly string[]): Promise<void> {
    const tests = new Set([...new Set(files)].flatMap((file) => testsOf(file, this.#room)));
    const waiting = tests.values();
    const texts = this.#files.map(textOf);
    await Promise.all(
      Array.from({ length: this.#jobs }, async () => {
        for (const test of waiting) {
          const key = digest(test, textOf(test), ...texts);
          const reached = this.#reaches.get(key) ?? (await reachOf(test, this.#files, longestMs));
          if (this.#reaches.get(key) === undefined) this.#reaches.set(key, reached);
          if (!reached.passes) console.log(`left out: ${test} does not pass on the sources as they are`);
          this.#reached.set(test, reached);
        }
      }),
    );
  }

  async of(mutant: Changed): Promise<Verdict> {
    const tests = testsOf(mutant.path, this.#room).filter((test) => {
      const reached = this.#reached.get(test);
      return reached?.passes === true && runs(reached, mutant.path, mutant.start);
    });
    const key = digest(mutant.path, mutant.text);
    const before = this.#known.get(key);
    const asked = digest("all of", ...tests.map(textOf));
    const holds = [asked, ...tests.map((test) => digest(textOf(test)))];
    if (before !== undefined && holds.includes(before.holds))
      return { mutant, ending: before.ending, by: before.by };
    const known = await this.#try(mutant, tests, asked);
    this.#known.set(key, known);
    return { mutant, ending: known.ending, by: known.by };
  }

  async #try(mutant: Changed, tests: readonly string[], asked: string): Promise<Known> {
    if (tests.length === 0) return { ending: "unreached", by: "", holds: asked };
    for (const test of tests) {
      const bound = graceMs + patience * (this.#reached.get(test)?.ms ?? 0);
      const { ending, by } = await trial(test, bound, { changed: mutant });
      if (ending === "passed") continue;
      const how = ending === "failed" ? "killed" : "timed out";
      return { ending: how, by: `${test}: ${by}`, holds: digest(textOf(test)) };
    }
    return { ending: "survived", by: `${tests.length} test files`, holds: asked };
  }
}
