import { audit, open, transfer } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

tell("conserved", {
  good: {
    "moved about": [open("a", 10), open("b", 10), transfer(3), audit([7, 13])],
    "moved or not": [open("a", 10), open("b", 10), transfer(3, { unknown: true }), audit([10, 10])],
    "an audit that failed says nothing": [
      open("a", 10),
      transfer(3),
      audit([], { failure: "other" }),
      audit([10]),
    ],
    "an account that could not be opened has nothing": [
      open("a", 10),
      open("b", 10, { failure: "exists" }),
      transfer(3),
      audit([7, 3]),
    ],
  },
  bad: {
    "money that was made": [
      [open("a", 10), open("b", 10), transfer(3), audit([10, 13])],
      /^23 instead of 20/,
    ],
    "a transfer of which nobody knows was torn": [
      [open("a", 10), open("b", 10), transfer(3, { unknown: true }), audit([7, 10])],
      /^17 instead of 20/,
    ],
    "right at first, wrong later": [
      [open("a", 10), transfer(3), audit([10]), transfer(3), audit([13])],
      /^13 instead of 10/,
    ],
    "nothing was moved": [[open("a", 10), transfer(3, { failure: "absent" }), audit([10])], /vacuous/],
    "nobody looked": [[open("a", 10), transfer(3)], /vacuous/],
    "half a transfer": [[open("a", 10), open("b", 10), transfer(3), audit([7, 10])], /17 instead of 20/],
  },
});
