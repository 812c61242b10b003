/** Gives equal values, as JSON has it, the same number. */
export class Interned<T> {
  readonly #numbers = new Map<string, number>();
  readonly #values: T[] = [];

  number(value: T): number {
    const text = JSON.stringify(value);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#values.push(value);
    this.#numbers.set(text, this.#values.length - 1);
    return this.#values.length - 1;
  }

  value(number: number): T {
    return this.#values[number] as T;
  }
}
