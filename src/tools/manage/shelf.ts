import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { capabilities, credentials, retiredTools, tools } from "../../db/schema.ts";
import { takesOverBySecret } from "../../domain/key.ts";
import type { RegisteredTool } from "../../domain/tool.ts";
import { isRedirected, type ToolChanges, type WholeTool } from "../../domain/tool-changes.ts";
import { puttingCredential, type SealedCredential } from "../credentials/store.ts";
import { capabilityIn, toolIn, toolRow } from "../rows.ts";

/** What stands under a tool's id: a tool without its capabilities, a retired one, or nothing. */
export async function standing(
  db: Database,
  id: string,
): Promise<{ tool: RegisteredTool | null; retired: boolean }> {
  const [[tool], retired] = await db.batch([
    db.select().from(tools).where(eq(tools.id, id)),
    db.select({ id: retiredTools.id }).from(retiredTools).where(eq(retiredTools.id, id)),
  ]);
  return { tool: tool === undefined ? null : toolIn(tool), retired: retired.length > 0 };
}

/** The same with all that the tool can do. */
export async function takeDown(
  db: Database,
  id: string,
): Promise<{ whole: WholeTool | null; retired: boolean }> {
  const [[tool], list, retired] = await db.batch([
    db.select().from(tools).where(eq(tools.id, id)),
    db
      .select()
      .from(capabilities)
      .where(eq(capabilities.toolId, id))
      .orderBy(capabilities.position),
    db.select({ id: retiredTools.id }).from(retiredTools).where(eq(retiredTools.id, id)),
  ]);
  const whole =
    tool === undefined ? null : { tool: toolIn(tool), capabilities: list.map(capabilityIn) };
  return { whole, retired: retired.length > 0 };
}

/**
 * Saves a tool in one transaction that writes only what `changes` names, and deletes the credentials if there are
 * new origins. A redirect or, unless `by` is the root key, a new `credential` makes `by` the owner of the tool.
 * Writes nothing and returns false if the tool is no longer at `versionBefore` (0: it never existed).
 */
export async function putUp(
  db: Database,
  { tool, capabilities: list }: WholeTool,
  changes: ToolChanges,
  terms: {
    readonly versionBefore: number;
    readonly by: string;
    readonly credential?: SealedCredential | null;
  },
): Promise<boolean> {
  const written = new Set([...changes.added, ...changes.changed, ...changes.moved]);
  const rows = list.flatMap((capability, position) =>
    written.has(capability.id) ? [{ toolId: tool.id, position, ...capability }] : [],
  );
  const row = toolRow(tool);
  const isTakenOver =
    isRedirected(changes) || (Boolean(terms.credential) && takesOverBySecret(terms.by));
  // Otherwise the column is omitted, because new credentials change it without a new version.
  const { createdBy: _createdBy, ...kept } = row;
  const set = isTakenOver ? { ...kept, createdBy: terms.by } : kept;
  const removed = sql`${capabilities.id} IN (SELECT value FROM json_each(${JSON.stringify(changes.removed)}))`;
  return unlessMoved(
    db.batch([
      atVersion(db, tool.id, terms.versionBefore),
      db.insert(tools).values(row).onConflictDoUpdate({ target: tools.id, set }),
      ...(changes.removed.length === 0
        ? []
        : [db.delete(capabilities).where(and(eq(capabilities.toolId, tool.id), removed))]),
      ...inPortions(rows).map((portion) => putCapabilities(db, portion)),
      ...(changes.newOrigins.length === 0
        ? []
        : [db.delete(credentials).where(eq(credentials.toolId, tool.id))]),
      ...(terms.credential ? [puttingCredential(db, tool, terms.credential)] : []),
    ]),
  );
}

/** Takes a tool out of the catalogue, with its credentials; its id stays taken. False when it is not at that version. */
export async function retire(
  db: Database,
  { id, name, version }: { id: string; name: string; version: number },
  now: number,
): Promise<boolean> {
  return unlessMoved(
    db.batch([
      atVersion(db, id, version),
      db.insert(retiredTools).values({ id, name, version, retiredAt: now }),
      db.delete(tools).where(eq(tools.id, id)),
      db.delete(capabilities).where(eq(capabilities.toolId, id)),
      db.delete(credentials).where(eq(credentials.toolId, id)),
    ]),
  );
}

/** A batch has no condition of its own: reading broken JSON fails, and with it the whole batch. */
function atVersion(db: Database, id: string, version: number) {
  const now = sql`coalesce((SELECT version FROM tools WHERE id = ${id}), 0)`;
  const retired = sql`EXISTS (SELECT 1 FROM retired_tools WHERE id = ${id})`;
  const verdict = sql`json(CASE WHEN ${now} = ${version} AND NOT ${retired} THEN '1' ELSE ${MOVED} END)`;
  return db.select({ verdict }).from(sql`(SELECT 1)`);
}

const MOVED = "the tool has changed";

async function unlessMoved(batch: Promise<unknown>): Promise<boolean> {
  try {
    await batch;
    return true;
  } catch (error) {
    if (isMalformedJson(error)) return false;
    throw error;
  }
}

function isMalformedJson(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes("malformed JSON") || isMalformedJson(error.cause);
}

/** Rows as JSON texts short enough for one bound parameter each. */
function inPortions(rows: readonly object[]): string[] {
  const portions: string[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    const text = JSON.stringify(row);
    bytes += text.length;
    if (bytes > PORTION_CHARACTERS_MAX) {
      portions.push([]);
      bytes = text.length;
    }
    portions.at(-1)?.push(text);
  }
  return portions.map((portion) => `[${portion.join(",")}]`);
}

/** D1 binds texts of at most 2 MB; a character takes up to three bytes. */
const PORTION_CHARACTERS_MAX = 600_000;

function putCapabilities(db: Database, portion: string) {
  const { toolId: _toolId, id: _id, ...rest } = getTableColumns(capabilities);
  return db
    .insert(capabilities)
    .select(
      sql`SELECT value->>'toolId', value->>'id', value->>'position', value->>'name', value->>'description',
                 value->'parameters', value->'operation'
          FROM json_each(${portion}) WHERE true`,
    )
    .onConflictDoUpdate({
      target: [capabilities.toolId, capabilities.id],
      set: Object.fromEntries(
        Object.entries(rest).map(([key, column]) => [key, sql.raw(`excluded.${column.name}`)]),
      ),
    });
}
