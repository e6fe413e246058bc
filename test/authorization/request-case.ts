import type { JsonObject } from "../../src/kernel/json.ts";
import type { Tenant } from "./tenants.ts";

/** What a route is asked with, and what it is about. */
export interface RequestCase {
  /** Parameters of the path; the first is what the request is about. */
  readonly values?: Readonly<Record<string, string>>;
  /** In the place of the first, something that there is not. */
  readonly nowhere?: string;
  readonly query?: string;
  readonly body?: JsonObject | Uint8Array;
  /** Another body, which names somebody whom there is not. */
  readonly strange?: JsonObject;
  /** The ids in the two bodies, where it is they that differ. */
  readonly ids?: readonly [there: string, nowhere: string];
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** What a refusal tells to whoever was let in alone. */
  readonly told?: string;
  readonly taskId?: string;
}

/** By the name of an endpoint, how a fresh case of it is made of a crew's things. */
export type RequestCases = Readonly<Record<string, (tenant: Tenant) => Promise<RequestCase>>>;
