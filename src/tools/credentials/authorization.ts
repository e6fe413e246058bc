import { getDatabase } from "../../platform/d1/client.ts";
import type {
  RequestAuthorization,
  CredentialPlace,
  CapabilityOperation,
} from "../model/connector.ts";
import {
  isUnexpired,
  isFresh,
  isRenewable,
  type Credential,
  type OauthCredential,
} from "../model/credential.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  isTransientCredentialFailure,
  createMissingCredentialFailure,
  createUnconnectedFailure,
} from "./credential-failures.ts";
import { credentialPlaceOf } from "./build-credential.ts";
import { tokenRefresherStub } from "./token-refresher.rpc.ts";
import {
  findCredential,
  resealCredential,
  type CredentialRow,
  type CredentialTool,
} from "./credentials.store.ts";
import { sealCredential, unsealCredential } from "./seal-credential.ts";
import { log } from "../../platform/log.ts";

export type CredentialEnv = Pick<Env, "DB" | "CREDENTIALS_KEY" | "KEEPERS">;

/**
 * The credential for a call; null if the call needs none and none is available. Renews the token first if it is due for
 * renewal.
 */
export async function resolveAuthorization(
  env: CredentialEnv,
  tool: CredentialTool,
  row: CredentialRow | null,
  operation: CapabilityOperation | null,
): Promise<Result<RequestAuthorization | null, Failure>> {
  const { type } = tool.authentication;
  const isOptional = type === "none" || acceptsAnonymous(operation);
  if (row === null)
    return isOptional ? ok(null) : fail(createMissingCredentialFailure(tool.id, type));
  const opened = await unsealCredential(env, tool.id, row);
  if (!opened.ok) return opened;
  const { credential, isOutdated } = opened.value;
  if (isOutdated) await resealOutdated(env, tool.id, row, credential);
  if (credential.type === "api-key")
    return ok(buildAuthorization(credential.place, credential.value));
  const token = await resolveAccessToken(env, tool, row, credential);
  if (token.ok) return ok(buildAuthorization(credentialPlaceOf(tool.connector), token.value));
  return acceptsAnonymous(operation) && token.failure.kind === "credentials_required"
    ? ok(null)
    : token;
}

/** A tool's current credential; null if it has none. */
export async function resolveStoredAuthorization(
  env: CredentialEnv,
  tool: CredentialTool,
): Promise<Result<RequestAuthorization | null, Failure>> {
  const row = await findCredential(getDatabase(env.DB), tool.id);
  return row === null ? ok(null) : resolveAuthorization(env, tool, row, null);
}

/** Renews a credential that the system behind the tool rejected; null for an API key, which cannot be renewed. */
export async function renewAuthorization(
  env: CredentialEnv,
  tool: CredentialTool,
  { type, revision }: Pick<CredentialRow, "type" | "revision">,
): Promise<Result<RequestAuthorization | null, Failure>> {
  if (type === "api-key") return ok(null);
  const renewed = await tokenRefresherStub(env.KEEPERS, tool.id).renew(tool.id, revision);
  return renewed.ok
    ? ok(buildAuthorization(credentialPlaceOf(tool.connector), renewed.value.token))
    : renewed;
}

/**
 * Returns a valid access token. One that is due for renewal is still used if it cannot be renewed or the renewal fails
 * transiently.
 */
async function resolveAccessToken(
  env: CredentialEnv,
  tool: CredentialTool,
  { revision }: CredentialRow,
  credential: OauthCredential,
): Promise<Result<string, Failure>> {
  const { token } = credential;
  const now = Date.now();
  if (token !== null && isFresh(token, now)) return ok(token.value);
  const last = token !== null && isUnexpired(token, now) ? token.value : null;
  if (!isRenewable(credential)) {
    return last === null ? fail(createUnconnectedFailure(tool.id, credential)) : ok(last);
  }
  const renewed = await tokenRefresherStub(env.KEEPERS, tool.id).renew(tool.id, revision);
  if (renewed.ok) return ok(renewed.value.token);
  return last !== null && isTransientCredentialFailure(renewed.failure) ? ok(last) : renewed;
}

/** Seals a credential again with the current key. If this fails, the next call tries again. */
async function resealOutdated(
  env: CredentialEnv,
  toolId: string,
  row: CredentialRow,
  credential: Credential,
): Promise<void> {
  const sealed = await sealCredential(env, toolId, credential);
  if (!sealed.ok) return;
  try {
    await resealCredential(getDatabase(env.DB), toolId, row, sealed.value);
  } catch (error) {
    log.warn("credential_reseal_failed", { toolId, error });
  }
}

export function buildAuthorization(
  { in: where, name, prefix }: CredentialPlace,
  secret: string,
): RequestAuthorization {
  return { in: where, name, value: `${prefix}${secret}`, secret };
}

function acceptsAnonymous(operation: CapabilityOperation | null): boolean {
  return operation?.type === "http" && operation.request.anonymous === true;
}
