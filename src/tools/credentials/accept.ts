import { database } from "../../db/client.ts";
import type { Credential, OauthCredential } from "../../domain/credential.ts";
import type { Problem } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Failure } from "../../domain/failure.ts";
import { toolUrls } from "../../domain/tool.ts";
import { egressOf } from "../../egress/egress.ts";
import { addressProblems } from "../addresses.ts";
import { apiKeyPlace } from "./place.ts";
import { requestBaseUrls, type CredentialTool } from "./store.ts";
import type { TokenEnv } from "./token.ts";
import type { ApiKeyBody, CredentialBody, OauthBody } from "./wire.ts";

/** The credential that a body describes for this tool, once all that it leaves open is decided. */
export async function acceptCredential(
  env: TokenEnv,
  tool: CredentialTool,
  body: CredentialBody,
): Promise<Result<Credential, Failure>> {
  const accepted =
    body.type === "api-key" ? acceptApiKey(tool, body) : await acceptOauth(env, tool, body);
  return accepted.ok ? accepted : fail({ kind: "validation", problems: accepted.failure });
}

/**
 * Problems with a tool's own addresses: credentials may not be sent over http. Only http addresses are
 * checked here; the guard checked all addresses when the tool was registered.
 */
export async function toolAddressProblems(
  env: TokenEnv & Pick<Env, "DB">,
  { id, connector }: CredentialTool,
): Promise<Problem[]> {
  const own = toolUrls(connector, []).map((url) => ({
    path: connector.type === "mcp" ? "connector.url" : "connector.baseUrl",
    url,
  }));
  const others = connector.type === "http" ? await requestBaseUrls(database(env.DB), id) : [];
  const addresses = [
    ...own,
    ...others.map(({ position, url }) => ({
      path: `capabilities[${position}].request.baseUrl`,
      url,
    })),
  ].filter(({ url }) => URL.parse(url)?.protocol !== "https:");
  const problems = await addressProblems(egressOf(env), addresses, true);
  const advice = `change it first with PATCH /agents/tools/${id}`;
  return problems.map(({ path, message }) => ({ path, message: `${message}; ${advice}` }));
}

function acceptApiKey(tool: CredentialTool, body: ApiKeyBody): Result<Credential, Problem[]> {
  const place = apiKeyPlace(tool.connector, body);
  return place.ok ? ok({ type: body.type, place: place.value, value: body.value }) : place;
}

async function acceptOauth(
  env: TokenEnv,
  tool: CredentialTool,
  body: OauthBody,
): Promise<Result<OauthCredential, Problem[]>> {
  const urls = {
    tokenUrl: body.tokenUrl,
    ...("authorizationUrl" in body ? { authorizationUrl: body.authorizationUrl } : {}),
  };
  const problems = await Promise.all(
    Object.entries(urls).map(async ([path, url]) => urlProblem(env, path, url)),
  );
  const found = [...problems.flat(), ...secretProblems(body)];
  return found.length > 0 ? fail(found) : ok(oauthCredential(tool, body));
}

/** Checks an address to which secrets or tokens are sent. */
async function urlProblem(env: TokenEnv, path: string, url: string): Promise<Problem[]> {
  const checked = await egressOf(env).check(url, true);
  return checked.ok ? [] : [{ path, message: checked.failure }];
}

function secretProblems({ clientSecret, clientAuthentication }: OauthBody): Problem[] {
  if (clientSecret !== undefined || clientAuthentication === undefined) return [];
  const message = "must be left out: without clientSecret the client does not authenticate";
  return [{ path: "clientAuthentication", message }];
}

function oauthCredential({ authentication }: CredentialTool, body: OauthBody): OauthCredential {
  const { tokenUrl, clientId, clientSecret, clientAuthentication, audience, resource } = body;
  const client = {
    tokenUrl,
    clientId,
    clientSecret: clientSecret ?? null,
    clientAuthentication: clientAuthentication ?? "basic",
    scopes: body.scopes ?? authentication.scopes,
    audience: audience ?? null,
    resource: resource ?? null,
    token: null,
  };
  switch (body.type) {
    case "oauth-client-credentials":
      return { type: body.type, ...client };
    case "oauth-refresh-token":
      // A refresh token has its scopes already; more could only be refused.
      return {
        type: body.type,
        ...client,
        scopes: body.scopes ?? [],
        refreshToken: body.refreshToken,
      };
    case "oauth-authorization-code":
      return {
        type: body.type,
        ...client,
        authorizationUrl: body.authorizationUrl,
        issuer: body.issuer ?? null,
        refreshToken: null,
        connectionId: crypto.randomUUID(),
      };
  }
}
