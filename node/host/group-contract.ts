/**
 * What a member of a group may rely on, whatever runs it.
 *
 *  1. The first input of a life is `start`. `life` differs between lives, and nothing else of earlier lives
 *     comes with it.
 *  2. One input at a time; a step never interleaves with another. `now` never goes back.
 *  3. Effects are done in the order returned.
 *  4. Arming an armed timer replaces it. A disarmed timer never fires, even if it was already due. A timer
 *     never fires early. What a timer or the start arms counts from when that was due, however late it came.
 *  5. A message that is at hand goes before a timer that is due.
 *  6. What is announced goes to whoever listens when it arrives. Who listens is not said: who begins, ends,
 *     or begins again shows in nothing but what it announces itself.
 *  7. A message carries the number of whoever announced it, known or not.
 *  8. Each listener gets an announcement never, once or several times, and two of them in any order.
 *  9. What comes is what was announced. A datagram that is damaged, of another program, version or cluster,
 *     or that the codec refuses, is counted and not given; the member lives.
 * 10. A member never hears itself, nor anybody else under its own number.
 * 11. What is longer than a datagram is not sent at all: it is counted and told in a sentence; the member
 *     lives.
 * 12. Who ends says nothing: what it had announced may still arrive, and then nothing does.
 * 13. The host counts what it sent and what it gave, by kind of message, and what it did not give, by reason.
 */
export const GROUP_OBLIGATIONS = 13;
