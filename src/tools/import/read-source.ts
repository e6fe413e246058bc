import type { RequestAuthorization } from "../model/connector.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { IMPORT_BYTES_MAX, IMPORT_TIMEOUT_MS } from "../limits.ts";
import { prefixProblems, fail, ok, type Result } from "../../kernel/result.ts";
import { type ImportSource, listToolUrls } from "../model/tool.ts";
import type { Egress, EgressFailure } from "../../platform/egress/contract.ts";
import { createEgress, type EgressEnv } from "../../platform/egress/egress.ts";
import type { ConnectorFailure } from "../connectors/contract.ts";
import { checkAddresses } from "../connectors/tool-addresses.ts";
import { toToolFailure } from "../connectors/connector-failure.ts";
import type { ImportToolBody } from "./schemas.ts";
import type { OnImportProgress, ToolDraft } from "./tool-draft.ts";
import { readOpenApi } from "./openapi/read-openapi.ts";

const DOCUMENT_LIMITS = {
  timeoutMs: IMPORT_TIMEOUT_MS,
  bytesMax: IMPORT_BYTES_MAX,
  sendsSecret: false,
};
const DOCUMENT_TYPES =
  "application/openapi+json, application/json, application/yaml, text/yaml, */*;q=0.5";

/** Reads an import's source into a draft and checks the addresses in it. `authorization` is for an MCP server. */
export async function readImportSource(
  env: EgressEnv,
  body: ImportToolBody,
  source: ImportSource,
  authorization: RequestAuthorization | null,
  onProgress: OnImportProgress,
): Promise<Result<ToolDraft, Failure>> {
  const egress = createEgress(env);
  const draft =
    body.mcp === undefined
      ? await readOpenApiSource(egress, body, source, onProgress)
      : await readServerSource(egress, body, source, authorization, onProgress);
  if (!draft.ok) return draft;
  // An MCP server's address was checked before the request.
  const urls =
    body.mcp === undefined ? listToolUrls(draft.value.connector, draft.value.capabilities) : [];
  const addresses = urls.map((url) => ({ path: "openapi.baseUrl", url }));
  const problems = await checkAddresses(egress, addresses);
  return problems.length === 0 ? draft : fail({ kind: "validation", problems });
}

async function readOpenApiSource(
  egress: Egress,
  { id, openapi, only: given }: ImportToolBody,
  { only, baseUrl }: ImportSource,
  onProgress: OnImportProgress,
): Promise<Result<ToolDraft, Failure>> {
  const { url, document } = openapi ?? {};
  const isRemembered = given === undefined;
  const givenText = typeof document === "string" ? document : JSON.stringify(document);
  const text = url === undefined ? ok(givenText) : await fetchDocument(egress, id, url);
  if (!text.ok) return text;
  const addresses = { baseUrl: baseUrl ?? null, sourceUrl: url ?? null };
  const options = { selection: only ?? {}, isRemembered, ...addresses, onProgress };
  const draft = await readOpenApi(text.value, options);
  if (draft.ok) return draft;
  // The reader's paths are `tags`, `names`, or locations in the document.
  const problems = draft.failure.map(({ path, message }) => ({
    path: /^(?:tags|names)/.test(path) ? `only.${path}` : `openapi.${path}`,
    message,
  }));
  return fail({ kind: "validation", problems });
}

async function fetchDocument(
  egress: Egress,
  toolId: string,
  url: string,
): Promise<Result<string, Failure>> {
  const checked = await egress.checkUrl(url, false);
  if (!checked.ok) return fail(createFieldFailure("openapi.url", checked.failure));
  const request = new Request(checked.value, { headers: { Accept: DOCUMENT_TYPES } });
  const answer = await egress.send(request, DOCUMENT_LIMITS);
  if (!answer.ok) return fail(toDocumentFailure(toolId, answer.failure));
  const { status, bytes } = answer.value;
  if (status >= 200 && status < 300) return decodeUtf8(bytes);
  const reason = `the document's server returned HTTP ${status}.`;
  return fail(createDocumentFailure(toolId, reason, status >= 500 || status === 429));
}

function decodeUtf8(bytes: Uint8Array): Result<string, Failure> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return fail(createFieldFailure("openapi.url", "must lead to UTF-8 text"));
  }
}

async function readServerSource(
  egress: Egress,
  { id, mcp, only: given }: ImportToolBody,
  { only }: ImportSource,
  authorization: RequestAuthorization | null,
  onProgress: OnImportProgress,
): Promise<Result<ToolDraft, Failure>> {
  const { url = "", headers = {} } = mcp ?? {};
  const checked = await egress.checkUrl(url, authorization !== null);
  if (!checked.ok) return fail(createFieldFailure("mcp.url", checked.failure));
  const isRemembered = given === undefined;
  const options = { url, headers, authorization, selection: only ?? {}, isRemembered };
  // Load the MCP SDK on the first import, because it is large.
  const { readMcpServer } = await import("./mcp/read-server.ts");
  const draft = await readMcpServer(egress, { ...options, onProgress });
  return draft.ok ? draft : fail(toServerFailure(id, draft.failure));
}

/** Converts a server's failure to an API failure, which names the request field that caused it, if any. */
function toServerFailure(toolId: string, failure: ConnectorFailure): Failure {
  switch (failure.kind) {
    case "parameters":
      return { kind: "validation", problems: prefixProblems("only", failure.problems) };
    case "rejected_address":
      return createFieldFailure("mcp.url", `leads to ${failure.url}, which ${failure.reason}`);
    default:
      return toToolFailure(toolId, failure);
  }
}

function toDocumentFailure(toolId: string, failure: EgressFailure): Failure {
  switch (failure.kind) {
    case "rejected":
      return createFieldFailure("openapi.url", `leads to ${failure.url}, which ${failure.reason}`);
    case "too_large":
      return createFieldFailure(
        "openapi.url",
        `must lead to a document of at most ${failure.bytesMax} bytes`,
      );
    case "timeout":
      return { kind: "tool_timeout", toolId, timeoutMs: failure.timeoutMs };
    case "unreachable":
      return createDocumentFailure(
        toolId,
        `the document cannot be fetched: ${failure.reason}.`,
        true,
      );
  }
}

function createDocumentFailure(toolId: string, reason: string, retryable: boolean): Failure {
  const rest = { retryAfterSeconds: null, details: null };
  return { kind: "tool_failed", toolId, reason, retryable, ...rest };
}
