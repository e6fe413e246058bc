import type { Authorisation } from "../../domain/connector.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { IMPORT_BYTES_MAX, IMPORT_TIMEOUT_MS } from "../../domain/limits.ts";
import { below } from "../../domain/problem.ts";
import { toolUrls, type ImportSource } from "../../domain/tool.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Egress, EgressFault } from "../../egress/contract.ts";
import { egressOf } from "../../egress/egress.ts";
import type { CallFault } from "../connectors/contract.ts";
import { addressProblems } from "../addresses.ts";
import { failureOf } from "../connectors/failure.ts";
import type { ImportBody } from "../manage/wire.ts";
import type { OnProgress, ToolDraft } from "./draft.ts";
import { readMcp } from "./mcp.ts";
import { readOpenApi } from "./openapi.ts";

const BOUNDS = { timeoutMs: IMPORT_TIMEOUT_MS, bytesMax: IMPORT_BYTES_MAX, sendsSecret: false };
const ACCEPT = "application/openapi+json, application/json, application/yaml, text/yaml, */*;q=0.5";

/**
 * Reads what an import names into a draft of the tool, whose addresses the guard has judged.
 * `authorisation` is what an MCP server is asked with.
 */
export async function readSource(
  env: Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">,
  body: ImportBody,
  source: ImportSource,
  authorisation: Authorisation | null,
  onProgress: OnProgress,
): Promise<Result<ToolDraft, Failure>> {
  const egress = egressOf(env);
  const draft =
    body.mcp === undefined
      ? await readDocument(egress, body, source, onProgress)
      : await readServer(egress, body, source, authorisation, onProgress);
  if (!draft.ok) return draft;
  // An MCP server's own address was judged before it was asked.
  const urls =
    body.mcp === undefined ? toolUrls(draft.value.connector, draft.value.capabilities) : [];
  const addresses = urls.map((url) => ({ path: "openapi.baseUrl", url }));
  const problems = await addressProblems(egress, addresses);
  return problems.length === 0 ? draft : fail({ kind: "validation", problems });
}

async function readDocument(
  egress: Egress,
  { id, openapi, only: given }: ImportBody,
  { only, baseUrl }: ImportSource,
  onProgress: OnProgress,
): Promise<Result<ToolDraft, Failure>> {
  const { url, document } = openapi ?? {};
  const isRemembered = given === undefined;
  const text = url === undefined ? ok(textOf(document)) : await fetchDocument(egress, id, url);
  if (!text.ok) return text;
  const addresses = { baseUrl: baseUrl ?? null, sourceUrl: url ?? null };
  const options = { selection: only ?? {}, isRemembered, ...addresses, onProgress };
  const draft = await readOpenApi(text.value, options);
  if (draft.ok) return draft;
  const problems = draft.failure.map(({ path, message }) => ({ path: fieldOf(path), message }));
  return fail({ kind: "validation", problems });
}

/** The field of the request behind what the reader calls `document…`, `tags` or `names`. */
function fieldOf(path: string): string {
  return path.startsWith("tags") || path.startsWith("names") ? `only.${path}` : `openapi.${path}`;
}

function textOf(document: NonNullable<ImportBody["openapi"]>["document"]): string {
  return typeof document === "string" ? document : JSON.stringify(document);
}

async function fetchDocument(
  egress: Egress,
  toolId: string,
  url: string,
): Promise<Result<string, Failure>> {
  const checked = await egress.check(url, false);
  if (!checked.ok) return fail(invalid("openapi.url", checked.failure));
  const request = new Request(checked.value, { headers: { Accept: ACCEPT } });
  const answer = await egress.exchange(request, BOUNDS);
  if (!answer.ok) return fail(documentFailure(toolId, answer.failure));
  const { status, bytes } = answer.value;
  if (status >= 200 && status < 300) return decoded(bytes);
  const reason = `the document's address answered with status ${status}.`;
  return fail(broken(toolId, reason, status >= 500 || status === 429));
}

function decoded(bytes: Uint8Array): Result<string, Failure> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return fail(invalid("openapi.url", "must lead to a text in UTF-8"));
  }
}

async function readServer(
  egress: Egress,
  { id, mcp, only: given }: ImportBody,
  { only }: ImportSource,
  authorisation: Authorisation | null,
  onProgress: OnProgress,
): Promise<Result<ToolDraft, Failure>> {
  const { url = "", headers = {} } = mcp ?? {};
  const checked = await egress.check(url, authorisation !== null);
  if (!checked.ok) return fail(invalid("mcp.url", checked.failure));
  const isRemembered = given === undefined;
  const options = { url, headers, authorisation, selection: only ?? {}, isRemembered };
  const draft = await readMcp(egress, { ...options, onProgress });
  return draft.ok ? draft : fail(serverFailure(id, draft.failure));
}

/** A server's fault, with the fields of the request where it is theirs. */
function serverFailure(toolId: string, fault: CallFault): Failure {
  switch (fault.kind) {
    case "parameters":
      return { kind: "validation", problems: below("only", fault.problems) };
    case "refused_address":
      return invalid("mcp.url", `leads to ${fault.url}, which ${fault.reason}`);
    default:
      return failureOf(toolId, fault);
  }
}

function documentFailure(toolId: string, fault: EgressFault): Failure {
  switch (fault.kind) {
    case "refused":
      return invalid("openapi.url", `leads to ${fault.url}, which ${fault.reason}`);
    case "too_large":
      return invalid("openapi.url", `must lead to a document of at most ${fault.bytesMax} bytes`);
    case "timeout":
      return { kind: "tool_timeout", toolId, timeoutMs: fault.timeoutMs };
    case "unreachable":
      return broken(toolId, `the document cannot be fetched: ${fault.reason}`, true);
  }
}

function broken(toolId: string, reason: string, retryable: boolean): Failure {
  const rest = { retryAfterSeconds: null, details: null };
  return { kind: "tool_failed", toolId, reason, retryable, ...rest };
}
