import type { KeyLimitOverrides } from "../../keys/model/key-limits.ts";
import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { ExecutorSettings, ExecutorType } from "../../agents/model/agent.ts";
import type { NoProgressLimits, Pause } from "../../agents/model/pause.ts";
import type { Parameter } from "../../tools/model/capability.ts";
import type { Connector, CapabilityOperation } from "../../tools/model/connector.ts";
import type { Category, ImportSource, Proficiency, RatePeriod } from "../../tools/model/tool.ts";
import type { FeedEventType } from "../../events/model/feed.ts";
import type { Priority, TaskStatus } from "../../tasks/model/task.ts";
import type { CredentialType } from "../../tools/model/credential.ts";
import type { WebhookFormat } from "../../events/model/webhook.ts";
import type {
  LimitAction,
  LimitMeasure,
  LimitPeriod,
  LimitScopeKind,
} from "../../governance/model/spending/limit.ts";

/** The tool catalogue. `seq` is the order of registration, in which tools are listed. */
export const toolsTable = sqliteTable(
  "tools",
  {
    seq: integer("seq").primaryKey(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    category: text("category").$type<Category>().notNull(),
    description: text("description").notNull(),
    documentation: text("documentation").notNull(),
    authType: text("auth_type", { enum: ["none", "oauth", "api-key"] }).notNull(),
    authScopes: text("auth_scopes", { mode: "json" }).$type<string[]>().notNull(),
    rateRequests: integer("rate_requests").notNull(),
    ratePeriod: text("rate_period").$type<RatePeriod>().notNull(),
    priceFree: integer("price_free").notNull(),
    priceOverage: real("price_overage").notNull(),
    connector: text("connector", { mode: "json" })
      .$type<Connector>()
      .notNull()
      .default({ type: "builtin" }),
    source: text("source", { mode: "json" }).$type<ImportSource>(),
    version: integer("version").notNull().default(1),
    /** The key that registered the tool; null for seeded tools and tools from earlier releases. */
    createdBy: text("created_by"),
  },
  (table) => [uniqueIndex("tools_id").on(table.id), index("tools_category").on(table.category)],
);

/** Retired tools. Their ids are not reused, because grants, usage and tasks still refer to them. */
export const retiredToolsTable = sqliteTable("retired_tools", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  version: integer("version").notNull(),
  retiredAt: integer("retired_at").notNull(),
});

/** Each tool's capabilities, ordered by `position`. WITHOUT ROWID (see the migration). */
export const capabilitiesTable = sqliteTable(
  "capabilities",
  {
    toolId: text("tool_id").notNull(),
    id: text("id").notNull(),
    position: integer("position").notNull(),
    name: text("name").notNull(),
    description: text("description").notNull(),
    parameters: text("parameters", { mode: "json" }).$type<Parameter[]>().notNull(),
    operation: text("operation", { mode: "json" }).$type<CapabilityOperation>(),
  },
  (table) => [
    primaryKey({ columns: [table.toolId, table.id] }),
    index("capabilities_position").on(table.toolId, table.position),
  ],
);

/**
 * Tool credentials, one row per tool. `sealed` is a JWE that only CREDENTIALS_KEY opens. `revision` increases with each
 * change, so that only one of two concurrent renewals succeeds.
 */
export const credentialsTable = sqliteTable("credentials", {
  toolId: text("tool_id").primaryKey(),
  type: text("type").$type<CredentialType>().notNull(),
  sealed: text("sealed").notNull(),
  revision: integer("revision").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/**
 * Each row allows one agent to use one tool. If `capabilities` is null, the agent may use all of the tool's
 * capabilities. WITHOUT ROWID.
 */
export const grantsTable = sqliteTable(
  "grants",
  {
    agentId: text("agent_id").notNull(),
    toolId: text("tool_id").notNull(),
    proficiency: text("proficiency").$type<Proficiency>().notNull(),
    capabilities: text("capabilities", { mode: "json" }).$type<string[]>(),
    grantedAt: integer("granted_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.agentId, table.toolId] }),
    index("grants_tool").on(table.toolId, table.agentId),
  ],
);

/** The agent registry. Ratings are stored as a sum and a count so that a single update can change the mean. */
export const agentsTable = sqliteTable("agents", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  description: text("description").notNull().default(""),
  skills: text("skills", { mode: "json" }).$type<string[]>().notNull().default([]),
  executor: text("executor").$type<ExecutorType>().notNull().default("builtin"),
  /** The executor's settings without its type. */
  executorSettings: text("executor_settings", { mode: "json" }).$type<ExecutorSettings>(),
  /** A JWE of the AgentSecret, which only CREDENTIALS_KEY opens. */
  sealed: text("sealed"),
  maxConcurrentTasks: integer("max_concurrent_tasks"),
  requireReview: integer("require_review", { mode: "boolean" }).notNull().default(false),
  enabled: integer("enabled", { mode: "boolean" }).notNull().default(true),
  /** Whether tool calls must be made under a task. */
  requireTask: integer("require_task", { mode: "boolean" }).notNull().default(false),
  ratingSum: real("rating_sum").notNull().default(0),
  ratingCount: integer("rating_count").notNull().default(0),
  /** Why the agent is paused; null if it is not. */
  pause: text("pause", { mode: "json" }).$type<Pause>(),
  /** When the agent was last resumed. Attempts that failed earlier do not count for the no-progress breaker. */
  resumedAt: integer("resumed_at"),
  /** The limits of the no-progress breaker; null for the defaults. */
  noProgress: text("no_progress", { mode: "json" }).$type<NoProgressLimits>(),
  createdAt: integer("created_at").notNull(),
  /**
   * The key that registered the agent or last changed its executor; null for seeded agents and those from earlier
   * releases.
   */
  createdBy: text("created_by"),
});

/** The latest failed attempts of each agent, for the no-progress breaker. WITHOUT ROWID. */
export const failedAttemptsTable = sqliteTable(
  "failed_attempts",
  {
    agentId: text("agent_id").notNull(),
    failedAt: integer("failed_at").notNull(),
    taskId: text("task_id").notNull(),
    attempt: integer("attempt").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.agentId, table.failedAt, table.taskId, table.attempt] }),
  ],
);

/**
 * Ids of deleted agents. They are not reused because keys, tasks, usage and events still refer to them. WITHOUT ROWID.
 */
export const deletedAgentsTable = sqliteTable("deleted_agents", {
  id: text("id").primaryKey(),
  deletedAt: integer("deleted_at").notNull(),
});

/** Ids of deleted teams, which are not reused. WITHOUT ROWID. */
export const deletedTeamsTable = sqliteTable("deleted_teams", {
  id: text("id").primaryKey(),
  deletedAt: integer("deleted_at").notNull(),
});

export const teamsTable = sqliteTable("teams", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
});

/** Team members. WITHOUT ROWID. */
export const membersTable = sqliteTable(
  "members",
  {
    teamId: text("team_id").notNull(),
    agentId: text("agent_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.agentId] }),
    index("members_agent").on(table.agentId),
  ],
);

/** Spending limits. WITHOUT ROWID. */
export const limitsTable = sqliteTable("limits", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  scopeKind: text("scope_kind").$type<LimitScopeKind>().notNull(),
  /** The id of the agent, team, key or tool; empty if the limit covers all calls. */
  scopeId: text("scope_id").notNull(),
  measure: text("measure").$type<LimitMeasure>().notNull(),
  per: text("per").$type<LimitPeriod>().notNull(),
  timeZone: text("time_zone").notNull(),
  limit: real("amount").notNull(),
  warnAt: real("warn_at").notNull(),
  onExceeded: text("on_exceeded").$type<LimitAction>().notNull(),
  enabled: integer("enabled", { mode: "boolean" }).notNull().default(true),
  createdBy: text("created_by").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** API keys, each with the SHA-256 hash of its secret. */
export const keysTable = sqliteTable(
  "keys",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    hash: text("hash").notNull(),
    scopes: text("scopes", { mode: "json" }).$type<string[]>().notNull(),
    agentId: text("agent_id"),
    teamId: text("team_id"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
    /** The key that created this key; null for keys from earlier releases. */
    createdBy: text("created_by"),
    /** Written at most once per KEY_LAST_USED_INTERVAL_MS. */
    lastUsedAt: integer("last_used_at"),
    /** Whether tool calls with this key must be made under a task. */
    requireTask: integer("require_task", { mode: "boolean" }).notNull().default(false),
    /** Limits that differ from the defaults; null if none do. */
    limits: text("limits", { mode: "json" }).$type<KeyLimitOverrides>(),
  },
  (table) => [
    index("keys_created_by")
      .on(table.createdBy)
      .where(sql`${table.createdBy} is not null`),
    index("keys_agent")
      .on(table.agentId)
      .where(sql`${table.agentId} is not null`),
  ],
);

/** People who are signed in to the console. `id` is the SHA-256 of the cookie. WITHOUT ROWID. */
export const sessionsTable = sqliteTable(
  "sessions",
  {
    id: text("id").primaryKey(),
    keyId: text("key_id").notNull(),
    /** The SHA-256 of the key. The session ends if the key is replaced. */
    keyHash: text("key_hash").notNull(),
    createdAt: integer("created_at").notNull(),
    lastSeenAt: integer("last_seen_at").notNull(),
    userAgent: text("user_agent").notNull(),
  },
  (table) => [index("sessions_key").on(table.keyId)],
);

/**
 * Webhooks. A row with the format `a2a` is a push notification configuration for one task. `sealed` is a JWE of the
 * secrets. WITHOUT ROWID.
 */
export const webhooksTable = sqliteTable(
  "webhooks",
  {
    id: text("id").primaryKey(),
    format: text("format").$type<WebhookFormat>().notNull(),
    url: text("url").notNull(),
    description: text("description").notNull().default(""),
    types: text("types", { mode: "json" }).$type<FeedEventType[]>(),
    template: text("template"),
    headerNames: text("header_names", { mode: "json" }).$type<string[]>(),
    agentId: text("agent_id"),
    teamId: text("team_id"),
    taskId: text("task_id"),
    sealed: text("sealed").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull().default(true),
    /** Why the service disabled the webhook. */
    disabledReason: text("disabled_reason"),
    disabledAt: integer("disabled_at"),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("webhooks_task")
      .on(table.taskId)
      .where(sql`${table.taskId} is not null`),
    index("webhooks_push_creator")
      .on(table.createdBy)
      .where(sql`${table.format} = 'a2a' and ${table.enabled}`),
  ],
);

/**
 * The directory, from which lists are read. It has one row per task, a projection of the task's log. `seq` identifies
 * the last event that the row reflects; an older version of a row never replaces a newer one. WITHOUT ROWID, so the
 * table and every index are in list order.
 */
export const directoryTable = sqliteTable(
  "directory",
  {
    id: text("id").notNull(),
    seq: integer("seq").notNull(),
    status: text("status").$type<TaskStatus>().notNull(),
    task: text("task").notNull(),
    agentId: text("agent_id"),
    agentName: text("agent_name"),
    teamId: text("team_id"),
    priority: text("priority").$type<Priority>().notNull(),
    deadline: integer("deadline"),
    attempt: integer("attempt").notNull(),
    rating: real("rating"),
    createdAt: integer("created_at").notNull(),
    startedAt: integer("started_at"),
    endedAt: integer("ended_at"),
    /** The key whose limits the task counts towards; null for the root key and tasks from earlier releases. */
    keyId: text("key_id"),
    /** Bytes that the task stores in its object and in files; 0 if it counts towards no key's limits. */
    storedBytes: integer("stored_bytes").notNull().default(0),
    /** The context that an A2A client chose; null for other tasks. */
    contextId: text("context_id"),
    /** The task's ListedDetails as JSON; null in rows from earlier releases. */
    details: text("details"),
    title: text("title"),
    /** The labels as JSON; null if there are none. Triggers (migration 0014) copy them to `task_labels`. */
    labels: text("labels"),
    externalId: text("external_id"),
  },
  (table) => [
    primaryKey({ columns: [table.createdAt, table.id] }),
    index("directory_status").on(table.status),
    index("directory_agent").on(table.agentId),
    index("directory_priority").on(table.priority),
    index("directory_team")
      .on(table.teamId)
      .where(sql`${table.teamId} is not null`),
    index("directory_context")
      .on(table.contextId)
      .where(sql`${table.contextId} is not null`),
    index("directory_external")
      .on(table.externalId)
      .where(sql`${table.externalId} is not null`),
    // The last day on which a model or an agent's work cost the task something. Most tasks have none.
    index("directory_day_costs")
      .on(sql`details ->> '$.dayCosts[#-1].day'`)
      .where(sql`instr(details, '"dayCosts"') > 0`),
  ],
);

/**
 * The labels of the tasks in this shard, in list order for each label. Only triggers (migration 0014) write this table.
 * WITHOUT ROWID.
 */
export const taskLabelsTable = sqliteTable(
  "task_labels",
  {
    key: text("key").notNull(),
    value: text("value").notNull(),
    createdAt: integer("created_at").notNull(),
    id: text("id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.key, table.value, table.createdAt, table.id] })],
);

/**
 * Each key's live tasks and stored bytes in this shard. Only triggers (migration 0011) write this table. WITHOUT ROWID.
 */
export const keyUsageTable = sqliteTable("key_usage", {
  keyId: text("key_id").primaryKey(),
  liveTasks: integer("live_tasks").notNull(),
  storedBytes: integer("stored_bytes").notNull(),
});

/**
 * Ratings that count towards an agent's mean but belong to tasks in other databases. `seq` detects repeats. WITHOUT
 * ROWID.
 */
export const remoteRatingsTable = sqliteTable("rated_elsewhere", {
  taskId: text("task_id").primaryKey(),
  seq: integer("seq").notNull(),
  rating: real("rating").notNull(),
});
