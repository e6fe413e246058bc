import type { JsonObject } from "../../src/kernel/json.ts";
import type { Tenant } from "./tenants.ts";

/** The request for one route, and the resource that it names. */
export interface RequestCase {
  /** Path parameters. The first one identifies the resource. */
  readonly values?: Readonly<Record<string, string>>;
  /** The value of the first path parameter for a missing resource. */
  readonly missing?: string;
  readonly query?: string;
  readonly body?: JsonObject | Uint8Array;
  /** Another body, which names a missing resource. */
  readonly strange?: JsonObject;
  /** The ids of the existing and the missing resource, if they appear in the bodies. */
  readonly ids?: readonly [there: string, missing: string];
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** Error text that only an authorised client receives. */
  readonly expectedText?: string;
  readonly taskId?: string;
}

/** For each endpoint name, a function that creates a tenant's resource and the request for it. */
export type RequestCases = Readonly<Record<string, (tenant: Tenant) => Promise<RequestCase>>>;
