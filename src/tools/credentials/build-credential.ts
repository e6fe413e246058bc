import { getDatabase } from "../../platform/d1/client.ts";
import type { Credential, OauthCredential } from "../model/credential.ts";
import { type Problem, fail, ok, type Result } from "../../kernel/result.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { listToolAddresses } from "../model/tool.ts";
import { createEgress, type EgressEnv } from "../../platform/egress/egress.ts";
import { checkAddresses } from "../connectors/tool-addresses.ts";
import { listRequestBaseUrls, type CredentialTool } from "./credentials.store.ts";
import type { ApiKeyBody, CredentialBody, OauthBody } from "./schemas.ts";
import type { Connector, CredentialPlace } from "../model/connector.ts";

/** The default place for tokens (RFC 6750, 2.1). */
const BEARER_PLACE: CredentialPlace = { in: "header", name: "Authorization", prefix: "Bearer " };

/** Where the system behind a tool expects its credential. */
export function credentialPlaceOf(connector: Connector): CredentialPlace {
  return connector.type === "builtin" ? BEARER_PLACE : (connector.credential ?? BEARER_PLACE);
}

/** Builds an API key credential for the place that the body specifies, or else the tool's place. */
function buildApiKey({ connector }: CredentialTool, body: ApiKeyBody): Result<Credential, Failure> {
  const usual = credentialPlaceOf(connector);
  const where = body.in ?? usual.in;
  const bearer = where === "header" ? BEARER_PLACE : null;
  const name = body.name ?? (where === usual.in ? usual.name : bearer?.name);
  if (name === undefined) {
    const message = "is required: the name of the query parameter that contains the key";
    return fail(createFieldFailure("name", message));
  }
  if (where === "query" && body.prefix !== undefined && body.prefix !== "") {
    const message = "must be omitted, because a query parameter contains only the key";
    return fail(createFieldFailure("prefix", message));
  }
  const isAt = (place: CredentialPlace | null) =>
    place?.in === where && place.name.toLowerCase() === name.toLowerCase();
  const known = [usual, bearer].find(isAt);
  const prefix = body.prefix ?? known?.prefix ?? "";
  if (prefix !== "" && body.value.startsWith(prefix)) {
    const message = `must not begin with ${JSON.stringify(prefix)}, because this prefix is added automatically`;
    return fail(createFieldFailure("value", message));
  }
  return ok({ type: body.type, place: { in: where, name, prefix }, value: body.value });
}

/** Builds the credential from a request body and fills in the defaults. */
export async function buildCredential(
  env: EgressEnv,
  tool: CredentialTool,
  body: CredentialBody,
): Promise<Result<Credential, Failure>> {
  return body.type === "api-key" ? buildApiKey(tool, body) : buildOauth(env, tool, body);
}

/** Finds problems with a tool's http addresses. Without ALLOW_PRIVATE_EGRESS, no credential may be sent to them. */
export async function checkToolAddresses(
  env: EgressEnv & Pick<Env, "DB">,
  { id, connector }: CredentialTool,
): Promise<Problem[]> {
  const others =
    connector.type === "http" ? await listRequestBaseUrls(getDatabase(env.DB), id) : [];
  const addresses = [
    ...listToolAddresses(connector, []),
    ...others.map(({ position, url }) => ({
      path: `capabilities[${position}].request.baseUrl`,
      url,
    })),
  ].filter(({ url }) => URL.parse(url)?.protocol !== "https:");
  const problems = await checkAddresses(createEgress(env), addresses, true);
  const advice = `change it first with PATCH /agents/tools/${id}`;
  return problems.map(({ path, message }) => ({ path, message: `${message}; ${advice}` }));
}

async function buildOauth(
  env: EgressEnv,
  tool: CredentialTool,
  body: OauthBody,
): Promise<Result<OauthCredential, Failure>> {
  const urls = {
    tokenUrl: body.tokenUrl,
    ...("authorizationUrl" in body ? { authorizationUrl: body.authorizationUrl } : {}),
  };
  const egress = createEgress(env);
  // Both URLs must be secure, because secrets are sent to the token endpoint and a person gives consent at the
  // authorization endpoint.
  const problems = await Promise.all(
    Object.entries(urls).map(async ([path, url]) => {
      const checked = await egress.checkUrl(url, true);
      return checked.ok ? [] : [{ path, message: checked.failure }];
    }),
  );
  const found = problems.flat();
  if (body.clientSecret === undefined && body.clientAuthentication !== undefined) {
    const message =
      "must be omitted without clientSecret, because the client then does not authenticate";
    found.push({ path: "clientAuthentication", message });
  }
  if (found.length > 0) return fail({ kind: "validation", problems: found });
  return ok(toOauthCredential(tool, body));
}

function toOauthCredential({ authentication }: CredentialTool, body: OauthBody): OauthCredential {
  const { tokenUrl, clientId, clientSecret = null, clientAuthentication = "basic" } = body;
  const { scopes = authentication.scopes, audience = null, resource = null } = body;
  const identity = { tokenUrl, clientId, clientSecret, clientAuthentication };
  const client = { ...identity, scopes, audience, resource, token: null };
  switch (body.type) {
    case "oauth-client-credentials":
      return { type: body.type, ...client };
    case "oauth-refresh-token": {
      // A refresh token already has its scopes, and the server would reject others.
      const { refreshToken } = body;
      return { type: body.type, ...client, scopes: body.scopes ?? [], refreshToken };
    }
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
