/**
 * Connections that a firewall on the way has forgotten: nothing of theirs passes any more, in either
 * direction, and what is made anew has another port and passes.
 *
 * Which connection of two machines it is shows when it speaks: `bulk` is one that carries a packet larger
 * than a heartbeat ever is.
 */

const TCP = 6;
/** As large as what a heartbeat or an acknowledgement never is. Bytes of payload. */
export const LARGE = 600;
/** Microseconds: what has not spoken by then is not forgotten any more. */
export const PATIENCE = 3e6;

interface Wanted {
  readonly which: "bulk" | "any";
  readonly until: number;
}

export class Forgetting {
  /** By both machines. */
  readonly #wanted = new Map<string, Wanted>();
  /** By both machines and ports. */
  readonly #forgotten = new Set<string>();

  forget(one: number, other: number, which: "bulk" | "any", now: number): void {
    this.#wanted.set(pairOf(one, other), { which, until: now + PATIENCE });
  }

  /**
   * Whether this IPv4 packet is of a connection that is forgotten, which this one may be the first to show.
   */
  swallows(from: number, to: number, packet: Uint8Array, now: number): boolean {
    const head = ((packet[0] ?? 0) & 15) * 4;
    if (packet[9] !== TCP || packet.length < head + 20) return false;
    const port = (at: number): number =>
      (packet[head + at] as number) * 256 + (packet[head + at + 1] as number);
    const pair = pairOf(from, to);
    const ports = from < to ? `${port(0)} ${port(2)}` : `${port(2)} ${port(0)}`;
    const name = `${pair} ${ports}`;
    const wanted = this.#wanted.get(pair);
    if (wanted !== undefined) {
      const payload = packet.length - head - ((packet[head + 12] as number) >> 4) * 4;
      if (now > wanted.until) this.#wanted.delete(pair);
      else if (payload >= (wanted.which === "bulk" ? LARGE : 1)) {
        this.#wanted.delete(pair);
        this.#forgotten.add(name);
      }
    }
    return this.#forgotten.has(name);
  }
}

const pairOf = (one: number, other: number): string => `${Math.min(one, other)} ${Math.max(one, other)}`;
