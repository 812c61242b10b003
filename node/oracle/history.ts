/**
 * theta_z: the fattest server leads, the one with the longest history of transactions.
 *
 * It need not fetch anything before it serves, only push what others lack, so recovery is short where links
 * are (section 2.3). ZooKeeper's own rule.
 */

import { counterOf, epochOf } from "../core/zxid.ts";
import type { Oracle } from "./oracle.ts";
import { moreIsBetter } from "./order.ts";

export const history: Oracle = {
  score: ({ lastZxid }) => [epochOf(lastZxid), counterOf(lastZxid)],
  compare: moreIsBetter,
  ready: () => true,
  explain: ({ lastZxid }) => ({ epoch: epochOf(lastZxid), counter: counterOf(lastZxid) }),
};
