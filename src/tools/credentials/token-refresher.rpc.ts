import type { Failure } from "../../kernel/failure.ts";
import type { Result } from "../../kernel/result.ts";
import { withRequestId } from "../../platform/request-id.ts";

/** An access token and the revision of its row. */
export interface RenewedToken {
  readonly token: string;
  readonly revision: number;
}

export interface TokenRefresherRpc {
  /** Returns the current token if it is fresh and its revision is not `staleRevision`; otherwise requests a new one. */
  renew(toolId: string, staleRevision: number): Promise<Result<RenewedToken, Failure>>;
}

export function tokenRefresherStub(keepers: Env["KEEPERS"], toolId: string): TokenRefresherRpc {
  return withRequestId(keepers.get(keepers.idFromName(toolId)));
}
