import { toIsoTime } from "../kernel/text.ts";
import type { ListedPolicy } from "./policies.store.ts";
import type { PolicyResponse } from "./schemas.ts";

/** A policy as clients see it. */
export function policyView({ createdAt, updatedAt, ...policy }: ListedPolicy): PolicyResponse {
  return { ...policy, createdAt: toIsoTime(createdAt), updatedAt: toIsoTime(updatedAt) };
}
