/** Ctrl-C: the first one ends what is under way in order, the second one at once. */

import { EXIT } from "./exit-code.ts";

/** It was stopped before anything was measured. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode = EXIT.interrupted;
}

export const NOTHING_YET = "interrupted before the load began; nothing was measured";

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
