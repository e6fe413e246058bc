import type { JsonObject } from "../../src/kernel/json.ts";
import type { Tenant } from "./tenants.ts";

/** The request to a route and its resource. */
export interface RequestCase {
  /** Path parameters; the first identifies the resource. */
  readonly values?: Readonly<Record<string, string>>;
  /** A missing resource's value for the first parameter. */
  readonly missing?: string;
  readonly query?: string;
  readonly body?: JsonObject | Uint8Array;
  /** Another body, which names a missing resource. */
  readonly strange?: JsonObject;
  /** The ids in the two bodies, if the bodies differ in them. */
  readonly ids?: readonly [there: string, missing: string];
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** Error text that only an authorised client receives. */
  readonly expectedText?: string;
  readonly taskId?: string;
}

/** By endpoint name, a function that prepares a case with a tenant's resources. */
export type RequestCases = Readonly<Record<string, (tenant: Tenant) => Promise<RequestCase>>>;
