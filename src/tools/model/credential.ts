import type { CredentialPlace } from "./connector.ts";
import { TOKEN_LIFETIME_MAX_MS, TOKEN_RENEWAL_MARGIN_MS } from "../limits.ts";

/** The ways in which a tool can authenticate to the system behind it. */
export const CREDENTIAL_TYPES = [
  "api-key",
  "oauth-client-credentials",
  "oauth-refresh-token",
  "oauth-authorization-code",
] as const;
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];

/** The types with a grant that can expire or be revoked. A person must then replace it. */
export const GRANT_TYPES = [
  "oauth-refresh-token",
  "oauth-authorization-code",
] as const satisfies readonly CredentialType[];

/** A tool's credential in plain text. It is stored sealed. */
export type Credential = ApiKeyCredential | OauthCredential;
export type OauthCredential = ClientCredentials | RefreshTokenGrant | AuthorizationCodeGrant;

export interface ApiKeyCredential {
  readonly type: "api-key";
  readonly place: CredentialPlace;
  readonly value: string;
}

/** The client credentials grant (RFC 6749, 4.4). */
export interface ClientCredentials extends OauthClient {
  readonly type: "oauth-client-credentials";
}

/** The refresh token grant (RFC 6749, 6). `refreshToken` is null once the authorization server has rejected it. */
export interface RefreshTokenGrant extends OauthClient {
  readonly type: "oauth-refresh-token";
  readonly refreshToken: string | null;
}

/** The authorization code grant (RFC 6749, 4.1) with PKCE (RFC 7636). */
export interface AuthorizationCodeGrant extends OauthClient {
  readonly type: "oauth-authorization-code";
  readonly authorizationUrl: string;
  /** The expected `iss` of an authorization response (RFC 9207). Null means the origin of the authorization URL. */
  readonly issuer: string | null;
  readonly refreshToken: string | null;
  /** Changes with each connection, so that an authorization response is accepted only once. */
  readonly connectionId: string;
}

export const CLIENT_AUTHENTICATIONS = ["basic", "post"] as const;

/** An OAuth client with its current access token. */
interface OauthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  readonly clientAuthentication: (typeof CLIENT_AUTHENTICATIONS)[number];
  readonly scopes: readonly string[];
  readonly audience: string | null;
  /** The resource indicator (RFC 8707). */
  readonly resource: string | null;
  readonly token: AccessToken | null;
}

/** An access token. Times are in milliseconds since 1970; null if the authorization server states no lifetime. */
export interface AccessToken {
  readonly value: string;
  readonly expiresAt: number | null;
  readonly renewAt: number | null;
  /** The granted scopes; null if the server did not state them. */
  readonly scopes: readonly string[] | null;
}

export interface TokenGrant {
  readonly token: AccessToken;
  readonly refreshToken: string | null;
}

/** Creates an access token. A token with a lifetime of two minutes or less is renewed halfway through it. */
export function createAccessToken(
  value: string,
  lifetimeSeconds: number | null,
  scopes: readonly string[] | null,
  now: number,
): AccessToken {
  if (lifetimeSeconds === null) return { value, expiresAt: null, renewAt: null, scopes };
  const lifetimeMs = Math.min(Math.floor(lifetimeSeconds * 1_000), TOKEN_LIFETIME_MAX_MS);
  const expiresAt = now + lifetimeMs;
  const renewAt = expiresAt - Math.min(TOKEN_RENEWAL_MARGIN_MS, Math.ceil(lifetimeMs / 2));
  return { value, expiresAt, renewAt, scopes };
}

/** Whether a token is not yet due for renewal. */
export function isFresh(token: AccessToken, now: number): boolean {
  return token.renewAt === null || now < token.renewAt;
}

/** Whether a token is still valid, even if it is due for renewal. */
export function isUnexpired(token: AccessToken, now: number): boolean {
  return token.expiresAt === null || now < token.expiresAt;
}

/** Whether a new access token can be requested without a person's consent. */
export function isRenewable(credential: OauthCredential): boolean {
  return credential.type === "oauth-client-credentials" || credential.refreshToken !== null;
}

export function isConnected(credential: Credential, now: number): boolean {
  if (credential.type === "api-key" || isRenewable(credential)) return true;
  return credential.token !== null && isUnexpired(credential.token, now);
}

/** The credential with a new grant. Some servers rotate refresh tokens; others do not send a new one. */
export function applyGrant<Kind extends OauthCredential>(
  credential: Kind,
  { token, refreshToken }: TokenGrant,
): Kind {
  if (credential.type === "oauth-client-credentials") return { ...credential, token };
  return { ...credential, token, refreshToken: refreshToken ?? credential.refreshToken };
}

/** The credential without tokens, after its grant was rejected. */
export function clearGrant(credential: OauthCredential): OauthCredential {
  if (credential.type === "oauth-client-credentials") return { ...credential, token: null };
  return { ...credential, token: null, refreshToken: null };
}

/** The parameters that describe the requested access in a token or authorization request. */
export function toOauthParameters({
  scopes,
  audience,
  resource,
}: Pick<OauthCredential, "scopes" | "audience" | "resource">): Record<string, string> {
  return {
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
    ...(audience === null ? {} : { audience }),
    ...(resource === null ? {} : { resource }),
  };
}

export function scopesOf(credential: Credential): readonly string[] {
  return credential.type === "api-key" ? [] : (credential.token?.scopes ?? credential.scopes);
}
