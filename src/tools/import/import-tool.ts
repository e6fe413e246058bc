import { getDatabase } from "../../platform/d1/client.ts";
import type { ApiKeyCredential } from "../model/credential.ts";
import { createConflictFailure, createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { takesOwnershipBySecret } from "../../keys/model/key.ts";
import { fail, ok, type Result, prefixProblems } from "../../kernel/result.ts";
import { DEFAULT_TOOL_TERMS, type ImportSource, type RegisteredTool } from "../model/tool.ts";
import {
  diffTools,
  hasChanges,
  isRedirected,
  type ToolChanges,
  type ToolWithCapabilities,
} from "../model/tool-changes.ts";
import type { SealedCredential } from "../credentials/credentials.store.ts";
import { sealCredential } from "../credentials/seal-credential.ts";
import { audited, type AuditEnv } from "../../governance/audit/audited.ts";
import type { Actor } from "../../governance/model/audit-entry.ts";
import { toolEntry } from "../manage/audit-entry.ts";
import { saveTool, loadTool } from "../tools.store.ts";
import type { ImportToolBody } from "./schemas.ts";
import type { OnImportProgress, ToolDraft } from "./tool-draft.ts";
import { readImportSource } from "./read-source.ts";
import type { Connector, RequestAuthorization } from "../model/connector.ts";
import { TOOL_TIMEOUT_DEFAULT_MS } from "../limits.ts";
import type { EgressEnv } from "../../platform/egress/egress.ts";
import { buildCredential } from "../credentials/build-credential.ts";
import {
  buildAuthorization,
  resolveStoredAuthorization,
  type CredentialEnv,
} from "../credentials/authorization.ts";

type ImportEnv = CredentialEnv & EgressEnv & AuditEnv;

/** The API key in an import request, validated like a key set with PUT. */
async function resolveGivenApiKey(
  env: ImportEnv,
  { id, mcp, credentials }: ImportToolBody,
  before: RegisteredTool | null,
): Promise<Result<ApiKeyCredential | null, Failure>> {
  if (credentials === undefined || mcp === undefined) return ok(null);
  const { url, headers } = mcp;
  const timeoutMs = TOOL_TIMEOUT_DEFAULT_MS;
  const connector = { type: "mcp" as const, url, headers, timeoutMs, credential: null };
  const authentication = { type: "api-key" as const, scopes: [] };
  const tool = before ?? { id, authentication, connector };
  const accepted = await buildCredential(env, tool, credentials);
  if (!accepted.ok) return nestUnderCredentials(accepted.failure);
  return accepted.value.type === "api-key" ? ok(accepted.value) : ok(null);
}

/** The credential for an MCP server: the given key, or the existing tool's credential if the origin is the same. */
async function resolveImportAuthorization(
  env: ImportEnv,
  { mcp }: ImportToolBody,
  given: ApiKeyCredential | null,
  before: RegisteredTool | null,
): Promise<Result<RequestAuthorization | null, Failure>> {
  if (given !== null) return ok(buildAuthorization(given.place, given.value));
  if (mcp === undefined || before?.connector.type !== "mcp") return ok(null);
  const isSameServer = URL.parse(mcp.url)?.origin === URL.parse(before.connector.url)?.origin;
  return isSameServer ? resolveStoredAuthorization(env, before) : ok(null);
}

function nestUnderCredentials(failure: Failure): Result<never, Failure> {
  if (failure.kind !== "validation") return fail(failure);
  return fail({ kind: "validation", problems: prefixProblems("credentials", failure.problems) });
}

/** Builds the tool from the draft and the request. Manual settings are kept from `before`. */
function mergeDraft(
  body: ImportToolBody,
  draft: ToolDraft,
  given: ApiKeyCredential | null,
  before: RegisteredTool | null,
  by: string,
): ToolWithCapabilities {
  // An MCP server does not state how clients authenticate, so keep the existing tool's setting.
  const known = body.mcp !== undefined && given === null ? before?.authentication : undefined;
  const tool: RegisteredTool = {
    id: body.id,
    name: body.name ?? draft.name,
    description: body.description ?? draft.description,
    documentation: draft.documentation,
    category: body.category ?? before?.category ?? DEFAULT_TOOL_TERMS.category,
    authentication: known ?? draft.authentication,
    rateLimit: body.rateLimit ?? before?.rateLimit ?? DEFAULT_TOOL_TERMS.rateLimit,
    pricing: body.pricing ?? before?.pricing ?? DEFAULT_TOOL_TERMS.pricing,
    connector: mergeConnector(draft.connector, given, before),
    source: buildImportSource(body, before),
    version: (before?.version ?? 0) + 1,
    createdBy: before === null ? by : before.createdBy,
  };
  return { tool, capabilities: draft.capabilities };
}

/**
 * The source of an import. The previous selection and, for the same document, the previous base URL are kept unless the
 * request sets new ones.
 */
function buildImportSource(
  { openapi, mcp, only }: ImportToolBody,
  before: RegisteredTool | null,
): ImportSource {
  const existing = before?.source;
  const part = only === undefined ? existing?.only : only === "all" ? undefined : only;
  const selected = part === undefined ? {} : { only: part };
  if (mcp !== undefined) return { type: "mcp", url: mcp.url, ...selected };
  // A base URL from an earlier import applies only to the same document.
  const isSameDocument = existing?.url === (openapi?.url ?? null);
  const baseUrl = openapi?.baseUrl ?? (isSameDocument ? existing?.baseUrl : undefined);
  const placed = baseUrl === undefined ? {} : { baseUrl };
  return { type: "openapi", url: openapi?.url ?? null, ...selected, ...placed };
}

/** Keeps the existing timeout, and any existing headers and credential place that the import does not set. */
function mergeConnector(
  read: Connector,
  given: ApiKeyCredential | null,
  before: RegisteredTool | null,
): Connector {
  if (read.type === "builtin") return read;
  const existing = before?.connector;
  if (existing === undefined || existing.type !== read.type) {
    return given === null ? read : { ...read, credential: given.place };
  }
  const known =
    read.type === "mcp" ? existing.credential : (read.credential ?? existing.credential);
  const credential = given?.place ?? known;
  const headers = { ...existing.headers, ...read.headers };
  return { ...read, timeoutMs: existing.timeoutMs, headers, credential };
}

interface ImportResult {
  readonly definition: ToolWithCapabilities;
  readonly changes: ToolChanges;
  readonly notes: readonly string[];
  readonly isNew: boolean;
  readonly dryRun: boolean;
}

/** Registers or updates a tool from an OpenAPI document or an MCP server. Validates everything before writing. */
export async function importTool(
  env: ImportEnv,
  body: ImportToolBody,
  by: Actor,
  onProgress: OnImportProgress,
): Promise<Result<ImportResult, Failure>> {
  const { id, dryRun } = body;
  const db = getDatabase(env.DB);
  const { definition: before, retired } = await loadTool(db, id);
  const tool = before?.tool ?? null;
  const notAllowed = checkImportAllowed(body, tool, retired);
  if (notAllowed !== null) return fail(notAllowed);
  const given = await resolveGivenApiKey(env, body, tool);
  if (!given.ok) return given;
  const authorization = await resolveImportAuthorization(env, body, given.value, tool);
  if (!authorization.ok) return authorization;
  const source = buildImportSource(body, tool);
  const draft = await readImportSource(env, body, source, authorization.value, onProgress);
  if (!draft.ok) return draft;
  const after = mergeDraft(body, draft.value, given.value, tool, by.keyId);
  const changes = diffTools(before, after);
  const same = before !== null && !hasChanges(changes) ? before : after;
  const isTakenOver =
    isRedirected(changes) || (given.value !== null && takesOwnershipBySecret(by.keyId));
  const definition = isTakenOver ? { ...same, tool: { ...same.tool, createdBy: by.keyId } } : same;
  const { notes } = draft.value;
  const imported: ImportResult = { definition, changes, notes, isNew: before === null, dryRun };
  if (dryRun) return ok(imported);
  const credential = await sealApiKey(env, id, given.value);
  if (!credential.ok) return credential;
  if (definition === before && credential.value === null) return ok(imported);
  const versionBefore = tool?.version ?? 0;
  const terms = { versionBefore, by: by.keyId, credential: credential.value };
  const entry = toolEntry("tool.imported", tool, definition.tool, changes, credential.value?.type);
  const done = await audited(env, by, (record) =>
    saveTool(db, definition, changes, terms, record(entry)),
  );
  if (done) return ok(imported);
  return fail(createConflictFailure(`The tool ${id}`));
}

async function sealApiKey(
  env: ImportEnv,
  toolId: string,
  key: ApiKeyCredential | null,
): Promise<Result<SealedCredential | null, Failure>> {
  if (key === null) return ok(null);
  const sealed = await sealCredential(env, toolId, key);
  return sealed.ok ? ok({ type: key.type, sealed: sealed.value, now: Date.now() }) : sealed;
}

function checkImportAllowed(
  body: ImportToolBody,
  before: RegisteredTool | null,
  retired: boolean,
): Failure | null {
  const toolId = body.id;
  if (retired) return { kind: "tool_exists", toolId, retired };
  if (before === null) return null;
  if (before.connector.type === "builtin") return { kind: "tool_built_in", toolId };
  if (before.source?.type === buildImportSource(body, before).type) return null;
  return before.source === null
    ? { kind: "tool_exists", toolId, retired: false }
    : createFieldFailure(
        "id",
        "belongs to a tool that was imported from a different kind of source",
      );
}
