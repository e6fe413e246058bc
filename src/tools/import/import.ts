import { database } from "../../db/client.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { RegisteredTool } from "../../domain/tool.ts";
import {
  isChange,
  toolChanges,
  type ToolChanges,
  type WholeTool,
} from "../../domain/tool-changes.ts";
import { putSealed } from "../credentials/put.ts";
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
  onProgress: OnProgress,
): Promise<Result<Imported, Failure>> {
  const { id, dryRun } = body;
  const db = database(env.DB);
  const { whole: before, retired } = await takeDown(db, id);
  const refusal = refused(body, before?.tool ?? null, retired);
  if (refusal !== null) return fail(refusal);
  const given = await givenKey(env, body, before?.tool ?? null);
  if (!given.ok) return given;
  const authorisation = await authorisationFor(env, given.value, before?.tool ?? null);
  if (!authorisation.ok) return authorisation;
  const draft = await readSource(env, body, authorisation.value, onProgress);
  if (!draft.ok) return draft;
  const after = merged(body, draft.value, given.value, before?.tool ?? null);
  const changes = toolChanges(before, after);
  const whole = before !== null && !isChange(changes) ? before : after;
  const { notes } = draft.value;
  const imported: Imported = { whole, changes, notes, isNew: before === null, dryRun };
  if (dryRun) return ok(imported);
  if (whole === after && !(await putUp(db, after, changes, before?.tool.version ?? 0))) {
    return fail({ kind: "unavailable", what: `The tool ${id}, which somebody else has changed,` });
  }
  const kept = given.value === null ? ok(null) : await putSealed(env, id, given.value);
  return kept.ok ? ok(imported) : kept;
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
  if (before.source?.type === sourceOf(body).type) return null;
  return before.source === null
    ? { kind: "tool_exists", toolId, retired: false }
    : invalid("id", "names a tool that was imported from another kind of source");
}
