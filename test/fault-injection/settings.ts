import { setting } from "../../scripts/proof/setting.ts";

/** Set by FAULTS_SEED. The runtime's timing also affects a run. */
export const SEED = setting("FAULTS_SEED", 20_261_122);
/** Set by FAULTS_NTHS: the maximum number of calls per binding at which faults are injected. */
export const NTHS_MAX = setting("FAULTS_NTHS", 3, 2);
