/** What servers did in a run of torture in which nothing was wrong with any. */

import { instant } from "#node/core/time.ts";
import type { Conduct } from "../torture/judgement.ts";

export const calm: Conduct = {
  strikes: new Map([["crash", 1]]),
  leaps: [],
  spells: [],
  sitters: [{ moves: 1, bereaved: [] }],
  servers: 5,
  suicides: [],
  moves: 1,
  servedAfterMs: 100,
  allServedAfterMs: 200,
  trees: new Map(),
  looked: instant(1000),
};
