/** All experiments on leaders that give their place away. */

import type { HandoverExperiment } from "./experiment.ts";
import { feedback } from "./feedback.ts";
import { followTheSun } from "./follow-the-sun.ts";

export const HANDOVER_EXPERIMENTS: readonly HandoverExperiment[] = [feedback, followTheSun];
