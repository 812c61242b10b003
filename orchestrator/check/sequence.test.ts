import { draw } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

tell("numbered", {
  good: {
    "one after the other": [draw(0, { zxid: 1 }), draw(1, { at: [2, 3], zxid: 2 })],
    "at once, in either order": [
      draw(1, { at: [0, 9], zxid: 2 }),
      draw(0, { at: [1, 8], session: "s2", zxid: 1 }),
    ],
    "with a gap where nobody knows": [
      draw(0),
      draw(null, { unknown: true, at: [2, 3] }),
      draw(2, { at: [4, 5] }),
    ],
    "one began when the other ended": [draw(5, { at: [0, 2] }), draw(4, { at: [2, 3] })],
    "places are compared, not the order of the replies": [
      draw(2, { at: [0, 9], zxid: 7 }),
      draw(3, { at: [0, 9] }),
      draw(1, { at: [0, 9], zxid: 6 }),
    ],
    "who was refused drew nothing": [draw(0), draw(0, { at: [2, 3], failure: "other" })],
    "each parent has its own": [draw(0), draw(0, { key: "y", at: [2, 3] })],
  },
  bad: {
    "given twice": [[draw(1), draw(1, { at: [0, 1] })], /given twice/],
    "fell back": [[draw(5, { at: [0, 1] }), draw(4, { at: [2, 3] })], /fell back/],
    "fell back behind the greater of two": [
      [draw(7, { at: [0, 2] }), draw(5, { at: [0, 3] }), draw(6, { at: [4, 5] })],
      /fell back/,
    ],
    "fell back behind one that ended before another that began earlier": [
      [draw(5, { at: [0, 9] }), draw(4, { at: [1, 2] }), draw(3, { at: [4, 5] })],
      /fell back: .*number=4.*, then .*number=3/,
    ],
    "fell back long after": [
      [draw(5, { at: [0, 1] }), draw(6, { at: [2, 3] }), draw(7, { at: [4, 5] }), draw(6.5, { at: [6, 7] })],
      /fell back: .*number=7/,
    ],
    "given twice to the first and the last": [
      [draw(1, { at: [0, 9] }), draw(2, { at: [0, 9] }), draw(1, { at: [0, 9] })],
      /given twice/,
    ],
    "against the history": [
      [draw(1, { at: [0, 9], zxid: 1 }), draw(0, { at: [0, 9], zxid: 2 })],
      /out of order/,
    ],
  },
});
