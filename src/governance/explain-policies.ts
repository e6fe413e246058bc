import type { PolicyExplanationResponse } from "./schemas.ts";
import type { ListedPolicy } from "./policies.store.ts";
import { policyView } from "./view.ts";

/**
 * The decision about a call whose parameters are unknown. `policies`: the policies in force that cover the call, ordered
 * by id.
 */
export function explainPolicies(policies: readonly ListedPolicy[]): PolicyExplanationResponse {
  const views = policies.map(policyView);
  const denial = policies.find(({ effect, when }) => effect === "deny" && when === null);
  if (denial !== undefined) return { decision: "denied", decidedBy: denial.id, policies: views };
  // A condition that cannot be evaluated denies the call, whatever the effect of its policy.
  if (policies.some(({ when }) => when !== null))
    return { decision: "depends_on_parameters", policies: views };
  const asking = policies.find(({ effect }) => effect === "ask");
  if (asking !== undefined)
    return { decision: "requires_approval", decidedBy: asking.id, policies: views };
  const [permission] = policies;
  return { decision: "allowed", ...(permission && { decidedBy: permission.id }), policies: views };
}
