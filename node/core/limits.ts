/**
 * How large what servers say to each other can be. A frame beyond the limit is refused by whoever reads it,
 * so nothing may be logged that no frame can carry: it could never leave the server that has it, and would be
 * tried for ever.
 *
 * Between the two limits lies a wide margin: what is taken today is far below what could ever be carried, and
 * whatever a quorum holds has been carried once.
 */

/** What follows the length of a frame between servers, at most. */
export const FRAME_LIMIT = 16 * 1024 * 1024;

/** What a frame with one transaction has besides that transaction's payload. */
export const PROPOSE_HEAD = 38;

/** The largest payload that another server can ever have been told. */
export const LARGEST_TOLD = FRAME_LIMIT - PROPOSE_HEAD;

/** The largest payload that is taken: a client's largest request, with who it is. */
export const PAYLOAD_LIMIT = 2 * 1024 * 1024;
