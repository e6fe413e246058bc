import type { AgentSecret } from "../../../domain/agent.ts";
import type { Authorisation } from "../../../domain/connector.ts";

/** An agent's key as it is sent, or null where the agent wants none. */
export function authorisationOf(secret: AgentSecret | null): Authorisation | null {
  if (secret === null) return null;
  const { apiKey, header } = secret;
  return header === null
    ? { in: "header", name: "Authorization", value: `Bearer ${apiKey}`, secret: apiKey }
    : { in: "header", name: header, value: apiKey, secret: apiKey };
}

/** Headers with the key, or null where it holds what no header can carry. */
export function withKey(headers: HeadersInit, authorisation: Authorisation | null): Headers | null {
  try {
    const all = new Headers(headers);
    if (authorisation !== null) all.set(authorisation.name, authorisation.value);
    return all;
  } catch {
    return null;
  }
}
