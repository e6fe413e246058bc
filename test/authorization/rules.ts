import type { Scope } from "../../src/keys/model/key.ts";
import type { Endpoint } from "./endpoint.ts";
import type { KeyKind } from "./key-kinds.ts";

/** Whose resource a request names: the caller's own, another tenant's, or a missing one. */
export type Whose = "own" | "rival" | "missing";

/** The expected outcome: "in" if the request is accepted, otherwise a status and an error code. */
export type Verdict = string;
export const IN: Verdict = "in";

/** Returns the verdict of the permission rules, which are checked in order of precedence. */
export function expected(endpoint: Endpoint, kind: KeyKind, whose: Whose): Verdict {
  const { asks, isLink, missing } = endpoint;
  if (asks === null) return IN;
  const isKeyless = kind.authorization === null;
  if (isLink === true && isKeyless) return IN;
  if (!kind.isGood) return "401 AUTHENTICATION_FAILED";
  if (asks.some((scope) => !kind.scopes.includes(scope))) return lacking(endpoint);
  if (endpoint.spends === true && !SPENDING.some((scope) => kind.scopes.includes(scope))) {
    return lacking(endpoint);
  }
  if (endpoint.notForTeams === true && kind.bound === "team") return forbidden(endpoint);
  if (missing === null || whose === "own") return IN;
  if (whose === "rival" && kind.bound === "unbound") return IN;
  if (endpoint.isNamed === true && kind.bound !== "unbound") return forbidden(endpoint);
  return `404 ${missing}`;
}

export const SPENDING: readonly Scope[] = ["tasks:write", "tasks:work"];

/** Without the required scope, an MCP tool looks as if it did not exist. */
function lacking({ protocol }: Endpoint): Verdict {
  if (protocol === "mcp") return UNKNOWN_TOOL;
  return protocol === "rest" ? "403 INSUFFICIENT_SCOPE" : "403 PERMISSION_DENIED";
}

function forbidden({ protocol, missing }: Endpoint): Verdict {
  if (protocol === "mcp" && missing === "UNKNOWN_TOOL") return UNKNOWN_TOOL;
  return protocol === "rest" || protocol === "mcp" ? "403 AGENT_MISMATCH" : "403 PERMISSION_DENIED";
}

const UNKNOWN_TOOL = "404 UNKNOWN_TOOL";
