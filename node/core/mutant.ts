/**
 * Wrong variants of the replica, one line each, kept in the code behind a switch.
 *
 * A simulator that never fails proves nothing until it is known what it would catch. Each mutant is a mistake
 * that someone could make; `make mutants` switches on one at a time and demands that the swarm finds it.
 */

export const MUTANTS = {
  "acknowledge-before-durable":
    "a follower acknowledges transactions when they arrive, not when they are on its disk",
  "commit-without-quorum": "the leader commits what one server besides itself has",
  "commit-own-without-disk":
    "the leader counts itself among those who have a transaction before its disk does",
  "no-pull": "a new leader serves with its own history, although a follower's is newer",
  "forget-promise": "acceptedEpoch is kept in memory only",
  "forget-epoch": "currentEpoch is not written when the new leader is accepted",
  "skip-truncate": "a follower keeps transactions that the leader's history does not have",
  "stale-leader-serves": "a leader that lost its quorum goes on acknowledging",
  "sync-without-quorum": "a sync is answered without asking whether the leader still leads",
  "follow-without-leaders-vote": "a quorum of votes suffices, although the leader itself did not vote",
  "snapshot-without-last": "a snapshot claims the last transactions without holding them",
  "reorder-commits": "two commits that arrive together are executed in reverse",
  "deliver-before-commit": "a follower executes what is proposed, without waiting for the commit",
  "reuse-epoch": "a new leader takes the highest promised epoch itself, not the next",
  "retake-epoch": "a leader that lost its followers asks them for the epoch in which it has led them",
  "timeless-state": "the time of day begins anew under a leader whose log a checkpoint has let go",
  "serve-before-synchronized": "a leader proposes new transactions before a quorum has its initial history",
  "resubmit-blindly": "after a new leader is found, every pending write is forwarded again, seen or not",
  "accept-ahead": "a client that has read a newer state elsewhere is served the older one of this server",
  "ties-without-id": "equal scores are not ordered by id",
  "token-without-quorum": "who has its token back leads, however few let it pass",
  "announcement-believed":
    "who let no token of a leader pass follows it because it hears that it was elected",
  "lost-token-not-repeated": "what was said in a round is never said again",
  "resigns-restlessly": "a leader resigns however little time has passed since the last change of leader",
  "resigns-without-holding": "a leader resigns as soon as another seems better",
  "kept-writes-dropped": "what a leader kept back while it gave its place away is forgotten when it leads on",
  "claim-not-repeated": "who leads says so once, and never to who connects or claims less",
  "claim-without-epoch": "who serves claims no more than who only believes to lead",
} as const;

/**
 * Two that worlds drawn at random would meet once in many thousands. The first needs five servers, a follower
 * with a slow disk and a crash that its new leader does not notice; the second brings back what an epoch
 * without transactions had dropped, which shows only in who is asked. Each has a story in `broadcast/` that
 * catches it.
 */
export const RARE_MUTANTS = {
  "promise-before-durable": "a follower answers a new epoch before its promise is on disk",
  "new-disk-believed": "a server with a new disk takes part at once, as if it were new itself",
  "pull-by-zxid-alone": "the newest history is found by last zxid, without looking at currentEpoch first",
} as const;

/** What only slows a world down, or floods it; small worlds and stories of elections kill these. */
export const SLOW_MUTANTS = {
  "ok-not-awaited": "who is told that somebody greater lives takes it for consent",
  "dead-not-skipped": "who is known to be down is asked and waited for all the same",
  "coordinator-without-quorum": "who finds nobody greater leads, however few it reaches",
  "bullied-on-recovery": "who has a leader goes over to any other that says it leads",
  "two-followed-in-a-round": "a second leader of a round is followed as well",
  "voted-twice-a-round": "whoever asks has the vote, though another has it in that round",
  "restarted-voter-votes": "who has just started votes, though it may have voted in an earlier life",
  "not-all-awaited": "who waits for all that live votes for the best of those that have asked so far",
  "lease-from-answer": "a master counts its lease from when it was answered",
  "promise-forgotten": "a voter promises nothing with its vote",
  "master-without-majority": "who asks for votes leads with its own",
  "master-informs-nobody": "who has a majority does not say so",
  "gap-not-closed": "what was said to a neighbour that is gone is not said to the next",
  "orphan-token-kept": "a token whose owner is gone goes round for ever",
  "round-falls": "who is told of a leader goes back to its round, and draws other keys for those after it",
  "flag-for-all-runs": "who has said anything in one run drops smaller tokens of all",
  "smaller-passed-on": "who has said anything in one run passes on smaller tokens of all",
  "gone-key-kept": "who has its token back waits for a greater one although that one let it pass",
} as const;

/** Wrong variants of what is around the replica: only worlds of whole servers meet these. */
export const SERVER_MUTANTS = {
  "leases-not-begun-anew": "the time in which no leader served counts as silence of the clients",
  "leader-vouches-for-nobody": "a leader ends sessions that another server hears",
  "resume-is-no-sign": "that a client came back is no sign of its life",
  "cut-off-keeps-clients": "a server without a quorum keeps its clients waiting",
  "events-after-answers": "an answer goes out before the events that it reflects",
  "identities-unbounded": "a client may prove any number of names of any length",
  "known-passes-pause": "what a server answers by itself does not count as asked",
  "unread-is-answered": "who reads nothing is answered all the same",
  "installs-overtake": "a snapshot is installed when its file is whole, whatever was begun before it",
  "nothing-held-back": "what follows a snapshot that replaces the history does not wait for it",
  "last-write-not-repeated": "what is read after a kill is taken for safe",
  "folder-not-synced": "a new segment is written before its name is on the disk",
  "failure-not-final": "the log is written on after a write that failed",
  "welcomed-not-asked": "a server that begins to serve is not asked what the others were asked before",
  "snapshot-never-settles": "a snapshot that brings all that was to be settled does not settle it",
  "moved-is-closed": "the old connection of a session that moved is closed at once",
  "moved-may-write": "what the old connection of a session that moved writes is done",
  "ends-at-once": "however many sessions are late, all are ended in one step",
  "ends-late": "a session is waited for twice as long as was agreed",
  "clock-not-followed": "that somebody has set the wall clock is not noticed",
  "config-without-version": "/zookeeper/config is told without its version",
  "exists-asks-nobody": "exists shows also who may not read that there is a znode",
  "acls-unbounded": "what auth stands for in an ACL has no bound",
  "forgotten-unnoticed": "a connection of which one lane was forgotten on the way is taken for whole",
} as const;

export type Mutant =
  | keyof typeof MUTANTS
  | keyof typeof RARE_MUTANTS
  | keyof typeof SLOW_MUTANTS
  | keyof typeof SERVER_MUTANTS;

export const mistakeOf = (mutant: Mutant): string =>
  ({ ...MUTANTS, ...RARE_MUTANTS, ...SLOW_MUTANTS, ...SERVER_MUTANTS })[mutant];
