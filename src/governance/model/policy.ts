import type { JsonObject } from "../../kernel/json.ts";
import type { Result } from "../../kernel/result.ts";

export const POLICY_EFFECTS = ["allow", "ask", "deny"] as const;
export type PolicyEffect = (typeof POLICY_EFFECTS)[number];

/** A policy without the fields that select its calls. */
export interface Policy {
  readonly id: string;
  readonly effect: PolicyEffect;
  /** The condition in its JSON format; null if the policy applies to all calls that it covers. */
  readonly when: JsonObject | null;
  /** Why the rule exists. Callers see the reason. */
  readonly reason: string;
  /** The ids of the keys that may decide about calls; empty for every key with the scope. */
  readonly approvers: readonly string[];
  /** How many keys must approve a call. */
  readonly approvals: number;
  /** How long a call waits for approval, as in `24h`. */
  readonly expiresAfter: string;
  /**
   * Which later calls of the same agent and capability an approval covers: `none`, those of the same `task`, or those
   * within a duration.
   */
  readonly remember: string;
  /** In milliseconds since 1970. Changing a policy ends what its approvals cover. */
  readonly updatedAt: number;
}

/** Whether a text is `*`, `bank`, `bank/*` or `bank/transfer`, which select tools and capabilities. */
export function isTarget(text: string): boolean {
  if (text === "*") return true;
  const [toolId = "", capability, ...rest] = text.split("/");
  if (toolId === "" || toolId.includes("*") || rest.length > 0) return false;
  return capability === undefined || capability === "*" || /^[^*]+$/.test(capability);
}

/**
 * What the policies say about one call. `policy`: the one that decides; null if none applies. `policies`: those that
 * require approval, all of which must be satisfied.
 */
export type PolicyDecision =
  | { readonly effect: "allow"; readonly policy: Policy | null }
  | { readonly effect: "ask"; readonly policies: readonly Policy[] }
  | {
      readonly effect: "deny";
      readonly policy: Policy;
      /** Why the policy's condition could not be evaluated, which counts as a denial. */
      readonly error?: string;
    };

/**
 * Decides about a call from the policies that cover it. A denial wins over everything else, then a required approval.
 * If no policy applies, the call is allowed. `evaluate` says whether a policy's condition is true.
 */
export function decide(
  policies: readonly Policy[],
  evaluate: (policy: Policy) => Result<boolean, string>,
): PolicyDecision {
  const asking: Policy[] = [];
  let allowing: Policy | null = null;
  for (const policy of policies) {
    const applies = evaluate(policy);
    if (!applies.ok) return { effect: "deny", policy, error: applies.failure };
    if (!applies.value) continue;
    if (policy.effect === "allow") allowing ??= policy;
    else if (policy.effect === "ask") asking.push(policy);
    // An effect that this release does not know counts as a denial.
    else return { effect: "deny", policy };
  }
  return asking.length > 0
    ? { effect: "ask", policies: asking }
    : { effect: "allow", policy: allowing };
}
