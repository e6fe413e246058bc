import type { Scope } from "../../src/keys/model/key.ts";
import type { RequestSpec } from "./send-request.ts";
import type { Tenant } from "./tenants.ts";

/** The ways in, each of which words its refusals in a form of its own. */
export type Protocol = "rest" | "mcp" | "a2a-rpc" | "a2a-rest";

/** One thing that can be asked of the service, and all that the rules need to know of it. */
export interface Endpoint {
  readonly name: string;
  readonly protocol: Protocol;
  /** What a key must hold; null where no key is asked for. */
  readonly asks: readonly Scope[] | null;
  /** Opened by a signed link as well, which the request then has. */
  readonly isLink?: true;
  /** Spends the budget of a task, for which a key must be one to write or to work with. */
  readonly spends?: true;
  /** A key of a team may not, whatever it holds. */
  readonly notForTeams?: true;
  /** The code for what is not there, of an endpoint that is about one thing; null for all others. */
  readonly missing: string | null;
  /** The thing is an agent that the body names, not one that is looked at. */
  readonly isNamed?: true;
  /** Asking changes something, so that each who may ask needs a thing of its own. */
  readonly changes: boolean;
  /** Makes a thing of a crew with which the request succeeds. */
  readonly prepare: (tenant: Tenant) => Promise<Prepared>;
}

export interface Prepared {
  readonly asked: RequestSpec;
  /** The same about a thing that there is not, whose id is as long; null where nothing is named. */
  readonly nowhere: RequestSpec | null;
  /** The ids of what is there and of what is not, which answers may repeat. */
  readonly ids: readonly [there: string, nowhere: string];
  /** Of HTTP, when it is let in. */
  readonly status: number;
  /** Where even that is a refusal: what it tells to whoever was let in alone. */
  readonly told?: string;
  /** The task that it is about, whose log a refusal leaves alone. */
  readonly taskId: string | null;
}
