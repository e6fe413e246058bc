import { preview, fail, ok, type Result } from "../../kernel/result.ts";
import { type AppContext, requestOriginOf } from "../../http/envelope.ts";
import { authenticateRequest } from "../../keys/authenticate.ts";
import { toRequestFailure, type A2aRequestFailure } from "./failures.ts";
import type { Key } from "../../keys/model/key.ts";

export interface A2aCallContext {
  readonly env: Env;
  readonly key: Key;
  /** The base of links to files. */
  readonly origin: string;
  /** Aborts when the request ends or the client disconnects. */
  readonly signal: AbortSignal;
  /** Continues work after the client disconnects. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** The only supported version, with any patch number. */
export const A2A_VERSION = "1.0";
/** The header and the query parameter that name the version. */
export const A2A_VERSION_PARAMETER = "A2A-Version";
const SUPPORTED_VERSION = /^1\.0(?:\.\d+)?$/;

/** Checks the key of a request, then its A2A version. */
export async function admitA2aRequest(
  c: AppContext,
  signal: AbortSignal,
): Promise<Result<A2aCallContext, A2aRequestFailure>> {
  const waitUntil = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
  const key = await authenticateRequest(c);
  if (!key.ok) return fail(toRequestFailure(key.failure));
  const version = c.req.header(A2A_VERSION_PARAMETER) ?? c.req.query(A2A_VERSION_PARAMETER) ?? "";
  if (!SUPPORTED_VERSION.test(version)) {
    // A request without a version has version 0.3 (section 3.6.2).
    const got = version === "" ? "without it the version is 0.3" : `got ${preview(version)}`;
    const message = `A2A-Version must be ${A2A_VERSION}, the only supported version; ${got}.`;
    return fail({ name: "version_not_supported", message });
  }
  return ok({ env: c.env, key: key.value, origin: requestOriginOf(c), signal, waitUntil });
}
