/**
 * How fast a TCP connection takes what it is given: as much may be under way as its congestion window allows,
 * which is ten segments at first, grows by whatever is acknowledged while it is the limit, and shrinks while
 * nothing is sent. A new connection thus needs a few round trips for what an old one sends in one.
 *
 * Packets are not lost here, so a window never shrinks under load.
 */

export interface WindowShape {
  /** Bytes. */
  readonly initial: number;
  /** What the receiver's buffer allows. */
  readonly most: number;
}

export class Flow {
  readonly #shape: WindowShape;
  #window: number;
  #underWay = 0;
  #leftAt = Number.NEGATIVE_INFINITY;
  #unacknowledged: Piece[] = [];
  /** So many of them are acknowledged. */
  #acknowledged = 0;
  /** The most that was under way at once, of late: until all that had been sent then was acknowledged. */
  #peak = 0;
  #peakEnds = 0;

  constructor(shape: WindowShape) {
    this.#shape = shape;
    this.#window = shape.initial;
  }

  /** When the last of `size` bytes leaves, which wait since `from`; times never go back. */
  leave(from: number, size: number, roundTrip: number): number {
    let at = Math.max(from, this.#leftAt);
    this.#acknowledge(at);
    this.#rest(at, roundTrip);
    for (let left = size; left > 0; ) {
      const room = this.#window - this.#underWay;
      if (room >= Math.min(left, SEGMENT)) {
        const bytes = Math.min(left, room);
        this.#underWay += bytes;
        this.#unacknowledged.push({ bytes, acknowledgedAt: at + roundTrip });
        if (this.#underWay > this.#peak || at >= this.#peakEnds) {
          this.#peak = this.#underWay;
          this.#peakEnds = at + roundTrip;
        }
        left -= bytes;
      } else {
        at = this.#unacknowledged[this.#acknowledged]?.acknowledgedAt ?? at;
        this.#acknowledge(at);
      }
    }
    this.#leftAt = at;
    return at;
  }

  #acknowledge(at: number): void {
    for (;;) {
      const piece = this.#unacknowledged[this.#acknowledged];
      if (piece === undefined || piece.acknowledgedAt > at) break;
      this.#acknowledged += 1;
      this.#underWay -= piece.bytes;
      // The kernel does not let a window grow of which less than half was used (RFC 7661).
      if (2 * this.#peak > this.#window) {
        this.#window = Math.min(this.#shape.most, this.#window + piece.bytes);
      }
    }
    if (2 * this.#acknowledged < this.#unacknowledged.length) return;
    this.#unacknowledged = this.#unacknowledged.slice(this.#acknowledged);
    this.#acknowledged = 0;
  }

  /** Halved with every timeout that passes in silence (RFC 2861). */
  #rest(at: number, roundTrip: number): void {
    const timeouts = Math.floor((at - this.#leftAt) / (roundTrip + LEAST_TIMEOUT));
    if (timeouts > 0) this.#window = Math.max(this.#shape.initial, this.#window / 2 ** timeouts);
  }
}

interface Piece {
  readonly bytes: number;
  readonly acknowledgedAt: number;
}

const SEGMENT = 1448;
/** Linux adds at least 200 ms to the round trip. */
const LEAST_TIMEOUT = 200_000;
