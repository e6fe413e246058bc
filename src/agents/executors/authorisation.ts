import type { AgentSecret } from "../../domain/agent.ts";
import type { Authorisation } from "../../domain/connector.ts";
import { mayBeCredentialName } from "../../secrets/credential-name.ts";

/** What an agent shows to the system behind it, or null where it has no key. */
export function authorisationOf(secret: AgentSecret | null): Authorisation | null {
  const { apiKey = null, header = null } = secret ?? {};
  if (apiKey === null) return null;
  return header === null
    ? { in: "header", name: "Authorization", value: `Bearer ${apiKey}`, secret: apiKey }
    : { in: "header", name: header, value: apiKey, secret: apiKey };
}

/** A value that contains a part too long for an ordinary word, or starts with an authentication scheme. */
const CREDENTIAL_VALUE = /\S{16,}|^(?:basic|bearer|token|apikey)\s+\S/i;

/** All secrets that an agent sends, for redaction from responses. A header such as `X-Team: well` is no secret. */
export function secretsOf(secret: AgentSecret | null): Authorisation[] {
  const key = authorisationOf(secret);
  const headers = Object.entries(secret?.headers ?? {})
    .filter(([name, value]) => mayBeCredentialName(name) || CREDENTIAL_VALUE.test(value))
    .map(([name, value]): Authorisation => ({ in: "header", name, value }));
  return key === null ? headers : [key, ...headers];
}
