/** Ctrl-C: the first one ends what is under way in order, the second one at once. */

import { EXIT } from "#node/core/exit-code.ts";

/** It was stopped before there was anything to keep. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode = EXIT.interrupted;
}

export const NOTHING_YET = "interrupted before the load began; nothing was measured";

/**
 * What comes of the work, or `Interrupted` as soon as `signal` says so. The work is not waited for then: its
 * end comes when what it works with is taken away, which is up to who gave it.
 */
export async function unlessInterrupted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw new Interrupted(TAKEN_DOWN);
  let stop = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new Interrupted(TAKEN_DOWN));
    signal.addEventListener("abort", stop, { once: true });
  });
  const working = work();
  working.catch(() => {});
  try {
    return await Promise.race([working, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const TAKEN_DOWN = "interrupted; what was up is down again";

/** From here to the end of its block, a signal to end aborts `signal` instead of this process. */
export function interruption(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
