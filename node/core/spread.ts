/** What there is to say of many numbers without keeping them. */
export class Spread {
  count = 0;
  total = 0;
  least = 0;
  most = 0;
  last = 0;

  add(value: number): void {
    this.least = this.count === 0 ? value : Math.min(this.least, value);
    this.most = Math.max(this.most, value);
    this.count += 1;
    this.total += value;
    this.last = value;
  }

  get mean(): number {
    return this.count === 0 ? 0 : this.total / this.count;
  }

  clear(): void {
    this.count = this.total = this.least = this.most = this.last = 0;
  }
}
