import type { AgentSecret } from "../../domain/agent.ts";
import type { Authorisation } from "../../domain/connector.ts";

/** What an agent shows to the system behind it, or null where it has no key. */
export function authorisationOf(secret: AgentSecret | null): Authorisation | null {
  if (secret === null) return null;
  const { apiKey, header } = secret;
  return header === null
    ? { in: "header", name: "Authorization", value: `Bearer ${apiKey}`, secret: apiKey }
    : { in: "header", name: header, value: apiKey, secret: apiKey };
}
