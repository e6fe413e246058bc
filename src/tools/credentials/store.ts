import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { capabilities, credentials, tools } from "../../db/schema.ts";
import type { Connector } from "../../domain/connector.ts";
import type { CredentialType } from "../../domain/credential.ts";
import { takesOverBySecret } from "../../domain/key.ts";
import type { Authentication } from "../../domain/tool.ts";

/** A credential as it is stored. `updatedAt` in milliseconds since 1970. */
export interface CredentialRow {
  readonly type: CredentialType;
  readonly sealed: string;
  readonly revision: number;
  readonly updatedAt: number;
}

/** What credentials need to know of their tool. */
export interface CredentialTool {
  readonly id: string;
  readonly authentication: Authentication;
  readonly connector: Connector;
}

/** A tool with its credential, if it has one; null when there is no such tool. */
export async function findToolCredential(
  db: Database,
  toolId: string,
): Promise<{ tool: CredentialTool; version: number; row: CredentialRow | null } | null> {
  const found = await db
    .select({
      version: tools.version,
      authType: tools.authType,
      authScopes: tools.authScopes,
      connector: tools.connector,
      row: credentials,
    })
    .from(tools)
    .leftJoin(credentials, eq(credentials.toolId, tools.id))
    .where(eq(tools.id, toolId))
    .get();
  if (found === undefined) return null;
  const { version, authType, authScopes, connector, row } = found;
  const authentication = { type: authType, scopes: authScopes };
  return { tool: { id: toolId, authentication, connector }, version, row };
}

/** The base URLs of individual requests of a tool, each with the position of the first capability that uses it. */
export async function requestBaseUrls(
  db: Database,
  toolId: string,
): Promise<readonly { readonly position: number; readonly url: string }[]> {
  const url = sql<string>`${capabilities.operation} ->> '$.request.baseUrl'`;
  const position = sql<number>`min(${capabilities.position})`;
  return db
    .select({ position, url })
    .from(capabilities)
    .where(and(eq(capabilities.toolId, toolId), sql`${url} IS NOT NULL`))
    .groupBy(url);
}

export async function findCredential(db: Database, toolId: string): Promise<CredentialRow | null> {
  const row = await db.select().from(credentials).where(eq(credentials.toolId, toolId)).get();
  return row ?? null;
}

/** A credential on its way into its row. */
export interface SealedCredential {
  readonly type: CredentialType;
  readonly sealed: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The statement that puts a credential in place of any other, if its tool is still the one that it was
 * judged for. A new row's revision begins by lot: were it always 1, a renewal of a deleted credential
 * could pass for one of its successor.
 */
export function puttingCredential(
  db: Database,
  tool: { readonly id: string; readonly version: number },
  { type, sealed, now }: SealedCredential,
) {
  const first = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return db
    .insert(credentials)
    .select(
      sql`SELECT id, ${type}, ${sealed}, ${first}, ${now} FROM tools
          WHERE id = ${tool.id} AND version = ${tool.version}`,
    )
    .onConflictDoUpdate({
      target: credentials.toolId,
      set: { type, sealed, revision: sql`${credentials.revision} + 1`, updatedAt: now },
    })
    .returning();
}

/**
 * Puts a credential and makes the key `by` the owner of its tool, unless it is the root key; null if the tool
 * has changed.
 */
export async function putCredential(
  db: Database,
  tool: { readonly id: string; readonly version: number },
  credential: SealedCredential,
  by: string,
): Promise<CredentialRow | null> {
  const { id, version } = tool;
  const isOther = sql`${tools.createdBy} IS NOT ${by}`;
  const takingOver = db
    .update(tools)
    .set({ createdBy: by })
    .where(and(eq(tools.id, id), eq(tools.version, version), isOther));
  const putting = puttingCredential(db, tool, credential);
  const [[row]] = await db.batch(takesOverBySecret(by) ? [putting, takingOver] : [putting]);
  return row ?? null;
}

/** Puts what a renewal or connection brought, unless the row has changed since; null when it has. */
export async function replaceCredential(
  db: Database,
  toolId: string,
  before: CredentialRow,
  { sealed, now }: { sealed: string; now: number },
): Promise<CredentialRow | null> {
  const [row] = await db
    .update(credentials)
    .set({ sealed, revision: before.revision + 1, updatedAt: now })
    .where(same(toolId, before))
    .returning();
  return row ?? null;
}

/** Puts the same secret under another key. It is no change, so the revision stays. */
export async function resealCredential(
  db: Database,
  toolId: string,
  before: CredentialRow,
  sealed: string,
): Promise<void> {
  await db.update(credentials).set({ sealed }).where(same(toolId, before));
}

/** Deletes a credential; false when there is none. */
export async function deleteCredential(db: Database, toolId: string): Promise<boolean> {
  const deleted = await db
    .delete(credentials)
    .where(eq(credentials.toolId, toolId))
    .returning({ toolId: credentials.toolId });
  return deleted.length > 0;
}

function same(toolId: string, { type, revision }: CredentialRow) {
  return and(
    eq(credentials.toolId, toolId),
    eq(credentials.type, type),
    eq(credentials.revision, revision),
  );
}
