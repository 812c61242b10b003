/**
 * All that was told of the trial that runs, once, and for each reader how far it has come. Who comes late is
 * told the whole. Who reads slowly is told more roughly: bins of writes are put together and counts of
 * messages left out where it lags, never what happened. Nobody is waited for.
 */

import type { StreamRecord, Writes } from "./record.ts";

export interface Reader {
  /** Whether there is room for more; asked before each batch. */
  hasRoom(): boolean;
  take(records: readonly StreamRecord[]): void;
}

interface Standing {
  readonly reader: Reader;
  edition: number;
  next: number;
  /** Up to here everything was there when it came, so it is told all of it. */
  whole: number;
}

const BATCH = 500;
/** Who is farther behind than this is told more roughly. */
const FAR_BEHIND = 2_000;
/** Of more than this the first half is remembered more roughly. */
const MOST = 200_000;

export class History {
  #records: StreamRecord[] = [];
  /** Counts how often what is remembered has become another. */
  #edition = 0;
  readonly #standings = new Set<Standing>();

  get length(): number {
    return this.#records.length;
  }

  /** A plan begins another trial: what came before it is forgotten. */
  add(record: StreamRecord): void {
    if (record.kind === "plan") this.#become([]);
    if (this.#records.length >= MOST) this.#become(halfRough(this.#records));
    this.#records.push(record);
  }

  /** What it gives is called when the reader has gone. */
  join(reader: Reader): () => void {
    const standing = { reader, edition: this.#edition, next: 0, whole: this.#records.length };
    this.#standings.add(standing);
    return () => this.#standings.delete(standing);
  }

  /** Everybody who has room is told what they have not been told. */
  pump(): void {
    for (const standing of this.#standings) this.#tell(standing);
  }

  /** Nobody is owed anything. */
  get isTold(): boolean {
    return [...this.#standings].every(
      ({ edition, next }) => edition === this.#edition && next === this.#records.length,
    );
  }

  #become(records: StreamRecord[]): void {
    this.#records = records;
    this.#edition += 1;
  }

  #tell(standing: Standing): void {
    // What is new begins with a plan, and with it everything begins anew for who reads it.
    if (standing.edition !== this.#edition)
      [standing.edition, standing.next, standing.whole] = [this.#edition, 0, this.#records.length];
    while (standing.next < this.#records.length && standing.reader.hasRoom()) {
      const { next, whole } = standing;
      const isFarBehind = next >= whole && this.#records.length - next > FAR_BEHIND;
      const batch = this.#records.slice(next, next + BATCH);
      standing.next += batch.length;
      standing.reader.take(isFarBehind ? rough(batch) : batch);
    }
  }
}

function halfRough(records: readonly StreamRecord[]): StreamRecord[] {
  const half = Math.floor(records.length / 2);
  const first: StreamRecord[] = [];
  for (let next = 0; next < half; next += BATCH)
    first.push(...rough(records.slice(next, Math.min(next + BATCH, half))));
  return [...first, ...records.slice(half)];
}

/** What happened stays; of how much of it, one bin of each site, so that all sums stay what they are. */
function rough(records: readonly StreamRecord[]): StreamRecord[] {
  const kept: StreamRecord[] = [];
  const bins = new Map<string, Writes>();
  for (const record of records) {
    if (record.kind === "writes") bins.set(record.site, together(bins.get(record.site), record));
    else if (record.kind !== "traffic" && record.kind !== "until") kept.push(record);
  }
  return [...kept, ...bins.values()];
}

const together = (before: Writes | undefined, next: Writes): Writes =>
  before === undefined
    ? next
    : {
        ...before,
        ok: before.ok + next.ok,
        failed: before.failed + next.failed,
        unknown: before.unknown + next.unknown,
        sumMs: before.sumMs + next.sumMs,
        maxMs: Math.max(before.maxMs, next.maxMs),
      };
