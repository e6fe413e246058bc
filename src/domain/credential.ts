/** The ways in which a tool can authenticate to the system behind it. */
export const CREDENTIAL_TYPES = [
  "api-key",
  "oauth-client-credentials",
  "oauth-refresh-token",
  "oauth-authorization-code",
] as const;
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];
