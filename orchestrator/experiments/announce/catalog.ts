/** Every figure and claim of the chapter that is put to the test. */

import type { Claim } from "./claim.ts";
import { figure510 } from "./figure-5-10.ts";
import { figure511 } from "./figure-5-11.ts";
import { figure512 } from "./figure-5-12.ts";
import { figure513 } from "./figure-5-13.ts";
import { figure56 } from "./figure-5-6.ts";
import { figure57 } from "./figure-5-7.ts";
import { figure58 } from "./figure-5-8.ts";
import { figure59 } from "./figure-5-9.ts";
import { textBelievers } from "./text-believers.ts";
import { textBye } from "./text-bye.ts";
import { textDeparture } from "./text-departure.ts";
import { textExponential } from "./text-exponential.ts";
import { falseDeparture } from "./text-false-departure.ts";
import { textJoiners } from "./text-joiners.ts";
import { levelsOff } from "./text-levels-off.ts";
import { textMapped } from "./text-mapped.ts";
import { textMixed } from "./text-mixed.ts";
import { textRepeats } from "./text-repeats.ts";
import { textRows } from "./text-rows.ts";

export const CLAIMS: readonly Claim[] = [
  figure56,
  figure57,
  figure58,
  figure59,
  figure510,
  figure511,
  figure512,
  figure513,
  textRows,
  levelsOff,
  textMixed,
  textDeparture,
  falseDeparture,
  textJoiners,
  textExponential,
  textBelievers,
  textRepeats,
  textBye,
  textMapped,
];
