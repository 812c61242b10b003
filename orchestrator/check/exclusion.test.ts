import { hold } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

tell("exclusive", {
  good: {
    "one after the other": [hold("s1", 0, 5, 1), hold("s2", 5, 9, 2)],
    "the same session again": [hold("s1", 0, 5, 1), hold("s1", 6, 9, 2)],
  },
  bad: {
    "two at once": [[hold("s1", 0, 5, 1), hold("s2", 4, 9, 2)], /two holders/],
    "one within another": [[hold("s1", 0, 9, 1), hold("s2", 2, 3, 2), hold("s3", 5, 6, 3)], /s1.*s3/],
    "a token that would be turned away": [[hold("s1", 0, 5, 2), hold("s2", 6, 9, 1)], /a token not greater/],
  },
});
