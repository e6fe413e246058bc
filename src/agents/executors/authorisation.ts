import type { AgentSecret } from "../../domain/agent.ts";
import type { Authorisation } from "../../domain/connector.ts";

/** What an agent shows to the system behind it, or null where it has no key. */
export function authorisationOf(secret: AgentSecret | null): Authorisation | null {
  const { apiKey = null, header = null } = secret ?? {};
  if (apiKey === null) return null;
  return header === null
    ? { in: "header", name: "Authorization", value: `Bearer ${apiKey}`, secret: apiKey }
    : { in: "header", name: header, value: apiKey, secret: apiKey };
}

/** All secrets that an agent sends, so that they can be redacted from responses. */
export function secretsOf(secret: AgentSecret | null): Authorisation[] {
  const key = authorisationOf(secret);
  const headers = Object.entries(secret?.headers ?? {}).map(([name, value]): Authorisation => ({
    in: "header",
    name,
    value,
  }));
  return key === null ? headers : [key, ...headers];
}
