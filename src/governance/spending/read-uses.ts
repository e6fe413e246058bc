import { UnavailableError } from "../../kernel/failure.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { withTimeout } from "../../platform/promises.ts";
import { limitStub } from "./limit.rpc.ts";
import type { ListedLimit } from "./limits.store.ts";
import type { LimitResponse } from "./schemas.ts";
import { limitTermsOf, limitView } from "./view.ts";

/** Limits as clients see them, with their current use. */
export async function readLimitViews(
  env: Pick<Env, "LIMITS">,
  limits: readonly ListedLimit[],
): Promise<readonly LimitResponse[]> {
  if (limits.length === 0) return [];
  try {
    const reading = limitStub(env.LIMITS).readUses(limits.map(limitTermsOf));
    const uses = await withTimeout(STORE_TIMEOUT_MS, reading);
    return limits.flatMap((limit, index) => {
      const use = uses[index];
      return use === undefined ? [] : [limitView(limit, use)];
    });
  } catch (error) {
    throw new UnavailableError("The use of the limits", String(error));
  }
}
