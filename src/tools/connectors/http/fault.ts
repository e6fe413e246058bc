import type { Problem } from "../../../domain/problem.ts";
import type { CallFault } from "../contract.ts";

/** Parameters that cannot be sent. */
export function parametersFault(problems: readonly Problem[]): CallFault {
  return { kind: "parameters", problems };
}

/** What nobody but the system, or whoever registered the tool, can put right; `reason` is a clause: "it …". */
export function broken(reason: string, retryAfterSeconds: number | null = null): CallFault {
  return { kind: "broken", reason, retryAfterSeconds };
}
