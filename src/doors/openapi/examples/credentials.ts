// Answers that the service has given, to requests that the operations show.

export const API_KEY_CREDENTIALS = {
  toolId: "harbour",
  type: "api-key",
  keyId: "dev",
  scopes: [],
  updatedAt: "2026-11-21T22:15:02.081Z",
  in: "header",
  name: "X-Api-Key",
  prefix: "",
};

export const CLIENT_CREDENTIALS = {
  toolId: "logbook",
  type: "oauth-client-credentials",
  keyId: "dev",
  scopes: ["read"],
  updatedAt: "2026-11-21T22:15:02.747Z",
  tokenUrl: "https://login.example.com/token",
  clientId: "logbook-client",
  clientAuthentication: "basic",
};

export const CONNECTED_CREDENTIALS = {
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

export const CONNECTION = {
  url: "https://login.example.com/authorize?response_type=code&client_id=logbook-client&scope=read&redirect_uri=https%3A%2F%2Fbosun.example.com%2Fagents%2Ftools%2Flogbook%2Fcredentials%2Fcallback&state=eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiZGV2IiwidXNlIjoiY29ubmVjdGlvbiBsb2dib29rIn0..6XHUEdL8A51hnbmq.5lZjDigfICsI8CZQeGVBeqLFcBN5WCuqcuCAKFqXo7V_8rO3C7R0b4NBoTD_2KhRcp_v62aary7wviHKgv-8K3YJL9EX7M7RW4G4UDc_Oy0f_izobFAWobODwAhYH5fgjqETMO5V8OAojdztyQ0skdAoBC88K8kQP-kimGnzLJE2QNHdLSaAo8OeYO-9CHvU1cZ3ERnoZ_FDZQwaofqEkYUIgbtFi2ngsq117TSJ5hpsgi4AlQX_ht8M7MzuN590EK-Lx1Qp_EFvnL7UtQS6PQanPxTvCYF0AsaY.znfMTsgMBh0PA0Ej2RpDPw&code_challenge=OlOL_lUgzMBty3hHNqztEDbi8Ossiw97HaFiiOdDHeM&code_challenge_method=S256",
  redirectUri: "https://bosun.example.com/agents/tools/logbook/credentials/callback",
  expiresAt: "2026-11-21T22:25:02.648Z",
};
