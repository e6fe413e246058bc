import { A2A_VERSION_HEADER } from "@a2a-js/sdk";
import { VersionNotSupportedError } from "@a2a-js/sdk/errors";
import { type AppContext, requestOriginOf } from "../../http/envelope.ts";
import { preview } from "../../kernel/result.ts";
import { authenticateRequest } from "../../keys/authenticate.ts";
import type { Key } from "../../keys/model/key.ts";
import { orThrow } from "./errors.ts";

export type A2aVersion = "1.0" | "0.3";

export interface A2aCallContext {
  readonly env: Env;
  readonly key: Key;
  readonly version: A2aVersion;
  /** The base of links to files. */
  readonly origin: string;
  /** Aborts when the request ends or the client disconnects. */
  readonly signal: AbortSignal;
  /** Continues work after the client disconnects. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** The checked parameters, as the client sent them. */
  readonly params?: object;
}

/** Checks the key of a request, then its A2A version. */
export async function admitA2aRequest(
  c: AppContext,
  versions: readonly A2aVersion[],
  signal: AbortSignal,
): Promise<A2aCallContext> {
  const waitUntil = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
  const key = orThrow(await authenticateRequest(c));
  const version = readVersion(c, versions);
  return { env: c.env, key, version, origin: requestOriginOf(c), signal, waitUntil };
}

/** The version in the header or the query parameter; the patch number does not matter. */
function readVersion(c: AppContext, versions: readonly A2aVersion[]): A2aVersion {
  const given = c.req.header(A2A_VERSION_HEADER) ?? c.req.query(A2A_VERSION_HEADER) ?? "";
  // A request without a version has version 0.3 (section 3.6.2).
  const minor = given === "" ? "0.3" : /^(\d+\.\d+)(?:\.\d+)?$/.exec(given)?.[1];
  const version = versions.find((one) => one === minor);
  if (version !== undefined) return version;
  const got = given === "" ? "without it the version is 0.3" : `got ${preview(given)}`;
  throw new VersionNotSupportedError(
    `${A2A_VERSION_HEADER} must be ${versions.join(" or ")} here; ${got}.`,
  );
}
