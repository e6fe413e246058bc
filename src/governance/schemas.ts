import * as z from "zod";
import {
  cursorText,
  customIssue,
  displayName,
  identifier,
  idText,
  jsonObject,
  pageQueryOf,
} from "../http/validation.ts";
import * as schema from "../http/schemas.ts";
import { parseDuration } from "../kernel/duration.ts";
import {
  APPROVAL_DURATION_MAX_MS,
  APPROVAL_DURATION_MIN_MS,
  APPROVAL_EXPIRY_DEFAULT,
  APPROVERS_MAX,
  POLICY_TARGETS_MAX,
  REASON_CHARACTERS_MAX,
} from "./limits.ts";
import { isTarget, POLICY_EFFECTS } from "./model/policy.ts";

/** Path segments, in use or planned, that cannot be ids. */
const RESERVED_IDS: readonly string[] = ["explain", "simulate"];

const id = identifier
  .refine((value) => !RESERVED_IDS.includes(value), {
    error: `must not be one of the reserved words ${RESERVED_IDS.join(", ")}`,
  })
  .describe("The policy's id, which never changes.");

const target = z
  .string()
  .max(257)
  .check(({ value, issues }) => {
    if (isTarget(value)) return;
    const message = `must be "*", "<tool>", "<tool>/*" or "<tool>/<capability>"`;
    issues.push(customIssue(message, value));
  });

function isApprovalDuration(text: string): boolean {
  const durationMs = parseDuration(text);
  return (
    durationMs !== null &&
    durationMs >= APPROVAL_DURATION_MIN_MS &&
    durationMs <= APPROVAL_DURATION_MAX_MS
  );
}

const durationText = z
  .string()
  .max(8)
  .check(({ value, issues }) => {
    if (!isApprovalDuration(value))
      issues.push(customIssue('must be a duration from "1m" to "30d", such as "24h"', value));
  });

const rememberText = z
  .string()
  .max(8)
  .check(({ value, issues }) => {
    if (value === "none" || value === "task" || isApprovalDuration(value)) return;
    const rule = 'must be "none", "task" or a duration from "1m" to "30d", such as "1h"';
    issues.push(customIssue(rule, value));
  });

/** The fields that a client sets. */
const policyFields = {
  name: displayName.describe("Display name."),
  effect: z
    .enum(POLICY_EFFECTS)
    .describe(
      "What happens to a call to which the policy applies: `ask` stores it until people approve it. A denial wins over all other policies, then a required approval. If no policy applies, a call is allowed.",
    ),
  tools: z
    .array(target)
    .min(1)
    .max(POLICY_TARGETS_MAX)
    .describe(
      "The covered tools and capabilities, which must exist: `bank` or `bank/*` for all capabilities of a tool, `bank/transfer` for one capability, `*` for all tools.",
    ),
  agents: z
    .array(idText)
    .max(POLICY_TARGETS_MAX)
    .describe(
      "The agents whose calls are covered, in addition to the members of `teams`. If both lists are empty, the policy covers every call, including calls without an agent.",
    ),
  teams: z
    .array(idText)
    .max(POLICY_TARGETS_MAX)
    .describe("The teams whose members' calls are covered."),
  when: jsonObject
    .nullable()
    .describe(
      'The condition under which the policy applies to a covered call; null for every call. Example: `{"parameters.amount": {"gt": 50000}}`. The fields are `parameters.<name>`, `agentId` and `estimatedCost` (the highest possible price in US dollars). The operators are `eq`, `ne`, `in`, `notIn`, `gt`, `gte`, `lt`, `lte`, `startsWith`, `matches` (an RE2 pattern) and `exists`. Conditions are combined with `and`, `or` and `not`. If a condition cannot be evaluated, for example because it compares a string with a number, the call is denied.',
    ),
  // The length is checked before leading and trailing spaces are removed.
  reason: z
    .string()
    .max(REASON_CHARACTERS_MAX)
    .trim()
    .min(1)
    .meta({ pattern: "\\S" })
    .describe("Why the policy exists. Callers see the reason."),
  approvers: z
    .array(idText)
    .max(APPROVERS_MAX)
    .describe(
      "The ids of the keys that may decide about the calls, such as `root`; if the list is empty, every key with the scope `approvals:decide` may. Used only if the effect is `ask`, like the next three fields.",
    ),
  approvals: z.literal([1, 2]).describe("How many different keys must approve a call."),
  expiresAfter: durationText.describe(
    "How long a call waits for approval before it is denied, from `1m` to `30d`. Units: `s`, `m`, `h`, `d`.",
  ),
  remember: rememberText.describe(
    "Which later calls an approval also covers, if the same agent calls the same capability: `none`, those for the same `task`, or those within a duration, such as `1h`. Changing the policy ends this.",
  ),
  enabled: schema.flag("Whether the policy is in force."),
};

const optionalFields = {
  agents: policyFields.agents.default([]),
  teams: policyFields.teams.default([]),
  when: policyFields.when.default(null),
  approvers: policyFields.approvers.default([]),
  approvals: policyFields.approvals.default(1),
  expiresAfter: policyFields.expiresAfter.default(APPROVAL_EXPIRY_DEFAULT),
  remember: policyFields.remember.default("none"),
  enabled: policyFields.enabled.default(true),
};

/** Body of PUT /agents/policies/:id. */
export const putPolicyBody = z.strictObject({ ...policyFields, ...optionalFields });
export type PolicyBody = z.output<typeof putPolicyBody>;

/** Body of POST /agents/policies. */
export const createPolicyBody = z.strictObject({ id, ...policyFields, ...optionalFields });

/** Body of PATCH /agents/policies/:id. */
export const patchPolicyBody = z.strictObject(policyFields).partial();

const pastInstant = z.iso
  .datetime({ offset: true, error: "must be a date-time with a time zone", abort: true })
  .transform((text) => Date.parse(text));

/** Body of POST /agents/policies/simulate. */
export const simulatePolicyBody = z.strictObject({
  policy: createPolicyBody
    .partial({ id: true })
    .describe("The policy to try out. Whether it is `enabled` does not matter."),
  from: pastInstant.describe("The start of the period, at most 31 days before `to`."),
  to: pastInstant.describe(
    "The end of the period, which must be later than `from` and not in the future. A minute is tolerated, because clocks differ.",
  ),
  cursor: cursorText.describe(
    "`nextCursor` of a response to a request with the same policy and period.",
  ),
});
export type SimulationBody = z.output<typeof simulatePolicyBody>;

/** Query of GET /agents/policies. */
export const listPoliciesQuery = z.object(pageQueryOf("Policies"));

/** Query of GET /agents/policies/explain. */
export const explainPoliciesQuery = z.object({
  toolId: idText.describe("The tool's id."),
  capability: idText.describe("The capability's id."),
  agentId: idText
    .optional()
    .describe("The agent that makes the call; omit it for a call without an agent."),
});

export const policySchema = schema.component("Policy", "A rule about tool calls.", {
  id: schema.text("The policy's id.", "no-large-transfers"),
  ...policyFields,
  unknownTargets: schema.textList(
    "The entries of `tools` whose tool or capability no longer exists, so that they cover nothing.",
  ),
  unknownAgents: schema.textList("The entries of `agents` that no longer exist."),
  unknownTeams: schema.textList("The entries of `teams` that no longer exist."),
  unknownApprovers: schema.textList(
    "The entries of `approvers` whose keys do not exist or have ended, so that they cannot decide.",
  ),
  createdBy: schema.text("Id of the key that created the policy, or `root` for the root key."),
  createdAt: schema.instant("When the policy was created."),
  updatedAt: schema.instant("When the policy was last changed."),
});
export type PolicyResponse = schema.ResponseOf<typeof policySchema>;

export const policyListSchema = schema.component("PolicyList", "One page of policies.", {
  policies: schema.list(policySchema, "The policies on the page, ordered by id."),
  total: schema.count("Number of policies."),
  limit: z.int().min(1).describe("The requested page size."),
  offset: schema.count("The requested offset."),
});

export const deletedPolicySchema = schema.component("DeletedPolicy", null, {
  id: schema.text("The policy's id."),
  deleted: z.literal(true).describe("The policy was deleted."),
});

export const policyExplanationSchema = schema.component(
  "PolicyExplanation",
  "What the policies say about a call whose parameters are not known.",
  {
    decision: z
      .enum(["allowed", "denied", "requires_approval", "depends_on_parameters"])
      .describe(
        "`denied`, `requires_approval` or `allowed` if no condition can change the decision; otherwise `depends_on_parameters`.",
      ),
    decidedBy: schema.optional.text(
      "The id of a policy that decides the call whatever its parameters; absent if there is none.",
    ),
    policies: schema.list(
      policySchema,
      "The policies in force that cover the call, ordered by id.",
    ),
  },
);
export type PolicyExplanationResponse = schema.ResponseOf<typeof policyExplanationSchema>;

const affectedCall = schema.component(
  "AffectedCall",
  "A recorded call that a policy would change.",
  {
    callId: schema.text("The call's id, as in GET /agents/tasks/:id/calls."),
    at: schema.instant("When the call was made."),
    toolId: schema.text("The tool's id."),
    capability: schema.text("The capability's id."),
    agentId: schema.optional.text(
      "The agent that made the call; absent for a call without an agent.",
    ),
    taskId: schema.text("The task whose log contains the call."),
    effect: z
      .enum(["ask", "deny"])
      .describe(
        "Whether the policy would have stored the call until people approve it, or denied it.",
      ),
    reason: schema.text("The policy's reason."),
    error: schema.optional.text(
      "Why the condition could not be evaluated, which counts as a denial; absent if it could be.",
    ),
  },
);

export const simulationSchema = schema.component(
  "PolicySimulation",
  "What a policy would have done with the recorded calls of one page of tasks.",
  {
    source: z
      .literal("tasks")
      .describe(
        "Which calls are examined: those in the logs of tasks. Calls without a task are not recorded with their parameters.",
      ),
    calls: schema.list(
      affectedCall,
      "The calls that the policy would have denied or sent for approval: newest task first, and newest call first within a task.",
    ),
    matched: schema.count("Number of `calls`."),
    examined: schema.count("Number of recorded calls of the policy's tools on the page."),
    undecided: schema.count(
      "How many of them cannot be decided about, because the condition reads parameters that are recorded only in part or without secrets, or because the capability no longer exists.",
    ),
    tasks: schema.count("Number of tasks on the page."),
    cutTasks: schema.count(
      "How many of these tasks have more calls in the period than are examined, which are the newest.",
    ),
    complete: schema.flag(
      "Whether all calls of the page could be examined and decided about, and there is no further page.",
    ),
    nextCursor: z
      .string()
      .nullable()
      .describe("Cursor for the next page of tasks; null on the last page."),
  },
);
export type SimulationResponse = schema.ResponseOf<typeof simulationSchema>;
