/**
 * The fields of a JSON document that came in on a line, for processes that must not fail of what they are
 * told. The first field that is not what it must be is the mistake, and what is read after it counts no more.
 */

import { type Result, read, refused } from "#node/wire/result.ts";

type Document = Readonly<Record<string, unknown>>;

/** What `of` makes of the line's fields, or what is wrong with them. */
export function readLine<T>(line: string, of: (fields: Fields) => T): Result<T> {
  let document: unknown;
  try {
    document = JSON.parse(line);
  } catch {
    return refused("not JSON");
  }
  if (!isDocument(document)) return refused("not an object");
  const fields = new Fields(document);
  const value = of(fields);
  return fields.mistake === null ? read(value) : refused(fields.mistake);
}

export class Fields {
  readonly #document: Document;
  readonly #path: string;
  readonly #outer: Fields | null;
  #mistake: string | null = null;

  constructor(document: Document, path = "", outer: Fields | null = null) {
    this.#document = document;
    this.#path = path;
    this.#outer = outer;
  }

  get mistake(): string | null {
    return this.#mistake;
  }

  /** The field when it is right, and something harmless with a mistake otherwise. */
  take<T>(name: string, wanted: string, isRight: (value: unknown) => value is T, harmless: T): T {
    const value = this.#get(name);
    if (isRight(value)) return value;
    this.#refuse(`${name} is not ${wanted}`);
    return harmless;
  }

  isNull(name: string): boolean {
    return this.#get(name) === null;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#document, name);
  }

  number(name: string, least: number, most: number): number {
    const isRight = (value: unknown): value is number =>
      typeof value === "number" && value >= least && value <= most;
    return this.take(name, `a number from ${least} to ${most}`, isRight, least);
  }

  whole(name: string, least: number, most: number): number {
    const isRight = (value: unknown): value is number =>
      Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
    return this.take(name, `a whole number from ${least} to ${most}`, isRight, least);
  }

  index(name: string, count: number): number {
    const isRight = (value: unknown): value is number => isIndex(value, count);
    return this.take(name, `one of ${count} machines`, isRight, 0);
  }

  text(name: string, pattern: RegExp, wanted: string): string {
    const isRight = (value: unknown): value is string => typeof value === "string" && pattern.test(value);
    return this.take(name, wanted, isRight, "");
  }

  oneOf<const T extends string>(name: string, words: readonly [T, ...T[]]): T {
    const isRight = (value: unknown): value is T => words.some((word) => word === value);
    return this.take(name, words.join(" or "), isRight, words[0]);
  }

  inner(name: string): Fields {
    return new Fields(this.take(name, "an object", isDocument, {}), `${name}.`, this);
  }

  #refuse(mistake: string): void {
    this.#mistake ??= mistake;
    if (this.#outer !== null) this.#outer.#refuse(`${this.#path}${mistake}`);
  }

  #get(name: string): unknown {
    return Object.hasOwn(this.#document, name) ? this.#document[name] : undefined;
  }
}

export const isIndex = (value: unknown, count: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < count;

const isDocument = (value: unknown): value is Document =>
  typeof value === "object" && value !== null && !Array.isArray(value);
