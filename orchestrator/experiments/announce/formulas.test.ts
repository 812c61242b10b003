import assert from "node:assert/strict";
import { test } from "node:test";
import * as formulas from "./formulas.ts";

const about = (found: number, expected: number, what: string, digits = 0.0006): void =>
  assert.ok(
    Math.abs(found - expected) <= digits * Math.max(1, expected),
    `${what}: ${found}, not ${expected}`,
  );

test("rounds: of one listener as of all together, none without loss, and no digits lost", () => {
  about(formulas.rounds(0.4, 1), 0.4 / 0.6, "one listener");
  assert.equal(formulas.rounds(0, 50), 0);
  about(formulas.rounds(0.4, 99), 5.15, "99 listeners", 0.001);
  about(
    formulas.rounds(0.4, 59) - formulas.rounds(0.4, 29),
    Math.log(2) / Math.log(1 / 0.4),
    "doubled",
    0.02,
  );
});

test("until latched, of LE-S, LE-A and LE-M", () => {
  const delay = (kind: formulas.LossKind, loss: number, members: number, suppress = 0.5): number =>
    formulas.leadershipDelay(kind, loss, members, suppress) + 0.05;
  about(delay("shared", 0.1, 5), 0.4111, "LE-S 5 sh");
  about(delay("independent", 0.1, 5), 0.6877, "LE-S 5 ind");
  about(delay("shared", 0.4, 10), 0.9667, "LE-S 10 sh");
  about(delay("independent", 0.4, 10), 2.888, "LE-S 10 ind");
  about(delay("independent", 0.2, 50), 2.585, "LE-S 50 ind");
  about(delay("independent", 0.1, 5, 0), 0.4377, "LE-A 5 ind");
  about(formulas.earliestDelay("shared", 0.4, 10, 0.5) + 0.05, 0.7621, "LE-M 10 sh");
});

test("announcements in T_S and until latched", () => {
  about(formulas.messages(5, 0, 0.1), 2.678, "5, no loss");
  about(formulas.messages(5, 0.1, 0.1), 2.803, "5, .1");
  about(formulas.messages(10, 0.4, 0.1), 4.855, "10, .4");
  about(formulas.printedMessages(10, 0.4, 0.1), 3.98, "10, .4, printed");
  about(formulas.messages(50, 0.2, 0.1), 10.213, "50, .2");
  about(formulas.messages(10, 0, 0), 2.929, "no delay: H_10");
  about(formulas.messages(10, 0.3, 1), 10, "delay of T_S: all");
  about(formulas.messagesUntilLatched(5, 0.1, 0.1), 2.99, "5, .1 sh");
  about(formulas.messagesUntilLatched(50, 0.2, 0.1), 10.658, "50, .2 sh");
  about(formulas.messagesUntilLatched(10, 0.4, "le-a"), 11.635, "LE-A 10, .4 sh");
  about(formulas.everybodysMessages(10, 0.4), 13.647, "LE-A 10, .4 ind");
  about(formulas.everybodysMessages(5, 0.1), 5.511, "LE-A 5, .1 ind");
  about(formulas.earliestMessages(10, 0, 0.1), 2, "LE-M, no loss");
  about(formulas.earliestMessages(10, 0.4, 0.1), 2.666, "LE-M, .4 sh");
  about(formulas.lateMessages(100, 0.1, 5), 8.16, "x = 5, 100");
  about(formulas.lateMessages(10, 0.1, 5), 4.04, "x = 5, 10");
});

test("who believes to lead in the first round", () => {
  const { believing, announcing } = formulas.believers(10, 0.4, 0.1, 0.3);
  about(believing, 6.013, "believers");
  about(announcing, 1.804, "announcers");
  about(formulas.believers(10, 0, 0.1, 0.3).believing, 4.463, "without loss");
});

test("departure", () => {
  const of = (members: number, listen: number, loss: number) => ({
    members,
    listen,
    loss,
    suppress: 0.5,
    delay: 0.05,
  });
  about(formulas.departureDelay(of(5, 2.5, 0)), 2.35, "no loss");
  about(formulas.sharedDeparture(of(5, 2.5, 0.1)), 2.361, ".1 sh");
  about(formulas.sharedDeparture(of(5, 3.5, 0.3)), 3.405, ".3 sh");
  about(formulas.independentDeparture(of(5, 2.5, 0.1)), 2.652, ".1 ind");
  about(formulas.independentDeparture(of(5, 3.5, 0.3)), 4.316, ".3 ind");
  about(formulas.independentDeparture(of(20, 3.5, 0.1)), 4.381, ".1 ind of 20");
  about(formulas.independentDeparture(of(5, 2.5, 0)), 2.35, "no loss, each");
});

test("joiners", () => {
  about(formulas.largerJoiner("independent", 0.1, 5, 0.5) + 0.05, 0.764, "larger, 5");
  about(formulas.largerJoiner("independent", 0.4, 10, 0.5) + 0.05, 2.997, "larger, 10");
  about(formulas.smallerJoiner(0.4), 1.167, "smaller");
});

test("false alarms", () => {
  about(formulas.falseShare("shared", 0.1, 5, 1.5), 0.055, "share, sh");
  about(formulas.falseShare("independent", 0.1, 5, 1.5), 0.1917, "share, ind");
  about(formulas.falseShare("independent", 0.1, 5, 1.9), 0.0699, "share, 1.9");
  about(formulas.falseShare("independent", 0.3, 5, 2.5), 0.209, "share, .3");
  about(formulas.falseShare("independent", 0.4, 100, 5.15), 0.59, "the rule of the text", 0.005);
  about(formulas.falseEpisode("independent", 0.1, 5, 1.5), 0.629, "episode");
  about(formulas.falseEpisode("shared", 0.3, 5, 2.5), 0.929, "episode, .3 sh");
});

test("copies of a Bye for 99 %", () => {
  const copies = (listeners: number, loss: number) =>
    formulas.byeCopies("independent", loss, listeners, 0.99);
  assert.deepEqual([copies(4, 0.1), copies(49, 0.1), copies(99, 0.1)], [3, 4, 4]);
  assert.deepEqual([copies(4, 0.4), copies(49, 0.4), copies(99, 0.4)], [7, 10, 11]);
});
