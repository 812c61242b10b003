/** Waiting until the list of what is below a znode is as one wants it. */

import type { Client } from "./client.ts";
import { SessionOver } from "./service-error.ts";

/** What `wanted` gives of the first list for which that is not null. */
export async function untilListed<T>(
  client: Client,
  path: string,
  wanted: (names: readonly string[]) => T | null,
  signal?: AbortSignal,
): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const next = nextChange(client, signal);
    try {
      const found = wanted(await client.children(path, next.changed));
      if (found !== null) return found;
      signal?.throwIfAborted();
      await next.happened;
    } finally {
      next.forget();
    }
  }
}

/** Something that was waited for: it resolves when told, and rejects when the session or the wait ends. */
function nextChange(
  client: Client,
  signal: AbortSignal | undefined,
): { readonly changed: () => void; readonly happened: Promise<void>; readonly forget: () => void } {
  let changed = (): void => {};
  let failed = (_why: Error): void => {};
  const happened = new Promise<void>((resolve, reject) => {
    [changed, failed] = [resolve, reject];
  });
  happened.catch(() => {});
  const over = (): void => failed(new SessionOver("its session has expired"));
  const aborted = (): void => failed(signal?.reason instanceof Error ? signal.reason : new Error("given up"));
  client.once("expired", over).once("closed", over);
  signal?.addEventListener("abort", aborted);
  const forget = (): void => {
    client.off("expired", over).off("closed", over);
    signal?.removeEventListener("abort", aborted);
  };
  return { changed, happened, forget };
}
