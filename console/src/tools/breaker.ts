import type { Schemas } from "../api/client.ts";

type Breakers = Pick<Schemas["ToolUsage"], "breaker" | "agentBreakers">;

/** The service's clock may differ from the browser's. */
const REFETCH_MS_MIN = 2_000;

/** After how many milliseconds the first open breaker is due to change; false if none is open. `now`: in milliseconds. */
export function untilBreakerChange(
  { breaker, agentBreakers = [] }: Breakers,
  now: number,
): number | false {
  const ends = [breaker, ...agentBreakers].flatMap((one) =>
    one.state === "open" && one.until !== undefined ? [Date.parse(one.until)] : [],
  );
  return ends.length === 0 ? false : Math.max(REFETCH_MS_MIN, Math.min(...ends) - now);
}
