import type { Connector } from "../../domain/connector.ts";
import type { ApiKey } from "../../domain/credential.ts";
import { DEFAULT_TERMS, type ImportSource, type RegisteredTool } from "../../domain/tool.ts";
import type { WholeTool } from "../../domain/tool-changes.ts";
import type { ImportBody } from "../manage/wire.ts";
import type { ToolDraft } from "./draft.ts";

/** The tool as the draft and the request have it; what people have set by hand stays from `before`. */
export function merged(
  body: ImportBody,
  draft: ToolDraft,
  given: ApiKey | null,
  before: RegisteredTool | null,
  by: string,
): WholeTool {
  // An MCP server does not say how it authenticates; its tool knows.
  const known = body.mcp !== undefined && given === null ? before?.authentication : undefined;
  const tool: RegisteredTool = {
    id: body.id,
    name: body.name ?? draft.name,
    description: body.description ?? draft.description,
    documentation: draft.documentation,
    category: body.category ?? before?.category ?? DEFAULT_TERMS.category,
    authentication: known ?? draft.authentication,
    rateLimit: body.rateLimit ?? before?.rateLimit ?? DEFAULT_TERMS.rateLimit,
    pricing: body.pricing ?? before?.pricing ?? DEFAULT_TERMS.pricing,
    connector: withStanding(draft.connector, given, before),
    source: sourceOf(body, before),
    version: (before?.version ?? 0) + 1,
    createdBy: before === null ? by : before.createdBy,
  };
  return { tool, capabilities: draft.capabilities };
}

/** What an import reads; the part to take and the place of the API hold until they are given anew. */
export function sourceOf(
  { openapi, mcp, only }: ImportBody,
  before: RegisteredTool | null,
): ImportSource {
  const standing = before?.source;
  const part = only === undefined ? standing?.only : only === "all" ? undefined : only;
  const selected = part === undefined ? {} : { only: part };
  if (mcp !== undefined) return { type: "mcp", url: mcp.url, ...selected };
  // Another document has another place, unless the request says otherwise.
  const isSameDocument = standing?.url === (openapi?.url ?? null);
  const baseUrl = openapi?.baseUrl ?? (isSameDocument ? standing?.baseUrl : undefined);
  const placed = baseUrl === undefined ? {} : { baseUrl };
  return { type: "openapi", url: openapi?.url ?? null, ...selected, ...placed };
}

/** Headers and patience that people set with PATCH outlive the next import. */
function withStanding(
  read: Connector,
  given: ApiKey | null,
  before: RegisteredTool | null,
): Connector {
  if (read.type === "builtin") return read;
  const standing = before?.connector;
  if (standing === undefined || standing.type !== read.type) {
    return given === null ? read : { ...read, credential: given.place };
  }
  const known =
    read.type === "mcp" ? standing.credential : (read.credential ?? standing.credential);
  const credential = given?.place ?? known;
  const headers = { ...standing.headers, ...read.headers };
  return { ...read, timeoutMs: standing.timeoutMs, headers, credential };
}
