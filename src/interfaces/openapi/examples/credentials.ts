// Answers that the service has given, to requests that the operations show.

export const API_KEY_CREDENTIALS_EXAMPLE = {
  toolId: "harbour",
  type: "api-key",
  keyId: "dev",
  scopes: [],
  updatedAt: "2026-11-21T22:15:02.081Z",
  in: "header",
  name: "X-Api-Key",
  prefix: "",
};

export const CLIENT_CREDENTIALS_EXAMPLE = {
  toolId: "logbook",
  type: "oauth-client-credentials",
  keyId: "dev",
  scopes: ["read"],
  updatedAt: "2026-11-21T22:15:02.747Z",
  tokenUrl: "https://login.example.com/token",
  clientId: "logbook-client",
  clientAuthentication: "basic",
};

export const CONNECTED_CREDENTIALS_EXAMPLE = {
  toolId: "logbook",
  type: "oauth-authorization-code",
  keyId: "dev",
  scopes: ["dummy"],
  updatedAt: "2026-11-21T22:15:02.703Z",
  connected: true,
  expiresAt: "2026-11-21T23:15:02.675Z",
  authorizationUrl: "https://login.example.com/authorize",
  tokenUrl: "https://login.example.com/token",
  clientId: "logbook-client",
  clientAuthentication: "basic",
};

export const CONNECTION_EXAMPLE = {
  url: "https://bosun.example.com/agents/tools/logbook/credentials/authorize?ticket=eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiZGV2IiwidXNlIjoiY29ubmVjdGlvbiB0aWNrZXQgbG9nYm9vayJ9..6XHUEdL8A51hnbmq.5lZjDigfICsI8CZQeGVBeqLFcBN5WCuqcuCAKFqXo7V_8rO3C7R0b4NBoTD_2KhRcp.znfMTsgMBh0PA0Ej2RpDPw",
  redirectUri: "https://bosun.example.com/agents/tools/logbook/credentials/callback",
  expiresAt: "2026-11-21T22:25:02.648Z",
};
