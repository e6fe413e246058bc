import { setting } from "../../scripts/proof/setting.ts";

/** FAULTS_SEED; the runtime's own pace has a say as well. */
export const SEED = setting("FAULTS_SEED", 20_261_122);
/** FAULTS_NTHS: of the calls that a journey makes of a binding, those that a fault befalls. */
export const NTHS_MAX = setting("FAULTS_NTHS", 3, 2);
