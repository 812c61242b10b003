import { digest } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

tell("equal", {
  good: {
    "all alike": [digest(1, 9, "f00d"), digest(2, 9, "f00d"), digest(3, 9, "f00d")],
    "level in the end": [digest(1, 8, "cafe"), digest(2, 9, "f00d"), digest(1, 9, "f00d")],
  },
  bad: {
    "same place, other state": [[digest(1, 9, "f00d"), digest(2, 9, "beef")], /differ: p1 f00d at 0x9/],
    "they differed on the way": [
      [digest(1, 8, "cafe"), digest(2, 8, "beef"), digest(1, 9, "f00d"), digest(2, 9, "f00d")],
      /differ/,
    ],
    "one stayed behind": [
      [digest(1, 9, "f00d"), digest(2, 7, "beef")],
      /not level.*: p1 f00d at 0x9, p2 beef at 0x7$/,
    ],
    "one went on after all were level": [
      [digest(1, 9, "f00d"), digest(2, 9, "f00d"), digest(2, 10, "cafe")],
      /not level/,
    ],
    "of three, one has another state": [
      [digest(1, 9, "f00d"), digest(2, 9, "f00d"), digest(3, 9, "beef")],
      /differ: p1 f00d at 0x9 and p3 beef at 0x9/,
    ],
    "a server alone proves nothing": [[digest(1, 9, "f00d")], /vacuous/],
  },
});
