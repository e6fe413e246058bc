import type * as Oauth from "oauth4webapi";
import {
  createAccessToken,
  toOauthParameters,
  type OauthCredential,
  type TokenGrant,
} from "../model/credential.ts";
import { TOKEN_RESPONSE_BYTES_MAX, TOOL_TIMEOUT_DEFAULT_MS } from "../limits.ts";
import { isJsonObject, tryParseJson } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  EgressError,
  type EgressFailure,
  type EgressResponse,
} from "../../platform/egress/contract.ts";
import { createEgress, type EgressEnv } from "../../platform/egress/egress.ts";
import { log } from "../../platform/log.ts";

export type TokenFailure =
  /** The authorization server rejected the request; `error` is a known OAuth error code, or null. */
  | { readonly kind: "rejected"; readonly error: string | null }
  /** There is no usable response; `reason` completes "Tool … failed: …". */
  | { readonly kind: "upstream"; readonly reason: string; readonly isTransient: boolean }
  /** The DNS resolver failed, so the request was not sent. */
  | { readonly kind: "resolver_outage" };

/** Error codes from RFC 6749 (4.1.2.1 and 5.2), RFC 8707 and OpenID Connect. Other codes are not shown. */
const KNOWN_ERRORS = new Set(
  "access_denied consent_required interaction_required invalid_client invalid_grant invalid_request invalid_scope invalid_target login_required server_error temporarily_unavailable unauthorized_client unsupported_grant_type unsupported_response_type".split(
    " ",
  ),
);
const TRANSIENT_ERRORS = new Set(["server_error", "temporarily_unavailable", "slow_down"]);
const TOO_MANY_REQUESTS = 429;
/** Statuses that count as a rejection even without an OAuth error in the body. */
const REJECTION_STATUSES = new Set([400, 401, 403]);

export function findKnownOauthError(error: string): string | null {
  return KNOWN_ERRORS.has(error) ? error : null;
}

function classifyOauthError(error: string, status: number): TokenFailure {
  if (TRANSIENT_ERRORS.has(error) || status === TOO_MANY_REQUESTS || status >= 500) {
    const reason = `its token endpoint returned HTTP ${status} and no token`;
    return brokenEndpoint(reason, true);
  }
  return { kind: "rejected", error: findKnownOauthError(error) };
}

/** The failure for a response that is not a valid OAuth response. */
function classifyTokenStatus(status: number): TokenFailure {
  if (REJECTION_STATUSES.has(status)) return { kind: "rejected", error: null };
  const reason = `its token endpoint returned HTTP ${status} and no access token of type bearer`;
  return brokenEndpoint(reason, status >= 500 || status === TOO_MANY_REQUESTS);
}

/** The reason contains no address, because callers of the tool see it. */
export function classifyTokenEgress(failure: EgressFailure): TokenFailure {
  switch (failure.kind) {
    // This is not a tool timeout, because the call was not made.
    case "timeout":
      return brokenEndpoint(
        `its token endpoint did not respond within ${failure.timeoutMs} ms`,
        true,
      );
    case "rejected":
      return brokenEndpoint("requests to the address of its token endpoint are not allowed", false);
    case "unreachable":
      return failure.isResolverOutage === true
        ? { kind: "resolver_outage" }
        : brokenEndpoint("its token endpoint cannot be reached", true);
    case "too_large":
      return brokenEndpoint(
        `its token endpoint returned more than ${failure.bytesMax} bytes`,
        false,
      );
  }
}

function brokenEndpoint(reason: string, isTransient: boolean): TokenFailure {
  return { kind: "upstream", reason, isTransient };
}

const BODILESS_STATUSES = new Set([101, 204, 205, 304]);

/** Normalizes a token endpoint's response. Some servers, such as GitHub and Slack, send errors with status 200. */
function toTokenResponse({ status, headers, bytes }: EgressResponse): Response {
  const type = headers.get("Content-Type") ?? "";
  if (BODILESS_STATUSES.has(status)) return new Response(null, { status });
  const answer = tryParseJson(new TextDecoder().decode(bytes));
  if (!isJsonObject(answer))
    return new Response(bytes, { status, headers: { "Content-Type": type } });
  const { id_token: _none, ...rest } = answer;
  const isRejection = typeof rest["error"] === "string" && rest["access_token"] === undefined;
  return Response.json(rest, { status: isRejection && status === 200 ? 400 : status });
}

const TOKEN_REQUEST_LIMITS = {
  timeoutMs: TOOL_TIMEOUT_DEFAULT_MS,
  bytesMax: TOKEN_RESPONSE_BYTES_MAX,
  sendsSecret: true,
};
const SENDABLE_TOKEN = /^[\x21-\x7e]+$/;

/** A validated authorization response, with the redirect URI and PKCE verifier of its request. */
interface Consent {
  readonly response: URLSearchParams;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** Requests an access token, using a person's consent if there is one. */
export async function requestToken(
  env: EgressEnv,
  toolId: string,
  credential: OauthCredential,
  consent?: Consent,
): Promise<Result<TokenGrant, TokenFailure>> {
  const oauth = await import("oauth4webapi");
  const now = Date.now();
  const { tokenUrl, clientId } = credential;
  // The endpoint is configured, so no discovery is needed.
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const auth = toClientAuth(oauth, credential);
  // A person's grant already has its scopes.
  const scopes = credential.type === "oauth-authorization-code" ? [] : credential.scopes;
  const parameters = new URLSearchParams(toOauthParameters({ ...credential, scopes }));
  let status: number | null = null;
  const options = {
    [oauth.allowInsecureRequests]: env.ALLOW_PRIVATE_EGRESS === "true",
    [oauth.customFetch]: async (url: string, init: RequestInit) => {
      const answer = await createEgress(env).send(new Request(url, init), TOKEN_REQUEST_LIMITS);
      if (!answer.ok) throw new EgressError(answer.failure);
      ({ status } = answer.value);
      return toTokenResponse(answer.value);
    },
  };
  const settings = { ...options, additionalParameters: parameters };
  async function send(): Promise<Response> {
    if (consent !== undefined) {
      const { response, redirectUri, verifier } = consent;
      const grant = [response, redirectUri, verifier] as const;
      return oauth.authorizationCodeGrantRequest(server, client, auth, ...grant, settings);
    }
    if (credential.type === "oauth-client-credentials")
      return oauth.clientCredentialsGrantRequest(server, client, auth, parameters, options);
    const refreshToken = credential.refreshToken ?? "";
    return oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, settings);
  }
  try {
    const answer = await oauth.processGenericTokenEndpointResponse(server, client, await send());
    return toTokenGrant(answer, now);
  } catch (error) {
    if (error instanceof EgressError) {
      log.warn("token_request_failed", { toolId, error: error.failure });
      return fail(classifyTokenEgress(error.failure));
    }
    // If there is a status, the library rejected the response. Its errors contain the response, so they are not passed
    // on.
    if (error instanceof oauth.ResponseBodyError)
      return fail(classifyOauthError(error.error, error.status));
    if (status !== null) return fail(classifyTokenStatus(status));
    if (error instanceof oauth.OperationProcessingError)
      return fail(brokenEndpoint("its token URL must start with https://", false));
    throw error;
  }
}

function toTokenGrant(
  answer: Oauth.TokenEndpointResponse,
  now: number,
): Result<TokenGrant, TokenFailure> {
  const { access_token, token_type, expires_in, refresh_token, scope } = answer;
  if (token_type !== "bearer" || !SENDABLE_TOKEN.test(access_token))
    return fail(classifyTokenStatus(200));
  const scopes = scope?.split(" ").filter((one) => one !== "") ?? null;
  const token = createAccessToken(access_token, expires_in ?? null, scopes, now);
  return ok({ token, refreshToken: refresh_token ?? null });
}

function toClientAuth(
  oauth: typeof Oauth,
  { clientSecret, clientAuthentication }: OauthCredential,
): Oauth.ClientAuth {
  if (clientSecret === null) return oauth.None();
  return clientAuthentication === "basic"
    ? oauth.ClientSecretBasic(clientSecret)
    : oauth.ClientSecretPost(clientSecret);
}
