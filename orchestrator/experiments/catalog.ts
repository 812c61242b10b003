/** Every figure of the paper that is made of trials; Figure 3 is of the network alone. */

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
