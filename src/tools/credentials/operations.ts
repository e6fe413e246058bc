import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";

export const credentialOperations = {
  /** GET /agents/tools/:id/credentials */
  getCredentials: defineOperation({
    operationId: "getCredentials",
    tag: "Credentials",
    scope: "tools:manage",
    summary: "See what a tool authenticates with",
    description:
      "The credentials without the secrets, which are never shown: whether a grant is connected, when its token ends, what it may do, and under which key it is sealed. Queries of URLs are omitted, because they may contain secrets.",
    responses: [respond(200, "The credentials, without their secrets.", schemas.credentialsSchema)],
    errorCodes: ["CREDENTIALS_NOT_FOUND", "TOOL_CREDENTIALS_REQUIRED"],
  }),

  /** PUT /agents/tools/:id/credentials */
  putCredentials: defineOperation({
    operationId: "putCredentials",
    tag: "Credentials",
    scope: "tools:manage",
    body: schemas.credentialBody,
    summary: "Give a tool its credentials",
    description: `Sets the credentials with which a tool authenticates to the system behind it; they replace earlier credentials. Secrets are encrypted (AES-256-GCM, bound to this tool) before they are stored, are never shown again, and are replaced by \`***\` where the other system echoes them.

| \`type\` | needs | may have |
|---|---|---|
| \`api-key\` | \`value\` | \`in\`, \`name\`, \`prefix\` where the tool does not say where it goes |
| \`oauth-client-credentials\` | \`tokenUrl\`, \`clientId\`, \`clientSecret\` | the fields of all OAuth types |
| \`oauth-refresh-token\` | \`tokenUrl\`, \`clientId\`, \`refreshToken\` | \`clientSecret\`, and the fields of all OAuth types |
| \`oauth-authorization-code\` | \`authorizationUrl\`, \`tokenUrl\`, \`clientId\` | \`clientSecret\`, \`issuer\`, and the fields of all OAuth types; then \`POST …/connect\` |

Fields of all OAuth types are \`scopes\`, \`audience\`, \`resource\` and \`clientAuthentication\`. Tokens are renewed a minute before they end, and once when the other system answers 401. A tool that is changed so that it goes to another origin loses its credentials. A tool with an \`http\` address cannot have credentials unless the deployment sets \`ALLOW_PRIVATE_EGRESS\`; change the tool's address first. Built-in tools need none.`,
    responses: [
      respond(201, "The tool had none, and has them now.", schemas.credentialsSchema),
      respond(200, "They replaced earlier credentials.", schemas.credentialsSchema),
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
      "Deletes what a tool authenticates with. Its calls answer 424 from then on, where they need credentials. Nothing is revoked at the other system.",
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
    summary: "Ask a person for consent",
    description:
      "Begins the authorization code flow (RFC 6749, 4.1, with PKCE) of credentials of type `oauth-authorization-code`: open the `url` in a browser within ten minutes. The link redirects to the authorization server, and only the browser that opened it can finish the flow. The browser returns to `redirectUri`, which must be registered at the authorization server. Nothing about an unfinished flow is stored, so a flow can be started any number of times; the first one to finish wins.",
    responses: [respond(200, "The URL for the person to open.", schemas.connectionSchema)],
    errorCodes: ["CREDENTIALS_NOT_FOUND", "TOOL_CREDENTIALS_REQUIRED"],
  }),

  /** GET /agents/tools/:id/credentials/authorize */
  openConnection: defineOperation({
    operationId: "openConnection",
    tag: "Credentials",
    query: schemas.authorizeQuery,
    summary: "Send a browser to give consent",
    description:
      "The link that `connect` returns, for a browser: it sets a cookie and redirects to the authorization server. The cookie is valid for this tool's callback only, until the link expires or the tool is connected. No key is needed: the sealed `ticket` authorises the request.",
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
    summary: "Return with a person's consent",
    description:
      "Where the authorization server sends the browser: nothing for clients to call. It checks `state` and `iss`, redeems the code and stores the grant; each consent is taken once. No key is needed: the sealed `state` and the cookie set by `authorize` authorise the request. No detail of the OAuth client is shown. A browser gets a page in HTML, also when it did not work; a program, which does not accept HTML or shows a key, gets JSON.",
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
