import type { Credential, CredentialType } from "../../domain/credential.ts";
import type { Failure } from "../../domain/failure.ts";
import type { Json } from "../../domain/json.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { unreadable } from "./failures.ts";
import { open, seal, sealKeys } from "../../secrets/seal.ts";
import type { CredentialRow } from "./store.ts";

export type SealEnv = Pick<Env, "CREDENTIALS_KEY">;

export interface Unsealed {
  readonly credential: Credential;
  readonly keyId: string;
  /** Whether it lies under an older key than the one that seals now. */
  readonly isOutdated: boolean;
}

/** A credential as its row holds it: it opens for the same tool and type alone. */
export async function sealCredential(
  env: SealEnv,
  toolId: string,
  credential: Credential,
): Promise<Result<string, Failure>> {
  const keys = sealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  return ok(await seal(keys.value, useOf(toolId, credential.type), credential));
}

export async function unsealCredential(
  env: SealEnv,
  toolId: string,
  { type, sealed }: Pick<CredentialRow, "type" | "sealed">,
): Promise<Result<Unsealed, Failure>> {
  const keys = sealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const opened = await open(keys.value, useOf(toolId, type), sealed);
  if (opened === null) {
    console.warn({ event: "credential_not_opened", toolId, type });
    return fail(unreadable(toolId));
  }
  const { value, keyId } = opened;
  return ok({
    credential: asCredential(value),
    keyId,
    isOutdated: keyId !== keys.value.currentId,
  });
}

function useOf(toolId: string, type: CredentialType): string {
  return `credential ${type} ${toolId}`;
}

/** What opens under a key and for a use of ours, `sealCredential` has sealed. */
function asCredential(value: Json): Credential {
  return value as unknown as Credential;
}
