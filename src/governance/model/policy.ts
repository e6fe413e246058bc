import type { JsonObject } from "../../kernel/json.ts";
import type { Result } from "../../kernel/result.ts";

export const POLICY_EFFECTS = ["allow", "deny"] as const;
export type PolicyEffect = (typeof POLICY_EFFECTS)[number];

/** What a policy covers: all tools, one tool, or one capability of a tool. */
export type PolicyTarget =
  | { readonly kind: "all" }
  | { readonly kind: "tool"; readonly toolId: string }
  | { readonly kind: "capability"; readonly toolId: string; readonly capability: string };

/** A rule about tool calls, as far as deciding about a covered call needs it. */
export interface Policy {
  readonly id: string;
  readonly name: string;
  readonly effect: PolicyEffect;
  /** The condition in its JSON format; null if the policy applies to all calls that it covers. */
  readonly when: JsonObject | null;
  /** Why the rule exists. Callers see the reason. */
  readonly reason: string;
}

/** Reads a target: `*`, `bank`, `bank/*` or `bank/transfer`; null if the text is none of these. */
export function parseTarget(text: string): PolicyTarget | null {
  if (text === "*") return { kind: "all" };
  const [toolId = "", capability, ...rest] = text.split("/");
  if (toolId === "" || toolId.includes("*") || rest.length > 0) return null;
  if (capability === undefined || capability === "*") return { kind: "tool", toolId };
  if (capability === "" || capability.includes("*")) return null;
  return { kind: "capability", toolId, capability };
}

/** What the policies say about one call. `policy`: the one that decides; null if none applies. */
export interface PolicyDecision {
  readonly effect: PolicyEffect;
  readonly policy: Policy | null;
  /** Why the policy's condition could not be evaluated, which counts as a denial. */
  readonly error?: string;
}

/**
 * Decides about a call from the policies that cover it. A denial wins over everything else, and without a policy, the
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
    if (policy.effect === "deny") return { effect: "deny", policy };
    if (decision.policy === null) decision = { effect: "allow", policy };
  }
  return decision;
}
