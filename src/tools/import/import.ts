import { database } from "../../db/client.ts";
import type { Connector } from "../../domain/connector.ts";
import type { Failure } from "../../domain/failure.ts";
import { invalid } from "../../domain/failure.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { ImportSource, RegisteredTool } from "../../domain/tool.ts";
import {
  isChange,
  toolChanges,
  type ToolChanges,
  type WholeTool,
} from "../../domain/tool-changes.ts";
import type { CredentialEnv } from "../credentials/authorisation.ts";
import type { ImportBody } from "../manage/wire.ts";
import { putUp, takeDown } from "../manage/shelf.ts";
import type { OnProgress, ToolDraft } from "./draft.ts";
import { readSource } from "./source.ts";

export type ImportEnv = CredentialEnv &
  Pick<Env, "DB" | "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

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
  const db = database(env.DB);
  const standing = await takeDown(db, body.id);
  const before = standing.whole;
  const refusal = refused(body, before?.tool ?? null, standing.retired);
  if (refusal !== null) return fail(refusal);
  const draft = await readSource(env, body, before?.tool ?? null, onProgress);
  if (!draft.ok) return draft;
  const after = imported(body, draft.value, before?.tool ?? null);
  const changes = toolChanges(before, after);
  const outcome = { changes, notes: draft.value.notes, isNew: before === null };
  if (before !== null && !isChange(changes)) {
    return ok({ ...outcome, whole: before, dryRun: body.dryRun });
  }
  if (body.dryRun) return ok({ ...outcome, whole: after, dryRun: true });
  const done = await putUp(db, after, changes, before?.tool.version ?? 0);
  if (done) return ok({ ...outcome, whole: after, dryRun: false });
  return fail({
    kind: "unavailable",
    what: `The tool ${body.id}, which somebody else has changed,`,
  });
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
    : invalid("id", `names a tool that was imported from another kind of source`);
}

/** The tool as the draft and the request have it; what people set by hand stays from `before`. */
function imported(body: ImportBody, draft: ToolDraft, before: RegisteredTool | null): WholeTool {
  const tool: RegisteredTool = {
    id: body.id,
    name: body.name ?? draft.name,
    description: body.description ?? draft.description,
    documentation: draft.documentation,
    category: body.category ?? before?.category ?? "integration",
    authentication: draft.authentication,
    rateLimit: body.rateLimit ?? before?.rateLimit ?? { requests: 1_000, period: "hour" },
    pricing: body.pricing ?? before?.pricing ?? { model: "usage", free: 0, overage: 0 },
    connector: withStanding(draft.connector, before),
    source: sourceOf(body),
    version: (before?.version ?? 0) + 1,
  };
  return { tool, capabilities: draft.capabilities };
}

/** Headers and patience that people set with PATCH outlive the next import. */
function withStanding(connector: Connector, before: RegisteredTool | null): Connector {
  const standing = before?.connector;
  if (connector.type === "builtin" || standing === undefined) return connector;
  if (standing.type !== connector.type) return connector;
  const { timeoutMs } = standing;
  return { ...connector, timeoutMs, headers: { ...standing.headers, ...connector.headers } };
}

function sourceOf({ openapi, mcp }: ImportBody): ImportSource {
  if (mcp !== undefined) return { type: "mcp", url: mcp.url };
  return { type: "openapi", url: openapi?.url ?? null };
}
