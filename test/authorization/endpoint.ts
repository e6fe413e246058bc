import type { Scope } from "../../src/keys/model/key.ts";
import type { RequestSpec } from "./send-request.ts";
import type { Tenant } from "./tenants.ts";

/** The protocols; each has its own error format. */
export type Protocol = "rest" | "mcp" | "a2a-rpc" | "a2a-rest";

/** One operation of the service, with everything that the rules depend on. */
export interface Endpoint {
  readonly name: string;
  readonly protocol: Protocol;
  /** The required scopes; null for a public operation. */
  readonly asks: readonly Scope[] | null;
  /** Also authorised by a signed link, which the request then contains. */
  readonly isLink?: true;
  /** Uses a task's budget, which requires a key with a write or work scope. */
  readonly spends?: true;
  /** Not allowed for team keys, whatever their scopes. */
  readonly notForTeams?: true;
  /** The error code for a missing resource; null if the operation names none. */
  readonly missing: string | null;
  /** The resource is an agent that the body names. */
  readonly isNamed?: true;
  /** The operation changes something, so each accepted request needs its own resource. */
  readonly changes: boolean;
  /** Creates a tenant's resource for which the request succeeds. */
  readonly prepare: (tenant: Tenant) => Promise<Prepared>;
}

export interface Prepared {
  readonly asked: RequestSpec;
  /** The same request for a missing resource with an id of equal length; null if no resource is named. */
  readonly missing: RequestSpec | null;
  /** The ids of the existing and the missing resource, which responses may repeat. */
  readonly ids: readonly [there: string, missing: string];
  /** The HTTP status of an accepted request. */
  readonly status: number;
  /** If an accepted request also fails: text that only an authorised client receives. */
  readonly expectedText?: string;
  /** The task of the request; a rejected request does not change its log. */
  readonly taskId: string | null;
}
