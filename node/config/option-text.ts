/** What somebody wrote for a switch, or for an option of an election. */

import { unreachable } from "../core/assert.ts";
import { type Option, parseOrder, SWITCHED, type Value } from "../election/options.ts";
import { duration, integer, oneOf, WrongValue } from "./quantity.ts";

/** Throws WrongValue, saying what would be right. */
export function parseOption(option: Option, text: string): Value {
  switch (option.kind) {
    case "duration":
      return duration(text);
    case "switch":
      return parseSwitch(text);
    case "count":
      return integer(option.least, option.most)(text);
    case "order": {
      const order = parseOrder(text);
      if (order === null) throw new WrongValue("ids, or the servers in order, such as 3,1,2");
      return order;
    }
    default:
      return unreachable(option);
  }
}

export function parseSwitch(text: string): boolean {
  return SWITCHED[text] ?? oneOf(["yes", "no"])(text) === "yes";
}
