import type { Authorisation } from "../../domain/connector.ts";
import type { ApiKey } from "../../domain/credential.ts";
import type { Failure } from "../../domain/failure.ts";
import { TOOL_TIMEOUT_DEFAULT_MS } from "../../domain/limits.ts";
import { below } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { RegisteredTool } from "../../domain/tool.ts";
import { acceptCredential } from "../credentials/accept.ts";
import { placed, storedAuthorisation, type CredentialEnv } from "../credentials/authorisation.ts";
import type { ImportBody } from "../manage/wire.ts";

export type ImportEnv = CredentialEnv &
  Pick<Env, "DB" | "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

/** The API key that comes with an import, judged as if it were put for the tool. */
export async function givenKey(
  env: ImportEnv,
  { id, mcp, credentials }: ImportBody,
  before: RegisteredTool | null,
): Promise<Result<ApiKey | null, Failure>> {
  if (credentials === undefined || mcp === undefined) return ok(null);
  const { url, headers } = mcp;
  const timeoutMs = TOOL_TIMEOUT_DEFAULT_MS;
  const connector = { type: "mcp" as const, url, headers, timeoutMs, credential: null };
  const authentication = { type: "api-key" as const, scopes: [] };
  const tool = before ?? { id, authentication, connector };
  const accepted = await acceptCredential(env, tool, credentials);
  if (!accepted.ok) return belowCredentials(accepted.failure);
  return accepted.value.type === "api-key" ? ok(accepted.value) : ok(null);
}

/**
 * What an MCP server is asked with: the key given now, or what the tool has from earlier, if this is the
 * server that it was meant for.
 */
export async function authorisationFor(
  env: ImportEnv,
  { mcp }: ImportBody,
  given: ApiKey | null,
  before: RegisteredTool | null,
): Promise<Result<Authorisation | null, Failure>> {
  if (given !== null) return ok(placed(given.place, given.value));
  if (mcp === undefined || before?.connector.type !== "mcp") return ok(null);
  const isSameServer = URL.parse(mcp.url)?.origin === URL.parse(before.connector.url)?.origin;
  return isSameServer ? storedAuthorisation(env, before) : ok(null);
}

function belowCredentials(failure: Failure): Result<never, Failure> {
  if (failure.kind !== "validation") return fail(failure);
  return fail({ kind: "validation", problems: below("credentials", failure.problems) });
}
