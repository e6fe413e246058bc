import { database } from "../../db/client.ts";
import type { Authorisation, CredentialPlace, Operation } from "../../domain/connector.ts";
import { isAlive, isFresh, isRenewable, type OauthCredential } from "../../domain/credential.ts";
import type { Failure } from "../../domain/failure.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { isPassing, missing, unconnected } from "./failures.ts";
import { placeOf } from "./place.ts";
import { keeperOf } from "./port.ts";
import {
  findCredential,
  resealCredential,
  type CredentialRow,
  type CredentialTool,
} from "./store.ts";
import { sealCredential, unsealCredential, type Unsealed } from "./vault.ts";

/** What using credentials needs of the Worker's bindings. */
export type CredentialEnv = Pick<Env, "DB" | "CREDENTIALS_KEY" | "KEEPERS">;

/**
 * What a call of the tool authenticates with: null where it needs nothing and has nothing. A token
 * that is about to expire is renewed first; one that is not costs no look beyond the row.
 */
export async function authorisationOf(
  env: CredentialEnv,
  tool: CredentialTool,
  row: CredentialRow | null,
  operation: Operation | null,
): Promise<Result<Authorisation | null, Failure>> {
  const isOptional = tool.authentication.type === "none" || isAnonymous(operation);
  if (row === null) return isOptional ? ok(null) : fail(missing(tool));
  const opened = await unsealCredential(env, tool.id, row);
  if (!opened.ok) return opened;
  if (opened.value.isOutdated) await reseal(env, tool.id, row, opened.value);
  const { credential } = opened.value;
  if (credential.type === "api-key") return ok(placed(credential.place, credential.value));
  const token = await tokenOf(env, tool, row, credential);
  if (token.ok) return ok(placed(placeOf(tool.connector), token.value));
  return isAnonymous(operation) && token.failure.kind === "credentials_required" ? ok(null) : token;
}

/** What a tool has to authenticate with at present; null when it has nothing. */
export async function storedAuthorisation(
  env: CredentialEnv,
  tool: CredentialTool,
): Promise<Result<Authorisation | null, Failure>> {
  const row = await findCredential(database(env.DB), tool.id);
  return row === null ? ok(null) : authorisationOf(env, tool, row, null);
}

/** The same after the other system has refused what the row gave; null where that cannot be renewed. */
export async function renewedAuthorisation(
  env: CredentialEnv,
  tool: CredentialTool,
  { type, revision }: Pick<CredentialRow, "type" | "revision">,
): Promise<Result<Authorisation | null, Failure>> {
  if (type === "api-key") return ok(null);
  const renewed = await keeperOf(env.KEEPERS, tool.id).renew(tool.id, revision);
  return renewed.ok ? ok(placed(placeOf(tool.connector), renewed.value.token)) : renewed;
}

/** A token within its last minute still serves while no new one can be had. */
async function tokenOf(
  env: CredentialEnv,
  tool: CredentialTool,
  { revision }: CredentialRow,
  credential: OauthCredential,
): Promise<Result<string, Failure>> {
  const { token } = credential;
  const now = Date.now();
  if (token !== null && isFresh(token, now)) return ok(token.value);
  const last = token !== null && isAlive(token, now) ? token.value : null;
  if (!isRenewable(credential)) {
    return last === null ? fail(unconnected(tool.id, credential)) : ok(last);
  }
  const renewed = await keeperOf(env.KEEPERS, tool.id).renew(tool.id, revision);
  if (renewed.ok) return ok(renewed.value.token);
  return last !== null && isPassing(renewed.failure) ? ok(last) : renewed;
}

/** Ends the use of an old key. What fails here is done at the next call: the old key opens still. */
async function reseal(
  env: CredentialEnv,
  toolId: string,
  row: CredentialRow,
  { credential }: Unsealed,
): Promise<void> {
  const sealed = await sealCredential(env, toolId, credential);
  if (!sealed.ok) return;
  try {
    await resealCredential(database(env.DB), toolId, row, sealed.value);
  } catch (error) {
    console.warn({ event: "credential_not_resealed", toolId, error });
  }
}

/** A secret at its place. */
export function placed(
  { in: where, name, prefix }: CredentialPlace,
  secret: string,
): Authorisation {
  return { in: where, name, value: `${prefix}${secret}`, secret };
}

function isAnonymous(operation: Operation | null): boolean {
  return operation?.type === "http" && operation.request.anonymous === true;
}
