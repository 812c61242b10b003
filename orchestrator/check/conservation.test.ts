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
  },
  bad: {
    "half a transfer": [[open("a", 10), open("b", 10), transfer(3), audit([7, 10])], /17 instead of 20/],
  },
});
