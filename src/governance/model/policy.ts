import type { JsonObject } from "../../kernel/json.ts";
import type { Result } from "../../kernel/result.ts";

export const POLICY_EFFECTS = ["allow", "deny"] as const;
export type PolicyEffect = (typeof POLICY_EFFECTS)[number];

/** A policy without the fields that select its calls. */
export interface Policy {
  readonly id: string;
  readonly effect: PolicyEffect;
  /** The condition in its JSON format; null if the policy applies to all calls that it covers. */
  readonly when: JsonObject | null;
  /** Why the rule exists. Callers see the reason. */
  readonly reason: string;
}

/** Whether a text is `*`, `bank`, `bank/*` or `bank/transfer`, which select tools and capabilities. */
export function isTarget(text: string): boolean {
  if (text === "*") return true;
  const [toolId = "", capability, ...rest] = text.split("/");
  if (toolId === "" || toolId.includes("*") || rest.length > 0) return false;
  return capability === undefined || capability === "*" || /^[^*]+$/.test(capability);
}

/** What the policies say about one call. `policy`: the one that decides; null if none applies. */
export type PolicyDecision =
  | { readonly effect: "allow"; readonly policy: Policy | null }
  | {
      readonly effect: "deny";
      readonly policy: Policy;
      /** Why the policy's condition could not be evaluated, which counts as a denial. */
      readonly error?: string;
    };

/**
 * Decides about a call from the policies that cover it. A denial wins over everything else, and if no policy applies, the
 * call is allowed. `evaluate` says whether a policy's condition is true.
 */
export function decide(
  policies: readonly Policy[],
  evaluate: (policy: Policy) => Result<boolean, string>,
): PolicyDecision {
  let decision: PolicyDecision = { effect: "allow", policy: null };
  for (const policy of policies) {
    const applies = evaluate(policy);
    if (!applies.ok) return { effect: "deny", policy, error: applies.failure };
    if (!applies.value) continue;
    // An effect that this release does not know counts as a denial.
    if (policy.effect !== "allow") return { effect: "deny", policy };
    if (decision.policy === null) decision = { effect: "allow", policy };
  }
  return decision;
}
