import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";

export const credentialOperations = {
  /** GET /agents/tools/:id/credentials */
  getCredentials: defineOperation({
    operationId: "getCredentials",
    tag: "Credentials",
    scope: "tools:manage",
    summary: "Read a tool's credentials",
    description:
      "Returns the credentials without the secrets, which are never shown. The response shows whether a grant is connected, when its token expires, its scopes, and the id of the key with which the credentials are sealed. URL queries are omitted, because they may contain secrets.",
    responses: [respond(200, "The credentials, without their secrets.", schemas.credentialsSchema)],
    errorCodes: ["CREDENTIALS_NOT_FOUND", "TOOL_CREDENTIALS_REQUIRED"],
  }),

  /** PUT /agents/tools/:id/credentials */
  putCredentials: defineOperation({
    operationId: "putCredentials",
    tag: "Credentials",
    scope: "tools:manage",
    body: schemas.credentialBody,
    summary: "Set a tool's credentials",
    description: `Sets the credentials with which a tool authenticates to the system behind it. They replace any earlier credentials. Secrets are encrypted (AES-256-GCM, bound to this tool) before they are stored, are never shown again, and are replaced by \`***\` if the other system echoes them.

| \`type\` | requires | allows |
|---|---|---|
| \`api-key\` | \`value\` | \`in\`, \`name\`, \`prefix\`, which override where the tool sends the secret |
| \`oauth-client-credentials\` | \`tokenUrl\`, \`clientId\`, \`clientSecret\` | the common OAuth fields |
| \`oauth-refresh-token\` | \`tokenUrl\`, \`clientId\`, \`refreshToken\` | \`clientSecret\`, and the common OAuth fields |
| \`oauth-authorization-code\` | \`authorizationUrl\`, \`tokenUrl\`, \`clientId\` | \`clientSecret\`, \`issuer\`, and the common OAuth fields; then \`POST …/connect\` |

The common OAuth fields are \`scopes\`, \`audience\`, \`resource\` and \`clientAuthentication\`. Tokens are renewed a minute before they expire, and once if the other system responds with 401. A tool loses its credentials if its origin changes. A tool with an \`http\` address cannot have credentials unless the deployment sets \`ALLOW_PRIVATE_EGRESS\`; change the tool's address first. Built-in tools need no credentials.`,
    responses: [
      respond(201, "The credentials were set.", schemas.credentialsSchema),
      respond(200, "Earlier credentials were replaced.", schemas.credentialsSchema),
    ],
    errorCodes: ["TOOL_CREDENTIALS_REQUIRED"],
  }),

  /** DELETE /agents/tools/:id/credentials */
  deleteCredentials: defineOperation({
    operationId: "deleteCredentials",
    tag: "Credentials",
    scope: "tools:manage",
    summary: "Delete a tool's credentials",
    description:
      "Deletes a tool's credentials. Calls that need credentials then fail with 424. Nothing is revoked in the other system.",
    responses: [respond(200, "The credentials were deleted.", schemas.deletedCredentialsSchema)],
    errorCodes: ["CREDENTIALS_NOT_FOUND"],
  }),

  /** POST /agents/tools/:id/credentials/connect */
  connectCredentials: defineOperation({
    operationId: "connectCredentials",
    tag: "Credentials",
    scope: "tools:manage",
    body: schemas.connectBody,
    bodyIsOptional: true,
    summary: "Request a person's consent",
    description:
      "Begins the authorization code flow (RFC 6749, 4.1, with PKCE) for credentials of type `oauth-authorization-code`. Open the `url` in a browser within ten minutes. The link redirects to the authorization server, and only the browser that opened it can finish the flow. The browser returns to `redirectUri`, which must be registered with the authorization server. Unfinished flows are not stored, so any number of flows can be started; the first to finish wins.",
    responses: [respond(200, "The URL for the person to open.", schemas.connectionSchema)],
    errorCodes: ["CREDENTIALS_NOT_FOUND", "TOOL_CREDENTIALS_REQUIRED"],
  }),

  /** GET /agents/tools/:id/credentials/authorize */
  openConnection: defineOperation({
    operationId: "openConnection",
    tag: "Credentials",
    query: schemas.authorizeQuery,
    summary: "Redirect a browser to the consent page",
    description:
      "The link from `connect`, which a person opens in a browser. It sets a cookie and redirects to the authorization server. The cookie is valid for this tool's callback only, until the link expires or the tool is connected. No key is needed, because the sealed `ticket` authorises the request.",
    access: "public",
    responses: [
      {
        status: 302,
        description: "A redirect to the authorization server.",
        headers: { Location: "The authorization server's consent page." },
      },
    ],
    errorCodes: ["AUTHENTICATION_FAILED", "TOOL_CREDENTIALS_REQUIRED"],
    hasHtmlErrors: true,
  }),

  /** GET /agents/tools/:id/credentials/callback */
  finishConnection: defineOperation({
    operationId: "finishConnection",
    tag: "Credentials",
    query: schemas.callbackQuery,
    ignoresUnknownQuery: true,
    summary: "Receive a person's consent",
    description:
      "The authorization server redirects the browser here; clients do not call this endpoint. It checks `state` and `iss`, redeems the code and stores the grant. Each consent is accepted only once. No key is needed, because the sealed `state` and the cookie set by `authorize` authorise the request. No details of the OAuth client are shown. A browser gets an HTML page, even for errors. A client that does not accept HTML or that sends a key gets JSON.",
    access: "public",
    responses: [
      respond(200, "The tool is connected.", schemas.connectedToolSchema, {
        content: { "text/html": { schema: schemas.consentPageSchema } },
      }),
    ],
    errorCodes: ["AUTHENTICATION_FAILED", "TOOL_CREDENTIALS_REQUIRED", "TOOL_UPSTREAM_ERROR"],
    hasHtmlErrors: true,
  }),
};
