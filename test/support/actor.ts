import type { Actor } from "../../src/governance/model/audit-entry.ts";

/** The root key as the actor of a change that a test makes without a request. */
export const ROOT_ACTOR: Actor = {
  keyId: "root",
  sessionId: null,
  address: null,
  userAgent: null,
  requestId: null,
};
