import { isConnected, scopesOf } from "../../domain/credential.ts";
import type { CredentialRow } from "./store.ts";
import type { Unsealed } from "./vault.ts";

/** Credentials as they are shown: what they are and whether they work, nothing of what they hold. */
export function credentialView(
  toolId: string,
  { updatedAt }: CredentialRow,
  { credential, keyId }: Pick<Unsealed, "credential" | "keyId">,
  now: number,
): object {
  const expiresAt = credential.type === "api-key" ? null : (credential.token?.expiresAt ?? null);
  return {
    toolId,
    type: credential.type,
    keyId,
    connected: isConnected(credential, now),
    scopes: scopesOf(credential),
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    updatedAt: new Date(updatedAt).toISOString(),
    ...(credential.type === "api-key"
      ? { in: credential.place.in, name: credential.place.name }
      : {}),
  };
}
