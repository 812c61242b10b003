/**
 * A host's obligations: what an automaton may rely on, whatever runs it.
 *
 *  1. The first input of a life is `start`, with all that is durable of earlier lives; `life` differs
 *     between lives. It tells what the wall clock shows; once that was set, `clock` comes before the next
 *     input.
 *  2. One input at a time; a step never interleaves with another. `now` never goes back.
 *  3. Effects are done in the order returned.
 *  4. Arming an armed timer replaces it. A disarmed timer never fires, even if it was already due. A timer
 *     never fires early.
 *  5. `append` returns at once. Records become durable in the order appended; `durable` tells how many of
 *     this life's records are, and never goes back.
 *  6. A crash keeps a prefix of the records that is at least as long as the last `durable`; everything else
 *     is lost.
 *  7. `connected(s)` and `unreachable(s)` alternate, beginning with `connected`. Nothing comes from s
 *     before `connected` or after `unreachable`; what is sent to s meanwhile is dropped in silence.
 *  8. Within one connection, messages of one channel arrive in the order sent, each once, or not at all;
 *     what is lost is always a suffix and ends in `unreachable`. Control messages (heartbeats, elections)
 *     have a channel of their own and never wait behind bulk.
 *  9. A server never sends to itself.
 * 10. When a server's process dies, those connected to it get `unreachable` after about one one-way delay;
 *     when its machine dies or the network is cut, nothing comes at all.
 * 11. `close` ends the connection on both sides; the host connects again by itself.
 * 12. Every batch of inputs that were at hand together is followed by one `turn`.
 * 13. A frame that cannot be decoded closes its connection with a logged reason; the replica lives.
 * 14. A bulk channel through which nothing passes any more ends in `unreachable` after some seconds, also
 *     where control messages go on (a firewall forgot one connection of two).
 */
export const OBLIGATIONS = 14;
