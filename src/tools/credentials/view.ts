import type { CredentialPlace } from "../model/connector.ts";
import {
  isConnected,
  scopesOf,
  type AuthorizationCodeGrant,
  type OauthCredential,
} from "../model/credential.ts";
import type { CredentialRow } from "./credentials.store.ts";
import type { UnsealedCredential } from "./seal-credential.ts";

/** Credentials without their secrets, and their status. */
export function credentialView(
  toolId: string,
  { updatedAt }: CredentialRow,
  { credential, keyId }: Pick<UnsealedCredential, "credential" | "keyId">,
  now: number,
): object {
  return {
    toolId,
    type: credential.type,
    keyId,
    scopes: scopesOf(credential),
    updatedAt: new Date(updatedAt).toISOString(),
    ...(credential.type === "api-key" ? placeView(credential.place) : oauthView(credential, now)),
  };
}

function placeView({ in: where, name, prefix }: CredentialPlace): object {
  return where === "query" ? { in: where, name } : { in: where, name, prefix };
}

function oauthView(credential: OauthCredential, now: number): object {
  const { type, tokenUrl, clientId, clientSecret, clientAuthentication } = credential;
  const { audience, resource, token } = credential;
  const expiresAt = token?.expiresAt ?? null;
  return {
    // A client-credentials client needs no grant.
    ...(type === "oauth-client-credentials" ? {} : { connected: isConnected(credential, now) }),
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    ...(type === "oauth-authorization-code" ? consentView(credential) : {}),
    tokenUrl: withoutQuery(tokenUrl),
    clientId,
    ...(clientSecret === null ? {} : { clientAuthentication }),
    ...(audience === null ? {} : { audience }),
    ...(resource === null ? {} : { resource }),
  };
}

function consentView({ authorizationUrl, issuer }: AuthorizationCodeGrant): object {
  const url = { authorizationUrl: withoutQuery(authorizationUrl) };
  return issuer === null ? url : { ...url, issuer };
}

/** A query can contain a secret. The URL is parsed, because the stored text can contain line breaks. */
function withoutQuery(text: string): string {
  const url = new URL(text);
  url.search = "";
  return url.href;
}
