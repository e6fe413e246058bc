import type { Scope } from "../../src/keys/model/key.ts";
import type { RequestSpec } from "./send-request.ts";
import type { Tenant } from "./tenants.ts";

/** The protocols. Each has its own error format. */
export type Protocol = "rest" | "mcp" | "a2a-rpc" | "a2a-rest";

/** One operation of the service, with everything that the permission rules depend on. */
export interface Endpoint {
  readonly name: string;
  readonly protocol: Protocol;
  /** The required scopes; null for a public operation. */
  readonly asks: readonly Scope[] | null;
  /** The operation also accepts a signed link instead of a key, and the request contains one. */
  readonly isLink?: true;
  /** The operation spends a task's budget, so it also requires a write or work scope. */
  readonly spends?: true;
  /** Keys bound to a team cannot use the operation, whatever their scopes. */
  readonly notForTeams?: true;
  /** The error code for a missing resource; null if the operation names no resource. */
  readonly missing: string | null;
  /** The named resource is an agent in the request body. */
  readonly isNamed?: true;
  /** The operation changes its resource, so each accepted request needs a new one. */
  readonly changes: boolean;
  /** Prepares a request for the tenant, and creates the resource that it names, if any. */
  readonly prepare: (tenant: Tenant) => Promise<Prepared>;
}

export interface Prepared {
  readonly asked: RequestSpec;
  /**
   * The same request for a missing resource with an id of equal length; null if the request names
   * no resource.
   */
  readonly missing: RequestSpec | null;
  /** The ids of the existing and the missing resource. Responses may repeat them. */
  readonly ids: readonly [there: string, missing: string];
  /** The HTTP status of an accepted request. */
  readonly status: number;
  /**
   * Set if an authorised request fails as well: error text that only an authorised client receives.
   */
  readonly expectedText?: string;
  /** The task that the request names. A rejected request must not change its log. */
  readonly taskId: string | null;
}
