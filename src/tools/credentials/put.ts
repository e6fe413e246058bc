import { database } from "../../db/client.ts";
import type { Credential } from "../../domain/credential.ts";
import type { Failure } from "../../domain/failure.ts";
import { ok, type Result } from "../../domain/result.ts";
import { putCredential, type CredentialRow } from "./store.ts";
import { sealCredential, type SealEnv } from "./vault.ts";

/** Seals a credential and puts it in place of any other that the tool had. */
export async function putSealed(
  env: SealEnv & Pick<Env, "DB">,
  toolId: string,
  credential: Credential,
): Promise<Result<{ row: CredentialRow; replaced: boolean }, Failure>> {
  const sealed = await sealCredential(env, toolId, credential);
  if (!sealed.ok) return sealed;
  const wanted = { type: credential.type, sealed: sealed.value };
  const firstRevision = lot();
  const now = Date.now();
  return ok(await putCredential(database(env.DB), toolId, wanted, { firstRevision, now }));
}

/** Where the revisions of a new row begin. */
function lot(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
