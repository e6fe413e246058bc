import { and, eq, inArray, sql } from "drizzle-orm";
import type { AuditedBatch } from "../../platform/d1/audited-batch.ts";
import type { Database } from "../../platform/d1/client.ts";
import { capabilitiesTable, credentialsTable, toolsTable } from "../../platform/d1/schema.ts";
import { GRANT_TYPES, type CredentialType } from "../model/credential.ts";
import { takesOwnershipBySecret } from "../../keys/model/key.ts";
import type { RegisteredTool } from "../model/tool.ts";

/** A stored credential. `updatedAt` is in milliseconds since 1970. */
export type CredentialRow = Readonly<Omit<typeof credentialsTable.$inferSelect, "toolId">>;

export type CredentialTool = Pick<RegisteredTool, "id" | "authentication" | "connector">;

type ToolVersion = Pick<RegisteredTool, "id" | "version">;

/** A tool, with its credential if it has one; null if the tool does not exist. */
export async function findToolCredential(
  db: Database,
  toolId: string,
): Promise<{ tool: CredentialTool; version: number; row: CredentialRow | null } | null> {
  const found = await db
    .select({
      version: toolsTable.version,
      authType: toolsTable.authType,
      authScopes: toolsTable.authScopes,
      connector: toolsTable.connector,
      row: credentialsTable,
    })
    .from(toolsTable)
    .leftJoin(credentialsTable, eq(credentialsTable.toolId, toolsTable.id))
    .where(eq(toolsTable.id, toolId))
    .get();
  if (found === undefined) return null;
  const { version, authType, authScopes, connector, row } = found;
  const authentication = { type: authType, scopes: authScopes };
  return { tool: { id: toolId, authentication, connector }, version, row };
}

/** The base URLs that a tool's capabilities set, each with the position of the first capability that uses it. */
export async function listRequestBaseUrls(
  db: Database,
  toolId: string,
): Promise<readonly { readonly position: number; readonly url: string }[]> {
  const url = sql<string>`${capabilitiesTable.operation} ->> '$.request.baseUrl'`;
  const position = sql<number>`min(${capabilitiesTable.position})`;
  return db
    .select({ position, url })
    .from(capabilitiesTable)
    .where(and(eq(capabilitiesTable.toolId, toolId), sql`${url} IS NOT NULL`))
    .groupBy(url);
}

export async function findCredential(db: Database, toolId: string): Promise<CredentialRow | null> {
  const row = await db
    .select()
    .from(credentialsTable)
    .where(eq(credentialsTable.toolId, toolId))
    .get();
  return row ?? null;
}

/** The credentials of all tools whose credentials contain an OAuth grant of a person. */
export async function listGrantedCredentials(
  db: Database,
): Promise<Pick<typeof credentialsTable.$inferSelect, "toolId" | "type" | "sealed">[]> {
  const { toolId, type, sealed } = credentialsTable;
  return db
    .select({ toolId, type, sealed })
    .from(credentialsTable)
    .where(inArray(type, [...GRANT_TYPES]));
}

export interface SealedCredential {
  readonly type: CredentialType;
  readonly sealed: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Builds the statement that saves a credential if the tool's version is unchanged. The first revision of a row is
 * random, so it almost certainly differs from every revision of a deleted row.
 */
export function buildCredentialUpsert(
  db: Database,
  tool: ToolVersion,
  { type, sealed, now }: SealedCredential,
) {
  const first = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return db
    .insert(credentialsTable)
    .select(
      sql`SELECT id, ${type}, ${sealed}, ${first}, ${now} FROM tools
          WHERE id = ${tool.id} AND version = ${tool.version}`,
    )
    .onConflictDoUpdate({
      target: credentialsTable.toolId,
      set: { type, sealed, revision: sql`${credentialsTable.revision} + 1`, updatedAt: now },
    })
    .returning();
}

/**
 * Saves a credential. The key `by` becomes the tool's owner, unless it is the root key. Null if the tool has changed.
 */
export async function saveCredential(
  db: Database,
  tool: ToolVersion,
  credential: SealedCredential,
  by: string,
  batch: AuditedBatch,
): Promise<CredentialRow | null> {
  const { id, version } = tool;
  const isOther = sql`${toolsTable.createdBy} IS NOT ${by}`;
  const takingOver = db
    .update(toolsTable)
    .set({ createdBy: by })
    .where(and(eq(toolsTable.id, id), eq(toolsTable.version, version), isOther));
  const putting = buildCredentialUpsert(db, tool, credential);
  const [[row]] = await batch(takesOwnershipBySecret(by) ? [putting, takingOver] : [putting]);
  return row ?? null;
}

/** Saves a renewed credential; null if the row has changed. */
export async function replaceCredential(
  db: Database,
  toolId: string,
  before: CredentialRow,
  change: CredentialChange,
): Promise<CredentialRow | null> {
  const [row] = await buildReplacement(db, toolId, before, change);
  return row ?? null;
}

/** Saves the credential of a new connection; null if the row has changed. */
export async function saveConnection(
  db: Database,
  toolId: string,
  before: CredentialRow,
  change: CredentialChange,
  batch: AuditedBatch,
): Promise<CredentialRow | null> {
  const [[row]] = await batch([buildReplacement(db, toolId, before, change)]);
  return row ?? null;
}

type CredentialChange = Pick<SealedCredential, "sealed" | "now">;

function buildReplacement(
  db: Database,
  toolId: string,
  before: CredentialRow,
  { sealed, now }: CredentialChange,
) {
  return db
    .update(credentialsTable)
    .set({ sealed, revision: before.revision + 1, updatedAt: now })
    .where(matchesRevision(toolId, before))
    .returning();
}

/** Saves the same secret, sealed with another key. The revision does not change. */
export async function resealCredential(
  db: Database,
  toolId: string,
  before: CredentialRow,
  sealed: string,
): Promise<void> {
  await db.update(credentialsTable).set({ sealed }).where(matchesRevision(toolId, before));
}

/** Deletes a credential. Returns false if there is none. */
export async function deleteCredential(
  db: Database,
  toolId: string,
  batch: AuditedBatch,
): Promise<boolean> {
  const [deleted] = await batch([
    db
      .delete(credentialsTable)
      .where(eq(credentialsTable.toolId, toolId))
      .returning({ toolId: credentialsTable.toolId }),
  ]);
  return deleted.length > 0;
}

function matchesRevision(toolId: string, { type, revision }: CredentialRow) {
  return and(
    eq(credentialsTable.toolId, toolId),
    eq(credentialsTable.type, type),
    eq(credentialsTable.revision, revision),
  );
}
