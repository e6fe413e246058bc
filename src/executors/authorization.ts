import type { RequestAuthorization } from "../tools/model/connector.ts";
import type { AgentSecret } from "../agents/model/agent.ts";
import { mayBeCredentialName } from "../kernel/credential-name.ts";

/** What an agent shows to the system behind it, or null where it has no key. */
export function toAgentAuthorization(secret: AgentSecret | null): RequestAuthorization | null {
  const { apiKey = null, header = null } = secret ?? {};
  if (apiKey === null) return null;
  return header === null
    ? { in: "header", name: "Authorization", value: `Bearer ${apiKey}`, secret: apiKey }
    : { in: "header", name: header, value: apiKey, secret: apiKey };
}

/** A value that contains a part too long for an ordinary word, or starts with an authentication scheme. */
const CREDENTIAL_VALUE = /\S{16,}|^(?:basic|bearer|token|apikey)\s+\S/i;

/** All secrets that an agent sends, for redaction from responses. A header such as `X-Team: well` is no secret. */
export function listAgentAuthorizations(secret: AgentSecret | null): RequestAuthorization[] {
  const key = toAgentAuthorization(secret);
  const headers = Object.entries(secret?.headers ?? {})
    .filter(([name, value]) => mayBeCredentialName(name) || CREDENTIAL_VALUE.test(value))
    .map(([name, value]): RequestAuthorization => ({ in: "header", name, value }));
  return key === null ? headers : [key, ...headers];
}

/** Headers with the key, or null where it holds what no header can carry. */
export function buildAuthorizedHeaders(
  headers: HeadersInit,
  authorisation: RequestAuthorization | null,
): Headers | null {
  try {
    const merged = new Headers(headers);
    if (authorisation !== null) merged.set(authorisation.name, authorisation.value);
    return merged;
  } catch {
    return null;
  }
}
