/** What a host of a group counts, as it sends and receives; the members take no part in it. */

export class GroupCounts {
  /** Announcements that left, by kind. */
  readonly sent = new Map<string, number>();
  /** Announcements that were given to a member, by kind; one that reaches nine members counts nine times. */
  readonly given = new Map<string, number>();
  /** What came in and was not given, or did not go out. */
  readonly not = {
    /** From this very member, or from another under its number. */
    own: 0,
    /** Of another program, version or cluster. */
    stranger: 0,
    damaged: 0,
    /** Without a proof of the group's secret, or with a wrong one. */
    forged: 0,
    /** Proved, but heard before, or not of now. */
    replayed: 0,
    /** It arrived where nobody had begun yet, or nobody was left. */
    unheard: 0,
    /** Longer than a datagram. */
    tooLong: 0,
    /** The kernel did not take it. */
    unsent: 0,
  };

  /** Announcements of all kinds, or of one. */
  total(of: "sent" | "given", kind?: string): number {
    if (kind !== undefined) return this[of].get(kind) ?? 0;
    return [...this[of].values()].reduce((sum, count) => sum + count, 0);
  }

  add(to: "sent" | "given", kind: string, count = 1): void {
    const counts = this[to];
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
}
