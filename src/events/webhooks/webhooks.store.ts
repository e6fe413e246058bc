import { hasCreatorEndedSql } from "../../platform/d1/key-predicates.ts";
import { and, desc, eq, isNull, ne, not, sql, type SQL } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { unaudited, type AuditedBatch } from "../../platform/d1/audited-batch.ts";
import { buildConditionalInsert, type Database, jsonList } from "../../platform/d1/client.ts";
import { webhooksTable } from "../../platform/d1/schema.ts";
import { takesOwnershipBySecret, type KeyValidity } from "../../keys/model/key.ts";
import { WEBHOOKS_MAX } from "../limits.ts";
import {
  disableIfCreatorEnded,
  type EnabledWebhook,
  type StoredWebhook,
  type WebhookChange,
  type WebhookFormat,
  type WebhookLimits,
} from "../model/webhook.ts";

/** All enabled webhooks that do not belong to a task. */
export async function listEnabledWebhooks(db: Database): Promise<EnabledWebhook[]> {
  return selectEnabled(db, isNull(webhooksTable.taskId)).limit(WEBHOOKS_MAX);
}

export async function listEnabledTaskWebhooks(
  db: Database,
  taskIds: readonly string[],
): Promise<EnabledWebhook[]> {
  return selectEnabled(db, sql`${webhooksTable.taskId} IN ${jsonList(taskIds)}`);
}

function selectEnabled(db: Database, which: SQL) {
  const { id, types, agentId, teamId, taskId } = webhooksTable;
  return db
    .select({ id, types, agentId, teamId, taskId })
    .from(webhooksTable)
    .where(and(which, eq(webhooksTable.enabled, true), not(hasCreatorEndedSql(Date.now()))));
}

/** The validity of the key that owns a webhook, as JSON; null for the root key and for A2A configurations. */
const creator = sql<string | null>`(
  SELECT json_object('revokedAt', creator.revoked_at, 'expiresAt', creator.expires_at)
  FROM keys AS creator WHERE creator.id = webhooks.created_by AND webhooks.task_id IS NULL)`.as(
  "creator",
);

function selectWebhooks(db: Database) {
  return db.select({ webhook: webhooksTable, creator }).from(webhooksTable);
}

type SelectedWebhook = Awaited<ReturnType<typeof selectWebhooks>>[number];

function toStoredWebhook({ webhook, creator: validity }: SelectedWebhook): StoredWebhook {
  const key: KeyValidity | null = validity === null ? null : JSON.parse(validity);
  return disableIfCreatorEnded(webhook, key, Date.now());
}

export async function findWebhook(db: Database, id: string): Promise<StoredWebhook | null> {
  const row = await selectWebhooks(db).where(eq(webhooksTable.id, id)).get();
  return row === undefined ? null : toStoredWebhook(row);
}

/** Separates A2A push notifications, which belong to tasks, from webhooks that clients create and list. */
function matchFormatKind(format: WebhookFormat): SQL {
  return format === "a2a" ? eq(webhooksTable.format, "a2a") : ne(webhooksTable.format, "a2a");
}

/** One page of the webhooks that clients created, newest first, and the total number of these webhooks. */
export async function listWebhooks(
  db: Database,
  page: { limit: number; offset: number },
): Promise<{ webhooks: StoredWebhook[]; total: number }> {
  const where = matchFormatKind("standard");
  const [rows, counts] = await db.batch([
    selectWebhooks(db)
      .where(where)
      .orderBy(desc(webhooksTable.createdAt), desc(webhooksTable.id))
      .limit(page.limit)
      .offset(page.offset),
    db
      .select({ count: sql<number>`count(*)` })
      .from(webhooksTable)
      .where(where),
  ]);
  return { webhooks: rows.map(toStoredWebhook), total: counts[0]?.count ?? 0 };
}

/** A task's webhooks of one format, oldest first. */
export async function listTaskWebhooks(
  db: Database,
  format: WebhookFormat,
  taskId: string,
): Promise<StoredWebhook[]> {
  return db
    .select()
    .from(webhooksTable)
    .where(and(eq(webhooksTable.taskId, taskId), eq(webhooksTable.format, format)))
    .orderBy(webhooksTable.createdAt, webhooksTable.id);
}

/** Inserts a new webhook; false if a limit has been reached. */
export async function insertWebhook(
  db: Database,
  webhook: StoredWebhook,
  { countMax, webhooksPerKeyMax }: WebhookLimits,
  batch: AuditedBatch,
): Promise<boolean> {
  const { format, taskId } = webhook;
  // Keep the two conditions separate, so that the one for a task can use its index.
  const task = taskId === null ? sql`task_id IS NULL` : sql`task_id = ${taskId}`;
  const of = sql`${task} AND ${matchFormatKind(format)}`;
  const isBelowMax = sql`(SELECT count(*) FROM webhooks WHERE ${of}) < ${countMax}
    AND ${isBelowKeyLimitSql(webhook, webhooksPerKeyMax)}`;
  const [inserted] = await batch([
    buildConditionalInsert(db, webhooksTable, webhook, isBelowMax).returning({
      id: webhooksTable.id,
    }),
  ]);
  return inserted.length > 0;
}

/**
 * Whether the creating key has fewer webhooks of this kind than its limit; true without a limit. Disabled A2A
 * configurations, whose tasks have ended, do not count.
 */
function isBelowKeyLimitSql(
  { format, createdBy }: Pick<StoredWebhook, "format" | "createdBy">,
  webhooksPerKeyMax = Infinity,
): SQL {
  if (webhooksPerKeyMax === Infinity) return sql`true`;
  // The format is a literal because a partial index does not match a parameter.
  const isLike =
    format === "a2a" ? sql`own.format = 'a2a' AND own.enabled` : sql`own.format <> 'a2a'`;
  const own = sql`SELECT 1 FROM webhooks AS own
    WHERE ${isLike} AND own.created_by = ${createdBy} LIMIT ${webhooksPerKeyMax}`;
  return sql`(SELECT count(*) FROM (${own})) < ${webhooksPerKeyMax}`;
}

/** Whether a key can create another A2A configuration. `insertWebhook` checks this again. */
export async function canAddPushConfig(
  db: Database,
  createdBy: string,
  webhooksPerKeyMax: number,
): Promise<boolean> {
  const isBelow = isBelowKeyLimitSql({ format: "a2a", createdBy }, webhooksPerKeyMax);
  const row = await db.get<{ isBelow: number }>(sql`SELECT ${isBelow} AS isBelow`);
  return row.isBelow === 1;
}

/** The number of webhooks that a key owns, excluding A2A configurations. */
export async function countWebhooksOfKey(db: Database, createdBy: string): Promise<number> {
  return db.$count(
    webhooksTable,
    and(matchFormatKind("standard"), eq(webhooksTable.createdBy, createdBy)),
  );
}

/** The key that changes a webhook, and how many webhooks it can own. */
interface NewOwner {
  readonly by: string;
  readonly webhooksPerKeyMax: number;
}

/**
 * Updates only the changed fields; null if the webhook is unknown or its settings have changed since the change was
 * validated. A key that changes `url` or headers (for the root key, only `url`), or enables a webhook whose key has
 * ended, becomes its owner; "full" if that key cannot own another webhook.
 */
export async function updateWebhook(
  db: Database,
  before: StoredWebhook,
  change: WebhookChange & { readonly sealed?: string },
  owner: NewOwner,
  batch: AuditedBatch,
): Promise<StoredWebhook | "full" | null> {
  const { id } = before;
  const isMoved = change.url !== undefined && change.url !== before.url;
  const isTakenOver = isMoved || (change.sealed !== undefined && takesOwnershipBySecret(owner.by));
  const isEnabled = change.enabled === true;
  const hasCreatorEnded = hasCreatorEndedSql(Date.now());
  const values = {
    ...(isTakenOver ? ownershipColumns(owner, before) : {}),
    // An UPDATE must set at least one column.
    id,
    ...change,
    ...(isEnabled && !isTakenOver
      ? { createdBy: sql`CASE WHEN ${hasCreatorEnded} THEN ${owner.by} ELSE created_by END` }
      : {}),
  };
  const unchanged = and(
    eq(webhooksTable.id, id),
    eq(webhooksTable.sealed, before.sealed),
    eq(webhooksTable.url, before.url),
    isTakenOver ? canOwnSql(before.format, owner) : undefined,
    isEnabled && !isTakenOver
      ? sql`(NOT ${hasCreatorEnded} OR ${canOwnSql(before.format, owner)})`
      : undefined,
  );
  const [changedRows, [row]] = await batch([
    db.update(webhooksTable).set(values).where(unchanged).returning({ id: webhooksTable.id }),
    selectWebhooks(db).where(eq(webhooksTable.id, id)),
  ]);
  if (row === undefined) return null;
  if (changedRows.length > 0) return toStoredWebhook(row);
  const { sealed, url } = row.webhook;
  return sealed === before.sealed && url === before.url ? "full" : null;
}

/** Column values that change a webhook's owner. A webhook that is disabled because its key has ended stays disabled. */
function ownershipColumns(
  { by }: NewOwner,
  { enabled, disabledReason, disabledAt }: StoredWebhook,
) {
  if (enabled) return { createdBy: by };
  const isDerived = sql`webhooks.enabled AND ${hasCreatorEndedSql(Date.now())}`;
  return {
    createdBy: by,
    enabled: sql<boolean>`CASE WHEN ${isDerived} THEN 0 ELSE enabled END`,
    disabledReason: sql<
      string | null
    >`CASE WHEN ${isDerived} THEN ${disabledReason} ELSE disabled_reason END`,
    disabledAt: sql<number | null>`CASE WHEN ${isDerived} THEN ${disabledAt} ELSE disabled_at END`,
  };
}

function canOwnSql(format: WebhookFormat, { by, webhooksPerKeyMax }: NewOwner): SQL {
  const isBelow = isBelowKeyLimitSql({ format, createdBy: by }, webhooksPerKeyMax);
  return sql`(webhooks.created_by = ${by} OR ${isBelow})`;
}

/**
 * Stores sealed settings with a new secret; false if the settings have changed since they were read. The owner does not
 * change, because the current one chose the URL.
 */
export async function replaceSealedSettings(
  db: Database,
  before: Pick<StoredWebhook, "id" | "sealed">,
  change: { readonly sealed: string; readonly headerNames: string[] | null },
  batch: AuditedBatch,
): Promise<boolean> {
  const conditions = [eq(webhooksTable.id, before.id), eq(webhooksTable.sealed, before.sealed)];
  return updateRow(db, change, conditions, batch);
}

/**
 * Replaces a webhook's address and settings; false if there is no such webhook or the key is at its limit. Never
 * disables the webhook, because that would delete its pending deliveries.
 */
export async function replaceWebhook(
  db: Database,
  webhook: Pick<StoredWebhook, "id" | "url" | "sealed" | "format" | "createdBy" | "enabled">,
  webhooksPerKeyMax = Infinity,
): Promise<boolean> {
  const { id, url, sealed, createdBy, enabled } = webhook;
  const state = enabled ? { enabled, disabledReason: null, disabledAt: null } : {};
  const isAllowed = canOwnSql(webhook.format, { by: createdBy, webhooksPerKeyMax });
  const values = { url, sealed, createdBy, ...state };
  return updateRow(db, values, [eq(webhooksTable.id, id), isAllowed], unaudited(db));
}

/** Disables a webhook; false if its address has changed or it is already disabled. */
export async function disableWebhook(
  db: Database,
  id: string,
  { url, reason, at }: { url: string; reason: string; at: number },
  batch: AuditedBatch,
): Promise<boolean> {
  const values = { enabled: false, disabledReason: reason, disabledAt: at };
  const conditions = [
    eq(webhooksTable.id, id),
    eq(webhooksTable.url, url),
    eq(webhooksTable.enabled, true),
  ];
  return updateRow(db, values, conditions, batch);
}

/** Deletes a webhook of the same kind as `format`; false if there is none. */
export async function deleteWebhook(
  db: Database,
  format: WebhookFormat,
  id: string,
  batch: AuditedBatch,
): Promise<boolean> {
  const [deleted] = await batch([
    db
      .delete(webhooksTable)
      .where(and(eq(webhooksTable.id, id), matchFormatKind(format)))
      .returning({ id: webhooksTable.id }),
  ]);
  return deleted.length > 0;
}

/** Deletes the disabled A2A configurations of a task; the others delete themselves at their next event. */
export async function deleteEndedPushConfigs(db: Database, taskId: string): Promise<void> {
  const { taskId: ofTask, format, enabled } = webhooksTable;
  await db
    .delete(webhooksTable)
    .where(and(eq(ofTask, taskId), eq(format, "a2a"), eq(enabled, false)));
}

async function updateRow(
  db: Database,
  values: SQLiteUpdateSetSource<typeof webhooksTable>,
  conditions: readonly SQL[],
  batch: AuditedBatch,
): Promise<boolean> {
  const [rows] = await batch([
    db
      .update(webhooksTable)
      .set(values)
      .where(and(...conditions))
      .returning({ id: webhooksTable.id }),
  ]);
  return rows.length > 0;
}
