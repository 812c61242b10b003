/** The store that ships, on a disk that pretends, as a virtual server keeps its records. */

import type { Mutant } from "../../core/mutant.ts";
import type { Random } from "../../core/random.ts";
import type { LogRecord } from "../../core/record.ts";
import { Damage } from "../../host/tcp/store/damage.ts";
import type { LogOptions } from "../../host/tcp/store/log.ts";
import { Store } from "../../host/tcp/store/store.ts";
import type { Death, Reopened, Storage, StorageUser } from "../../host/virtual/storage.ts";
import type { SectorDisk } from "./sector-disk.ts";
import type { Settling } from "./settling.ts";

export class StoreInVirtualTime implements Storage {
  readonly disk: SectorDisk;
  readonly #random: Random;
  readonly #settling: Settling;
  readonly #segmentSizes: NonNullable<LogOptions["segmentSizes"]>;
  readonly #broken: (error: unknown) => void;
  #store: Store | null = null;
  #life = 0;
  /** Something was appended since the last flush. */
  #holdsBack = false;

  mutant: Mutant | null = null;

  /** `broken`: what went wrong in whoever was told that something is durable, or has failed. */
  constructor(
    disk: SectorDisk,
    random: Random,
    settling: Settling,
    segmentSizes: NonNullable<LogOptions["segmentSizes"]>,
    broken: (error: unknown) => void,
  ) {
    this.disk = disk;
    this.#random = random;
    this.#settling = settling;
    this.#segmentSizes = segmentSizes;
    this.#broken = broken;
  }

  async open(user: StorageUser): Promise<Reopened> {
    this.#settling.note();
    const life = ++this.#life;
    const isThisLife = (): boolean => life === this.#life;
    const tell = (what: () => void): void => {
      try {
        if (isThisLife()) what();
      } catch (error) {
        this.#broken(error);
      }
    };
    const { promise, resolve } = Promise.withResolvers<Reopened>();
    Store.open({
      disk: this.disk,
      salt: () => this.#random.uint32(),
      segmentSizes: this.#segmentSizes,
      mutant: this.mutant,
      durable: (upTo) => tell(() => user.durable(upTo)),
      failed: (reason) => tell(() => user.failed(reason)),
    }).then(
      (store) => {
        if (!isThisLife()) return;
        this.#store = store;
        resolve({ ok: true, recovered: store.recovered });
      },
      (error: unknown) => {
        if (isThisLife()) resolve({ ok: false, offset: 0, reason: told(error) });
      },
    );
    return promise;
  }

  append(records: readonly LogRecord[]): void {
    this.#settling.note();
    this.#holdsBack = true;
    this.#store?.append(records);
  }

  flush(): void {
    if (!this.#holdsBack) return;
    this.#holdsBack = false;
    this.#settling.note();
    this.#store?.flush();
  }

  crash(how: Death): void {
    this.#life += 1;
    this.#store = null;
    this.disk.crash(how);
  }
}

const told = (error: unknown): string =>
  error instanceof Damage
    ? `damaged: ${error.message}`
    : error instanceof Error
      ? error.message
      : String(error);
