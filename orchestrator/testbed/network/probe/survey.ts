/**
 * What a prober is asked and what it answers. A prober is one process with a socket on every machine: its
 * clock is the sender's and the receiver's, so one-way delays can be measured at all.
 */

export interface ProberSettings {
  readonly machines: readonly { readonly namespace: string; readonly address: string }[];
}

/** Machines by their index. */
export type Pair = readonly [from: number, to: number];

export type Question =
  /**
   * One-way delays by UDP: each pair in turn, `interval` microseconds apart, until `rounds` or the next
   * question.
   */
  | {
      readonly kind: "one-way";
      readonly pairs: readonly Pair[];
      readonly rounds: number;
      readonly interval: number;
    }
  /** Round-trip times by TCP handshakes, as the kernel measures them. */
  | { readonly kind: "handshake"; readonly pairs: readonly Pair[]; readonly rounds: number }
  /** What one TCP flow carries; the best second counts, because the first ones are slow start. */
  | {
      readonly kind: "bandwidth";
      readonly pair: Pair;
      readonly seconds: number;
      readonly buffers: number | null;
    }
  | { readonly kind: "stop" };

export interface OneWay {
  readonly from: number;
  readonly to: number;
  readonly sent: number;
  /** In microseconds, in the order sent; lost ones left out. */
  readonly delays: readonly number[];
  /** Arrived after one that was sent later. */
  readonly reordered: number;
}

export interface Handshakes {
  readonly from: number;
  readonly to: number;
  /** In microseconds; a handshake that failed or was repeated is left out. */
  readonly roundTrips: readonly number[];
}

export type Finding =
  | { readonly kind: "one-way"; readonly ways: readonly OneWay[] }
  | { readonly kind: "handshake"; readonly ways: readonly Handshakes[] }
  /** Bits per second of payload in each whole second. */
  | { readonly kind: "bandwidth"; readonly perSecond: readonly number[] }
  | { readonly kind: "stop" };
