import type { Failure } from "../../kernel/failure.ts";
import type { Result } from "../../kernel/result.ts";
import { toRpc } from "../../platform/request-id.ts";

/** An access token, and the revision of the row that holds it. */
export interface RenewedToken {
  readonly token: string;
  readonly revision: number;
}

/** What the keeper of a tool's credentials does, as its callers see it. */
export interface TokenRefresherRpc {
  /** A token of another revision than `staleRevision`: the present one where there is one, else a new one. */
  renew(toolId: string, staleRevision: number): Promise<Result<RenewedToken, Failure>>;
}

/** The keeper of a tool's credentials. */
export function tokenRefresherStub(keepers: Env["KEEPERS"], toolId: string): TokenRefresherRpc {
  return toRpc(keepers.get(keepers.idFromName(toolId)));
}
