import type { Operation } from "./operations.ts";

/** The minimum shares of an operation's requests, each from 0 to 1. */
export interface MinimumShares {
  /** The share of all requests that succeed. */
  readonly succeeded: number;
  /** The share of all requests that are rejected. */
  readonly rejected: number;
  /** The share of schema-valid requests that are not rejected as invalid. */
  readonly accepted: number;
}

/** Lower minimums for operations that have many rules in prose or no invalid requests. */
const OWN: Readonly<Record<string, Partial<MinimumShares>>> = {
  // An address has 20 attempts a minute, and the clock stands still.
  signIn: { succeeded: 0 },
  // The requests have a key, so they have no session.
  signOut: { succeeded: 0 },
  createKey: { accepted: 0.4 },
  importTool: { accepted: 0.3 },
  registerTool: { succeeded: 0.03, accepted: 0.2 },
  updateTool: { accepted: 0.5 },
  invokeTool: { succeeded: 0.02 },
  putCredentials: { accepted: 0.45 },
  // In these tests, no authorization server redirects back to the service.
  finishConnection: { succeeded: 0, accepted: 0 },
  // Only the service can sign the ticket in this link.
  openConnection: { succeeded: 0, accepted: 0 },
  registerAgent: { accepted: 0.6 },
  updateAgent: { accepted: 0.75 },
  putTeam: { accepted: 0.8 },
  // Most random conditions are invalid, and a policy also names a duration twice and keys.
  createPolicy: { accepted: 0.2 },
  putPolicy: { accepted: 0.18 },
  changePolicy: { accepted: 0.33 },
  // Two random times are rarely in the past and at most 31 days apart.
  simulatePolicy: { accepted: 0.1 },
  // Only the service can sign a link.
  openApprovalLink: { succeeded: 0, accepted: 0 },
  decideByLink: { succeeded: 0, accepted: 0 },
  // Random time zones, ids and fractions of calls are invalid.
  createLimit: { accepted: 0.15 },
  putLimit: { accepted: 0.15 },
  changeLimit: { accepted: 0.6 },
  createWebhook: { accepted: 0.7 },
  rotateWebhookSecret: { accepted: 0.8 },
  listDeliveries: { accepted: 0.55 },
  claimTasks: { accepted: 0.4 },
  createTask: { accepted: 0.8 },
  updateTask: { accepted: 0.85 },
  listTasks: { accepted: 0.65 },
  // A cursor is valid only for the task whose calls were listed.
  listTaskCalls: { accepted: 0.75 },
  // Two random days are usually more than 92 days apart.
  getUsage: { accepted: 0.35 },
  listEvents: { accepted: 0.6 },
  listGrants: { accepted: 0.5 },
  // A cursor is valid only with the filters of its list.
  listAudit: { accepted: 0.4 },
};

export function minimumSharesOf({ id, body, parameters }: Operation): MinimumShares {
  const isBare = body === null && parameters.every((one) => one.in === "header");
  return { succeeded: 0.05, rejected: isBare ? 0.005 : 0.1, accepted: 0.9, ...OWN[id] };
}
