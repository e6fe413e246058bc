import { database } from "../../db/client.ts";
import type { ApiKey } from "../../domain/credential.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { takesOverBySecret } from "../../domain/key.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { RegisteredTool } from "../../domain/tool.ts";
import {
  isChange,
  isRedirected,
  toolChanges,
  type ToolChanges,
  type WholeTool,
} from "../../domain/tool-changes.ts";
import type { SealedCredential } from "../credentials/store.ts";
import { sealCredential } from "../credentials/vault.ts";
import { putUp, takeDown } from "../manage/shelf.ts";
import type { ImportBody } from "../manage/wire.ts";
import { authorisationFor, givenKey, type ImportEnv } from "./authorise.ts";
import type { OnProgress } from "./draft.ts";
import { merged, sourceOf } from "./merge.ts";
import { readSource } from "./source.ts";

/** What an import made, or with `dryRun` would make. */
export interface Imported {
  readonly whole: WholeTool;
  readonly changes: ToolChanges;
  /** What was left out, and why. */
  readonly notes: readonly string[];
  readonly isNew: boolean;
  readonly dryRun: boolean;
}

/**
 * Registers one tool from an OpenAPI document or an MCP server, or brings the tool of an earlier import
 * up to date. All or nothing: what is read is judged first and then written in one transaction.
 */
export async function importTool(
  env: ImportEnv,
  body: ImportBody,
  by: string,
  onProgress: OnProgress,
): Promise<Result<Imported, Failure>> {
  const { id, dryRun } = body;
  const db = database(env.DB);
  const { whole: before, retired } = await takeDown(db, id);
  const refusal = refused(body, before?.tool ?? null, retired);
  if (refusal !== null) return fail(refusal);
  const given = await givenKey(env, body, before?.tool ?? null);
  if (!given.ok) return given;
  const authorisation = await authorisationFor(env, body, given.value, before?.tool ?? null);
  if (!authorisation.ok) return authorisation;
  const source = sourceOf(body, before?.tool ?? null);
  const draft = await readSource(env, body, source, authorisation.value, onProgress);
  if (!draft.ok) return draft;
  const after = merged(body, draft.value, given.value, before?.tool ?? null, by);
  const changes = toolChanges(before, after);
  const same = before !== null && !isChange(changes) ? before : after;
  const isTakenOver = isRedirected(changes) || (given.value !== null && takesOverBySecret(by));
  const whole = isTakenOver ? { ...same, tool: { ...same.tool, createdBy: by } } : same;
  const { notes } = draft.value;
  const imported: Imported = { whole, changes, notes, isNew: before === null, dryRun };
  if (dryRun) return ok(imported);
  const credential = await sealedKey(env, id, given.value);
  if (!credential.ok) return credential;
  if (whole === before && credential.value === null) return ok(imported);
  const versionBefore = before?.tool.version ?? 0;
  const done = await putUp(db, whole, changes, { versionBefore, by, credential: credential.value });
  if (done) return ok(imported);
  return fail({ kind: "unavailable", what: `The tool ${id}, which somebody else has changed,` });
}

async function sealedKey(
  env: ImportEnv,
  toolId: string,
  key: ApiKey | null,
): Promise<Result<SealedCredential | null, Failure>> {
  if (key === null) return ok(null);
  const sealed = await sealCredential(env, toolId, key);
  return sealed.ok ? ok({ type: key.type, sealed: sealed.value, now: Date.now() }) : sealed;
}

function refused(
  body: ImportBody,
  before: RegisteredTool | null,
  retired: boolean,
): Failure | null {
  const toolId = body.id;
  if (retired) return { kind: "tool_exists", toolId, retired };
  if (before === null) return null;
  if (before.connector.type === "builtin") return { kind: "tool_built_in", toolId };
  if (before.source?.type === sourceOf(body, before).type) return null;
  return before.source === null
    ? { kind: "tool_exists", toolId, retired: false }
    : invalid("id", "names a tool that was imported from another kind of source");
}
