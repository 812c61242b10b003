/**
 * What a member of the medium `service` may rely on, whatever runs it.
 *
 *  1. The first input of a life is `start`. `life` differs between lives, and nothing of earlier lives comes
 *     with it: no session, no answer, no event, no timer.
 *  2. One input at a time; a step never interleaves with another. `now` never goes back.
 *  3. Effects are done in the order returned; questions reach the service in the order in which they were
 *     asked.
 *  4. Arming an armed timer replaces it. A disarmed timer never fires, even if it was already due. A timer
 *     never fires early.
 *  5. An answer or event that is at hand goes before a timer that is due.
 *  6. `connected` says that there is a session: a new one, or the one that was suspended. What is asked
 *     before waits for it.
 *  7. Each question is sent once at most and has one answer, and answers come in the order of the questions.
 *  8. When the connection ends, what was sent and is not answered is answered `unknown`, before `suspended`.
 *  9. What is asked while suspended waits, and goes out in the same session; when that has expired, it is
 *     answered `unknown` before `expired`. No question ever goes out in another session than the one in which
 *     it was asked.
 * 10. A watch is set by the answer to its question and tells one change. Its event comes before any answer
 *     that shows the change, and every answer that comes after it shows it.
 * 11. A watch outlives the connection: what changed while suspended is told before the answer to whatever is
 *     asked then. A watch whose question was answered `unknown` is not set.
 * 12. `suspended` comes as soon as the connection is known to have ended, and at the latest when nothing was
 *     heard for two thirds of the session's timeout: before others see that the session has ended, as long as
 *     an answer takes less than a third of it.
 * 13. `expired` is the service's own word, comes after `suspended`, and what the session owned is gone.
 *     Nothing of that session comes after it, no event of its watches either; `connected` with a new session
 *     follows.
 * 14. Two lives never share a session. A life that ends without `leave` leaves its session to its timeout.
 * 15. `leave` ends the session: what it owned goes at once, and nothing more comes to this life.
 * 16. The host counts questions by kind, answers that were refused and unknown, watches that were set, and
 *     events by kind.
 * 17. A member shows who it is at every connection. Whom the service does not believe is told
 *     `not believed`, and nothing more comes to this life.
 */
export const SERVICE_OBLIGATIONS = 17;
