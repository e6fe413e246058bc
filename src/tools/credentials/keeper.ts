import { DurableObject } from "cloudflare:workers";
import type { Failure } from "../../domain/failure.ts";
import type { Result } from "../../domain/result.ts";
import type { KeeperPort, Renewed } from "./port.ts";
import { renew, type Renewal, type Unsaved } from "./renew.ts";

const KEY = "unsaved";

/**
 * One object a tool: lets one renewal run at a time, since a refresh token that is used twice is taken
 * for stolen. The row in D1 is the truth; here lies, sealed, only what D1 has not taken yet.
 */
export class CredentialKeeper extends DurableObject<Env> implements KeeperPort {
  #flight: Promise<Result<Renewed, Failure>> | null = null;

  async renew(toolId: string, staleRevision: number): Promise<Result<Renewed, Failure>> {
    while (this.#flight !== null) {
      const outcome = await this.#flight;
      if (!outcome.ok || outcome.value.revision !== staleRevision) return outcome;
    }
    this.#flight = renew(this.env, toolId, staleRevision, this.#unsaved());
    try {
      return await this.#flight;
    } finally {
      this.#flight = null;
    }
  }

  #unsaved(): Unsaved {
    const { kv } = this.ctx.storage;
    return {
      get renewal() {
        return kv.get<Renewal>(KEY) ?? null;
      },
      set renewal(renewal) {
        if (renewal !== null) kv.put(KEY, renewal);
        else if (kv.get(KEY) !== undefined) kv.delete(KEY);
      },
    };
  }
}
