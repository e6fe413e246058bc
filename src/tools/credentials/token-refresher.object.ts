import { DurableObject } from "cloudflare:workers";
import type { Failure } from "../../kernel/failure.ts";
import type { Result } from "../../kernel/result.ts";
import type { TokenRefresherRpc, RenewedToken } from "./token-refresher.rpc.ts";
import { renewToken, type TokenRenewal, type UnsavedRenewal } from "./renew-token.ts";
import { acceptRequestIds } from "../../platform/request-id.ts";

const UNSAVED_KEY = "unsaved";

/**
 * One object per tool runs one renewal at a time, because some servers treat a refresh token as stolen if it is used
 * twice.
 */
export class TokenRefresher extends DurableObject<Env> implements TokenRefresherRpc {
  static {
    acceptRequestIds(this);
  }

  #renewing: Promise<Result<RenewedToken, Failure>> | null = null;

  async renew(toolId: string, staleRevision: number): Promise<Result<RenewedToken, Failure>> {
    while (this.#renewing !== null) {
      const outcome = await this.#renewing;
      if (!outcome.ok || outcome.value.revision !== staleRevision) return outcome;
    }
    this.#renewing = renewToken(this.env, toolId, staleRevision, this.#unsaved());
    try {
      return await this.#renewing;
    } finally {
      this.#renewing = null;
    }
  }

  #unsaved(): UnsavedRenewal {
    const { kv } = this.ctx.storage;
    return {
      get renewal() {
        return kv.get<TokenRenewal>(UNSAVED_KEY) ?? null;
      },
      set renewal(renewal) {
        if (renewal !== null) kv.put(UNSAVED_KEY, renewal);
        else if (kv.get(UNSAVED_KEY) !== undefined) kv.delete(UNSAVED_KEY);
      },
    };
  }
}
