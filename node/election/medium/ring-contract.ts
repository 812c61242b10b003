/**
 * What an election over the ring may rely on, besides what `host/contract.ts` says of time, timers and lives.
 *
 *  1. A life begins alone: nobody has joined, and there is neither a successor nor a predecessor.
 *  2. `joined(s)` and `left(s)` alternate, beginning with `joined`; nothing comes from s before `joined` or
 *     after `left`. Both carry the members: this server, then whoever has joined, in the order of the ring.
 *  3. `successor changed` and `predecessor changed` follow the `joined` or `left` that changed them, before
 *     anything else; they name the next and the last of the members, or nobody when this server is alone.
 *  4. What is passed on reaches the successor, what is passed back the predecessor, what is told whom it is
 *     told; the receiver hears from whom it came and which way. With two servers both neighbours are one.
 *  5. What one server says to another arrives in the order said, each once, or not at all; what is lost is a
 *     suffix and ends in `left`.
 *  6. When a server's process dies, the ring closes around its place; when it is back, it has it again.
 *  7. Once all have joined each other, who is whose successor is the order of the ring, at every server.
 *  8. What is passed on or back by a server that is alone is dropped in silence.
 */
export const RING_OBLIGATIONS = 8;
