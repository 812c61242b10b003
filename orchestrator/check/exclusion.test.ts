import { hold } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

tell("exclusive", {
  good: {
    "one after the other": [hold("s1", 0, 5, 1), hold("s2", 5, 9, 2)],
    "two locks at once": [hold("s1", 0, 5, 2, "door"), hold("s2", 4, 9, 1, "gate")],
    "written down in another order": [hold("s2", 5, 9, 2), hold("s1", 0, 5, 1)],
    "the same session again": [hold("s1", 0, 5, 1), hold("s1", 6, 9, 2)],
  },
  bad: {
    "two at once": [[hold("s1", 0, 5, 1), hold("s2", 4, 9, 2)], /two holders/],
    "one within another": [
      [hold("s1", 0, 9, 1), hold("s2", 2, 3, 2), hold("s3", 5, 6, 3)],
      /^two holders: s1 .* and s[23] /,
    ],
    "the one within does not end the one around": [
      [hold("s1", 0, 9, 1), hold("s2", 2, 3, 2), hold("s3", 5, 6, 3)],
      /^two holders: s1 holds lock \[0, 9\]/,
    ],
    "the same token again": [[hold("s1", 0, 5, 2), hold("s2", 6, 9, 2)], /a token not greater/],
    "a token that would be turned away": [[hold("s1", 0, 5, 2), hold("s2", 6, 9, 1)], /a token not greater/],
  },
});
