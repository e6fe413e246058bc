import { setting } from "../../scripts/proof/setting.ts";

/** Set by FAULTS_SEED. The runtime's timing also affects a run. */
export const SEED = setting("FAULTS_SEED", 20_261_122);
/**
 * Set by FAULTS_NTHS: at most this many of a scenario's calls to each binding are tested with
 * faults.
 */
export const NTHS_MAX = setting("FAULTS_NTHS", 3, 2);
