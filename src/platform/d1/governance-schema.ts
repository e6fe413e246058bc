import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ApprovalStatus } from "../../governance/model/approval-status.ts";
import type { PolicyEffect } from "../../governance/model/policy.ts";
import type { JsonObject } from "../../kernel/json.ts";

/** Rules about tool calls. WITHOUT ROWID. */
export const policiesTable = sqliteTable("policies", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  effect: text("effect").$type<PolicyEffect>().notNull(),
  tools: text("tools", { mode: "json" }).$type<string[]>().notNull(),
  agents: text("agents", { mode: "json" }).$type<string[]>().notNull(),
  teams: text("teams", { mode: "json" }).$type<string[]>().notNull(),
  /** The condition in its JSON format; null if there is none. */
  when: text("condition", { mode: "json" }).$type<JsonObject>(),
  reason: text("reason").notNull(),
  /** The ids of the keys that may decide about calls; empty for every key with the scope `approvals:decide`. */
  approvers: text("approvers", { mode: "json" }).$type<string[]>().notNull().default([]),
  approvals: integer("approvals").$type<1 | 2>().notNull().default(1),
  expiresAfter: text("expires_after").notNull().default("24h"),
  remember: text("remember").notNull().default("none"),
  enabled: integer("enabled", { mode: "boolean" }).notNull().default(true),
  createdBy: text("created_by").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/**
 * The calls that required approval, for lists. The whole call and its result are in the approval's object. An older
 * `version` never replaces a newer one.
 */
export const approvalsTable = sqliteTable(
  "approvals",
  {
    id: text("id").primaryKey(),
    version: integer("version").notNull(),
    status: text("status").$type<ApprovalStatus>().notNull(),
    toolId: text("tool_id").notNull(),
    capability: text("capability").notNull(),
    agentId: text("agent_id"),
    taskId: text("task_id"),
    teamId: text("team_id"),
    /** The key with which the call was made; null for a call that the service made for an agent. */
    requestedBy: text("requested_by"),
    /** The ids of the policies that required approval. */
    policies: text("policies", { mode: "json" }).$type<string[]>().notNull(),
    reason: text("reason").notNull(),
    estimatedCost: real("estimated_cost").notNull(),
    requestedAt: integer("requested_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** When the call was approved, denied, withdrawn or expired; null while it waits. */
    decidedAt: integer("decided_at"),
    /** The number of decisions that the audit log contains. */
    auditedDecisions: integer("audited_decisions").notNull().default(0),
  },
  (table) => [
    index("approvals_requested_at").on(table.requestedAt),
    index("approvals_status").on(table.status, table.requestedAt),
    index("approvals_agent").on(table.agentId, table.toolId, table.capability),
  ],
);
