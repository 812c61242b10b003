/**
 * The ACLs in use, each once: a million znodes have a handful of different ones, so a znode carries a number.
 *
 * Number 0 is the open ACL, which almost every znode has and which is never forgotten. Any other is forgotten
 * with the last znode that has it, and its number given to the next: so numbers stay as few as the ACLs that
 * were ever in use together. They are each server's own; equal states may have other numbers.
 */

import { assert } from "../core/assert.ts";
import { type Acl, OPEN, PERMISSION } from "../wire/client/acl.ts";
import type { Hash } from "./hash.ts";
import type { Undo } from "./undo.ts";

export const OPEN_ACL = 0;

interface Entry {
  readonly acl: readonly Acl[];
  readonly key: string;
  uses: number;
}

export class AclTable {
  readonly #undo: Undo;
  readonly #entries = new Map<number, Entry>([[OPEN_ACL, { acl: OPEN, key: keyOf(OPEN), uses: 1 }]]);
  readonly #numbers = new Map<string, number>([[keyOf(OPEN), OPEN_ACL]]);
  /** Numbers below `#next` that nothing has. */
  readonly #free = new Set<number>();
  #next = 1;

  constructor(undo: Undo) {
    this.#undo = undo;
  }

  get(number: number): readonly Acl[] {
    return this.#entry(number).acl;
  }

  /** The number for one more znode with this ACL. */
  take(acl: readonly Acl[]): number {
    const number = this.add(acl);
    this.retake(number);
    return number;
  }

  /** The number of this ACL, which no znode need have yet. */
  add(acl: readonly Acl[]): number {
    if (isOpen(acl)) return OPEN_ACL;
    const known = this.#numbers.get(keyOf(acl));
    if (known !== undefined) return known;
    const [number = this.#next++] = this.#free;
    this.#put(number, acl);
    return number;
  }

  /** One znode more that has it. */
  retake(number: number): void {
    if (number === OPEN_ACL) return;
    this.#entry(number).uses += 1;
    this.#undo.note(() => this.#release(number));
  }

  /** One znode less. */
  drop(number: number): void {
    if (number === OPEN_ACL) return;
    const { acl } = this.#entry(number);
    this.#release(number);
    this.#undo.note(() => {
      if (!this.#entries.has(number)) this.#put(number, acl);
      this.#entry(number).uses += 1;
    });
  }

  /** All of them, for a snapshot. */
  all(): (readonly [number, readonly Acl[]])[] {
    return [...this.#entries].map(([number, { acl }]) => [number, acl] as const);
  }

  readonly hash = (number: number, hash: Hash): void => {
    hash.text(this.#entry(number).key);
  };

  #put(number: number, acl: readonly Acl[]): void {
    const key = keyOf(acl);
    this.#free.delete(number);
    this.#entries.set(number, { acl, key, uses: 0 });
    this.#numbers.set(key, number);
  }

  #release(number: number): void {
    const entry = this.#entry(number);
    entry.uses -= 1;
    if (entry.uses > 0) return;
    this.#entries.delete(number);
    this.#numbers.delete(entry.key);
    this.#free.add(number);
  }

  #entry(number: number): Entry {
    const entry = this.#entries.get(number);
    assert(entry !== undefined, () => `no ACL has the number ${number}`);
    return entry;
  }
}

function isOpen(acl: readonly Acl[]): boolean {
  const [only] = acl;
  return acl.length === 1 && only?.permissions === PERMISSION.all && only.id.scheme === "world";
}

const keyOf = (acl: readonly Acl[]): string =>
  JSON.stringify(acl.map(({ permissions, id }) => [permissions, id.scheme, id.id]));
