import { setting } from "../../../scripts/proof/setting.ts";
import { OPERATIONS, type Operation } from "./operations.ts";

export const SEED = setting("FUZZ_SEED", 20_261_122, 0);
/** The total number of requests for all operations. Raise it with the number of operations. */
const REQUESTS = setting("FUZZ_REQUESTS", 31_500);

/**
 * Operations whose successful requests are slow, because each needs a new resource or returns half
 * a megabyte.
 */
const SLOW_OPERATIONS =
  /^(?:approveCall|denyCall|cancel|retry|respond|review|report|revoke|retire|delete|claim|getOpenApi|create|updateWebhook|getDelivery|redeliver)/;
const DEAR_SHARE = 0.3;

const shareOf = ({ id }: Operation): number => (SLOW_OPERATIONS.test(id) ? DEAR_SHARE : 1);
const shares = OPERATIONS.reduce((sum, operation) => sum + shareOf(operation), 0);

/** The number of requests to send to an operation. */
export function runsOf(operation: Operation): number {
  return Math.ceil((REQUESTS * shareOf(operation)) / shares);
}
