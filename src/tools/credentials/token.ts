import type * as Oauth from "oauth4webapi";
import {
  accessToken,
  type AuthorizationCodeGrant,
  type OauthCredential,
  type TokenGrant,
} from "../../domain/credential.ts";
import { TOKEN_RESPONSE_BYTES_MAX, TOOL_TIMEOUT_DEFAULT_MS } from "../../domain/limits.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { EgressError } from "../../egress/contract.ts";
import { egressOf } from "../../egress/egress.ts";
import { faultOfEgress, faultOfError, faultOfStatus, type TokenFault } from "./token-fault.ts";
import { tokenResponse } from "./token-response.ts";

export type TokenEnv = Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

const BOUNDS = {
  timeoutMs: TOOL_TIMEOUT_DEFAULT_MS,
  bytesMax: TOKEN_RESPONSE_BYTES_MAX,
  sendsSecret: true,
};
const SENDABLE = /^[\x21-\x7e]+$/;

/** A new access token for a credential that can have one without a person. */
export async function requestToken(
  env: TokenEnv,
  credential: OauthCredential,
): Promise<Result<TokenGrant, TokenFault>> {
  const oauth = await import("oauth4webapi");
  return tokenFrom(oauth, env, credential, async (server, client, authentication, options) => {
    const parameters = parametersOf(credential);
    if (credential.type === "oauth-client-credentials") {
      const request = oauth.clientCredentialsGrantRequest;
      return request(server, client, authentication, parameters, options);
    }
    return oauth.refreshTokenGrantRequest(
      ...([server, client, authentication, credential.refreshToken ?? ""] as const),
      { ...options, additionalParameters: parameters },
    );
  });
}

/** Exchanges the code of a validated authorization response for the grant. */
export async function redeemCode(
  env: TokenEnv,
  credential: AuthorizationCodeGrant,
  response: URLSearchParams,
  { redirectUri, verifier }: { redirectUri: string; verifier: string },
): Promise<Result<TokenGrant, TokenFault>> {
  const oauth = await import("oauth4webapi");
  return tokenFrom(oauth, env, credential, async (server, client, authentication, options) =>
    oauth.authorizationCodeGrantRequest(
      ...([server, client, authentication, response, redirectUri, verifier] as const),
      { ...options, additionalParameters: parametersOf(credential) },
    ),
  );
}

/** What the library needs to know of an authorization server: nothing is discovered. */
export function serverOf(credential: OauthCredential, issuer: string): Oauth.AuthorizationServer {
  return { issuer, token_endpoint: credential.tokenUrl };
}

type TokenRequest = (
  server: Oauth.AuthorizationServer,
  client: Oauth.Client,
  authentication: Oauth.ClientAuth,
  options: Oauth.TokenEndpointRequestOptions,
) => Promise<Response>;

async function tokenFrom(
  oauth: typeof Oauth,
  env: TokenEnv,
  credential: OauthCredential,
  send: TokenRequest,
): Promise<Result<TokenGrant, TokenFault>> {
  const now = Date.now();
  const server = serverOf(credential, new URL(credential.tokenUrl).origin);
  const client = { client_id: credential.clientId };
  let status: number | null = null;
  const options = {
    [oauth.allowInsecureRequests]: env.ALLOW_PRIVATE_EGRESS === "true",
    [oauth.customFetch]: async (url: string, init: RequestInit) => {
      const answer = await egressOf(env).exchange(new Request(url, init), BOUNDS);
      if (!answer.ok) throw new EgressError(answer.failure);
      ({ status } = answer.value);
      return tokenResponse(answer.value);
    },
  };
  try {
    const response = await send(server, client, authenticationOf(oauth, credential), options);
    const answer = await oauth.processGenericTokenEndpointResponse(server, client, response);
    return grantOf(answer, now);
  } catch (error) {
    if (error instanceof EgressError) {
      console.warn({ event: "token_endpoint_failed", fault: error.fault });
      return fail(faultOfEgress(error.fault));
    }
    // A status means that the library did not like the answer; its errors hold the answer, so none goes on.
    if (error instanceof oauth.ResponseBodyError)
      return fail(faultOfError(error.error, error.status));
    if (status !== null) return fail(faultOfStatus(status));
    if (error instanceof oauth.OperationProcessingError) return fail(INSECURE);
    throw error;
  }
}

const INSECURE: TokenFault = {
  kind: "broken",
  reason: "its token URL must start with https://",
  isPassing: false,
};

function grantOf(answer: Oauth.TokenEndpointResponse, now: number): Result<TokenGrant, TokenFault> {
  const { access_token, token_type, expires_in, refresh_token, scope } = answer;
  if (token_type !== "bearer" || !SENDABLE.test(access_token)) return fail(faultOfStatus(200));
  const scopes = scope?.split(" ").filter((one) => one !== "") ?? null;
  const token = accessToken(access_token, expires_in ?? null, scopes, now);
  return ok({ token, refreshToken: refresh_token ?? null });
}

function authenticationOf(
  oauth: typeof Oauth,
  { clientSecret, clientAuthentication }: OauthCredential,
): Oauth.ClientAuth {
  if (clientSecret === null) return oauth.None();
  return clientAuthentication === "basic"
    ? oauth.ClientSecretBasic(clientSecret)
    : oauth.ClientSecretPost(clientSecret);
}

/** A grant of a person has its scopes; to ask for the same ones again could only fail. */
function parametersOf({ type, scopes, audience, resource }: OauthCredential): URLSearchParams {
  const asksForScopes = type !== "oauth-authorization-code" && scopes.length > 0;
  return new URLSearchParams({
    ...(asksForScopes ? { scope: scopes.join(" ") } : {}),
    ...(audience === null ? {} : { audience }),
    ...(resource === null ? {} : { resource }),
  });
}
