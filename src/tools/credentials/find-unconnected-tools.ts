import { getDatabase } from "../../platform/d1/client.ts";
import type { Failure } from "../../kernel/failure.ts";
import { ok, type Result } from "../../kernel/result.ts";
import { isConnected } from "../model/credential.ts";
import type { CredentialEnv } from "./authorization.ts";
import { listGrantedCredentials } from "./credentials.store.ts";
import { tryUnsealCredential } from "./seal-credential.ts";

/**
 * The ids of the tools whose OAuth credentials need a new grant, because the grant is missing, expired or revoked, or
 * cannot be unsealed. The state of a grant is sealed, so this reads all credentials of these types. `now` is in
 * milliseconds since 1970.
 */
export async function findUnconnectedTools(
  env: Pick<CredentialEnv, "DB" | "CREDENTIALS_KEY">,
  now: number,
): Promise<Result<readonly string[], Failure>> {
  const ids: string[] = [];
  for (const { toolId, ...row } of await listGrantedCredentials(getDatabase(env.DB))) {
    const unsealed = await tryUnsealCredential(env, toolId, row);
    if (!unsealed.ok && unsealed.failure.kind !== "credentials_required") return unsealed;
    if (!unsealed.ok || !isConnected(unsealed.value.credential, now)) ids.push(toolId);
  }
  return ok(ids);
}
