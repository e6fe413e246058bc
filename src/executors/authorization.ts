import type { RequestAuthorization } from "../tools/model/connector.ts";
import type { AgentSecret } from "../agents/model/agent.ts";
import { mayBeCredentialName } from "../kernel/credential-name.ts";

/** The authorization for requests to an agent's own system; null if the agent has no key. */
export function toAgentAuthorization(secret: AgentSecret | null): RequestAuthorization | null {
  const { apiKey = null, header = null } = secret ?? {};
  if (apiKey === null) return null;
  return header === null
    ? { in: "header", name: "Authorization", value: `Bearer ${apiKey}`, secret: apiKey }
    : { in: "header", name: header, value: apiKey, secret: apiKey };
}

/** A value that starts with an authentication scheme or contains a part too long to be an ordinary word. */
const CREDENTIAL_VALUE = /\S{16,}|^(?:basic|bearer|token|apikey)\s+\S/i;

/** All secrets in requests to an agent's endpoint, for masking. A header such as `X-Team: well` is not a secret. */
export function listAgentAuthorizations(secret: AgentSecret | null): RequestAuthorization[] {
  const key = toAgentAuthorization(secret);
  const headers = Object.entries(secret?.headers ?? {})
    .filter(([name, value]) => mayBeCredentialName(name) || CREDENTIAL_VALUE.test(value))
    .map(([name, value]): RequestAuthorization => ({ in: "header", name, value }));
  return key === null ? headers : [key, ...headers];
}

/** Adds the key to the headers; null if the key or its header name is not valid in HTTP. */
export function buildAuthorizedHeaders(
  headers: HeadersInit,
  authorization: RequestAuthorization | null,
): Headers | null {
  try {
    const merged = new Headers(headers);
    if (authorization !== null) merged.set(authorization.name, authorization.value);
    return merged;
  } catch {
    return null;
  }
}
