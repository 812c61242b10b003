// What test files share: each fixture is started when its first user begins, and ended after the last.
import type { Fixture } from "../orchestrator/testing/suite-fixtures.ts";
import type { Need } from "./lane.ts";

interface Shared {
  users: number;
  started?: Promise<AsyncDisposable | undefined>;
}

export class Fixtures implements AsyncDisposable {
  readonly #shared = new Map<Fixture, Shared>();

  constructor(needs: readonly Need[]) {
    for (const { fixture } of needs) {
      if (fixture === undefined) continue;
      this.#shared.set(fixture, { users: (this.#shared.get(fixture)?.users ?? 0) + 1 });
    }
  }

  /** Runs a user of this fixture, if it wants one. */
  async with<T>({ fixture }: Need, user: () => Promise<T>): Promise<T> {
    const shared = fixture === undefined ? undefined : this.#shared.get(fixture);
    if (fixture === undefined || shared === undefined) return user();
    shared.started ??= start(fixture);
    await shared.started;
    try {
      return await user();
    } finally {
      shared.users -= 1;
      if (shared.users === 0) await this.#end(fixture);
    }
  }

  async #end(fixture: Fixture): Promise<void> {
    const started = this.#shared.get(fixture)?.started;
    this.#shared.delete(fixture);
    await (await started)?.[Symbol.asyncDispose]();
  }

  /** Ends what is still there, as after an interruption. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#shared.keys()].map((fixture) => this.#end(fixture)));
  }
}

/** The files find it in their environment. Where it cannot be had each of them says so, or does without. */
async function start(fixture: Fixture): Promise<AsyncDisposable | undefined> {
  try {
    const { START, VARIABLES } = await import("../orchestrator/testing/suite-fixtures.ts");
    const shared = await START[fixture]();
    process.env[VARIABLES[fixture]] = shared.address;
    return shared;
  } catch (error) {
    console.log(`no ${fixture} to share: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
