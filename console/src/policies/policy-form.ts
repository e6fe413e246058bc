import type { Schemas } from "../api/client.ts";
import { draftOfCondition, NO_CONDITION, type ConditionDraft } from "./condition-form.ts";

export type Policy = Schemas["Policy"];
export type PolicyBody = Schemas["PutPolicyBody"];
export type Effect = Policy["effect"];

export const EFFECTS = ["deny", "ask", "allow"] as const satisfies readonly Effect[];

export const EFFECT_LABELS: Readonly<Record<Effect, string>> = {
  deny: "Deny",
  ask: "Ask people",
  allow: "Allow",
};

/** What is typed into the form of a policy. Lists have one entry per line. */
export interface PolicyDraft {
  readonly id: string;
  readonly name: string;
  readonly effect: Effect;
  readonly tools: string;
  readonly agents: string;
  readonly teams: string;
  readonly condition: ConditionDraft;
  readonly reason: string;
  readonly approvers: string;
  readonly approvals: 1 | 2;
  readonly expiresAfter: string;
  readonly remember: string;
  readonly enabled: boolean;
}

export const EMPTY_POLICY: PolicyDraft = {
  id: "",
  name: "",
  effect: "ask",
  tools: "",
  agents: "",
  teams: "",
  condition: NO_CONDITION,
  reason: "",
  approvers: "",
  approvals: 1,
  expiresAfter: "24h",
  remember: "none",
  enabled: true,
};

export function draftOfPolicy(policy: Policy): PolicyDraft {
  return {
    id: policy.id,
    name: policy.name,
    effect: policy.effect,
    tools: policy.tools.join("\n"),
    agents: policy.agents.join("\n"),
    teams: policy.teams.join("\n"),
    condition: draftOfCondition(policy.when),
    reason: policy.reason,
    approvers: policy.approvers.join("\n"),
    approvals: policy.approvals === 2 ? 2 : 1,
    expiresAfter: policy.expiresAfter,
    remember: policy.remember,
    enabled: policy.enabled,
  };
}

/** The body of the request that stores a policy. `when`: the condition that was read from the draft. */
export function policyBody(draft: PolicyDraft, when: Policy["when"]): PolicyBody {
  return {
    name: draft.name.trim(),
    effect: draft.effect,
    tools: entriesOf(draft.tools),
    agents: entriesOf(draft.agents),
    teams: entriesOf(draft.teams),
    when,
    reason: draft.reason.trim(),
    approvers: entriesOf(draft.approvers),
    approvals: draft.approvals,
    expiresAfter: draft.expiresAfter.trim(),
    remember: draft.remember.trim(),
    enabled: draft.enabled,
  };
}

function entriesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** The entries of a policy that no longer exist, so that it may cover fewer calls than it seems to. */
export function unknownEntries(policy: Policy): readonly string[] {
  return (
    [
      ["Unknown tools or capabilities", policy.unknownTargets],
      ["Unknown agents", policy.unknownAgents],
      ["Unknown teams", policy.unknownTeams],
      ["Approvers whose keys have ended", policy.unknownApprovers],
    ] as const
  ).flatMap(([label, entries]) =>
    entries.length === 0 ? [] : [`${label}: ${entries.join(", ")}`],
  );
}
