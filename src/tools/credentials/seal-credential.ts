import type { Credential, CredentialType } from "../model/credential.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { createUnreadableCredentialFailure } from "./credential-failures.ts";
import {
  parseSealKeys,
  sealWithCurrentKey,
  unseal,
  type SealEnv,
} from "../../platform/crypto/seal.ts";
import type { CredentialRow } from "./credentials.store.ts";
import { log } from "../../platform/log.ts";

export interface UnsealedCredential {
  readonly credential: Credential;
  readonly keyId: string;
  /** Whether the credential is sealed with an older key. */
  readonly isOutdated: boolean;
}

/** Seals a credential so that it can be unsealed only for the same tool and type. */
export async function sealCredential(
  env: SealEnv,
  toolId: string,
  credential: Credential,
): Promise<Result<string, Failure>> {
  return sealWithCurrentKey(env, sealPurpose(toolId, credential.type), credential);
}

/** Unseals a credential, and logs a warning if it cannot be unsealed. */
export async function unsealCredential(
  env: SealEnv,
  toolId: string,
  row: Pick<CredentialRow, "type" | "sealed">,
): Promise<Result<UnsealedCredential, Failure>> {
  const unsealed = await tryUnsealCredential(env, toolId, row);
  if (!unsealed.ok && unsealed.failure.kind === "credentials_required")
    log.warn("credential_decrypt_failed", { toolId, type: row.type });
  return unsealed;
}

/** Unseals a credential without logging, for lists of many tools. */
export async function tryUnsealCredential(
  env: SealEnv,
  toolId: string,
  { type, sealed }: Pick<CredentialRow, "type" | "sealed">,
): Promise<Result<UnsealedCredential, Failure>> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const opened = await unseal(keys.value, sealPurpose(toolId, type), sealed);
  if (opened === null) return fail(createUnreadableCredentialFailure(toolId));
  const { value, keyId } = opened;
  // The cast is safe, because only sealCredential seals for this purpose.
  const credential = value as unknown as Credential;
  return ok({ credential, keyId, isOutdated: keyId !== keys.value.currentId });
}

function sealPurpose(toolId: string, type: CredentialType): string {
  return `credential ${type} ${toolId}`;
}
