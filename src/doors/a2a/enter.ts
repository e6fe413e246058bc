import { shown } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { AppContext } from "../../http/context.ts";
import { originOf } from "../../http/named.ts";
import { admitRequest } from "../../keys/key-limits.ts";
import type { Door } from "./door.ts";
import { faultOf, faultOfFailure, type Fault } from "./faults.ts";

/** The one version that is spoken here, whatever its patch. */
export const VERSION = "1.0";
/** The header and the query parameter that name the version. */
export const VERSION_PARAMETER = "A2A-Version";
const SPOKEN = /^1\.0(?:\.\d+)?$/;

/** Lets a request in: by its key, then by the version of A2A that it speaks. */
export async function enter(c: AppContext, signal: AbortSignal): Promise<Result<Door, Fault>> {
  const waitUntil = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
  const key = await admitRequest(c);
  if (!key.ok) return fail(faultOfFailure(key.failure));
  const version = c.req.header(VERSION_PARAMETER) ?? c.req.query(VERSION_PARAMETER) ?? "";
  if (!SPOKEN.test(version)) return fail(versionFault(version));
  return ok({ env: c.env, key: key.value, origin: originOf(c), signal, waitUntil });
}

/** No version stands for 0.3 (section 3.6.2). */
function versionFault(version: string): Fault {
  const got = version === "" ? "without it the version is 0.3" : `got ${shown(version)}`;
  const message = `A2A-Version must be ${VERSION}, the one version that is spoken here; ${got}.`;
  return faultOf("version_not_supported", message);
}
