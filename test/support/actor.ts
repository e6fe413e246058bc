import type { Actor } from "../../src/governance/audit/model/entry.ts";

/** The root key as the actor of a change that a test makes without a request. */
export const ROOT_ACTOR: Actor = {
  keyId: "root",
  sessionId: null,
  address: null,
  userAgent: null,
  requestId: null,
};
