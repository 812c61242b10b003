/** Every figure of the paper that is an experiment. */

import type { Experiment } from "./experiment.ts";
import { figure4b } from "./figure-4b.ts";
import { figure6 } from "./figure-6.ts";
import { figure7a } from "./figure-7a.ts";
import { figure7b } from "./figure-7b.ts";
import { figure7c } from "./figure-7c.ts";
import { figure8a } from "./figure-8a.ts";
import { figure8b } from "./figure-8b.ts";

export const EXPERIMENTS: readonly Experiment[] = [
  figure4b,
  figure6,
  figure7a,
  figure7b,
  figure7c,
  figure8a,
  figure8b,
];

/**
 * Figure 3 is about the emulated network itself, not about the service: `polebench calibrate --bandwidth`
 * measures it. Virtual time has no kernel whose TCP could be measured.
 */
export const NOT_A_TRIAL = "3";
