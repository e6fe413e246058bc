import * as z from "zod";
import type { Operations } from "../operation.ts";
import {
  API_KEY_CREDENTIALS,
  CLIENT_CREDENTIALS,
  CONNECTED_CREDENTIALS,
  CONNECTION,
} from "../examples/credentials.ts";
import {
  connectedTool,
  connection,
  credentials,
  deletedCredentials,
} from "../schemas/credentials.ts";
import { CREDENTIAL_FIELDS } from "./credential-fields.ts";

const parameters = { id: { description: "The tool's id.", example: "harbour" } };

const page = z
  .string()
  .meta({ description: "A page that says how it went; it runs and loads nothing." });

/** What tools authenticate with. */
export const credentialOperations: Operations = {
  "GET /agents/tools/:id/credentials": {
    operationId: "getCredentials",
    tag: "Credentials",
    summary: "See what a tool authenticates with",
    description:
      "All of it but the secrets, which nobody can read: whether a grant is connected, when its token ends, what it may do, and under which key it is sealed. Queries of URLs are left out, as they may hold secrets.",
    parameters,
    answers: [
      {
        status: 200,
        description: "The credentials, without their secrets.",
        data: credentials,
        example: CONNECTED_CREDENTIALS,
      },
    ],
    codes: ["TOOL_NOT_FOUND", "CREDENTIALS_NOT_FOUND", "TOOL_CREDENTIALS_REQUIRED"],
  },
  "PUT /agents/tools/:id/credentials": {
    operationId: "putCredentials",
    tag: "Credentials",
    summary: "Give a tool its credentials",
    description: `What a tool authenticates with to the system behind it; it takes the place of whatever was there. Secrets are encrypted (AES-256-GCM, bound to this tool) before they are stored, are never shown again, and are replaced by \`***\` where the other system echoes them.

| \`type\` | needs | may have |
|---|---|---|
| \`api-key\` | \`value\` | \`in\`, \`name\`, \`prefix\` where the tool does not say where it goes |
| \`oauth-client-credentials\` | \`tokenUrl\`, \`clientId\`, \`clientSecret\` | the fields of all OAuth types |
| \`oauth-refresh-token\` | \`tokenUrl\`, \`clientId\`, \`refreshToken\` | \`clientSecret\`, and the fields of all OAuth types |
| \`oauth-authorization-code\` | \`authorizationUrl\`, \`tokenUrl\`, \`clientId\` | \`clientSecret\`, \`issuer\`, and the fields of all OAuth types; then \`POST …/connect\` |

Fields of all OAuth types are \`scopes\`, \`audience\`, \`resource\` and \`clientAuthentication\`. Tokens are renewed a minute before they end, and once when the other system answers 401. A tool that is changed so that it goes to another origin loses its credentials. A tool with an \`http\` address cannot have credentials unless the deployment sets \`ALLOW_PRIVATE_EGRESS\`; change the tool's address first. Built-in tools need none.`,
    parameters,
    fields: CREDENTIAL_FIELDS,
    bodyExample: { type: "api-key", value: "harbour-key" },
    answers: [
      {
        status: 201,
        description: "The tool had none, and has them now.",
        data: credentials,
        example: API_KEY_CREDENTIALS,
      },
      {
        status: 200,
        description: "They took the place of others.",
        data: credentials,
        example: CLIENT_CREDENTIALS,
      },
    ],
    codes: ["TOOL_NOT_FOUND", "TOOL_CREDENTIALS_REQUIRED"],
  },
  "DELETE /agents/tools/:id/credentials": {
    operationId: "deleteCredentials",
    tag: "Credentials",
    summary: "Delete a tool's credentials",
    description:
      "Deletes what a tool authenticates with. Its calls answer 424 from then on, where they need credentials. Nothing is revoked at the other system.",
    parameters,
    answers: [
      {
        status: 200,
        description: "They are gone.",
        data: deletedCredentials,
        example: { toolId: "harbour", deleted: true },
      },
    ],
    codes: ["TOOL_NOT_FOUND", "CREDENTIALS_NOT_FOUND"],
  },
  "POST /agents/tools/:id/credentials/connect": {
    operationId: "connectCredentials",
    tag: "Credentials",
    summary: "Ask a person for consent",
    description:
      "Begins the authorization code flow (RFC 6749, 4.1, with PKCE) of credentials of type `oauth-authorization-code`: open the `url` in a browser within ten minutes. The link redirects to the authorization server, and only the browser that opened it can finish the flow. The browser returns to `redirectUri`, which must be registered at the authorization server. Nothing of an unfinished flow is stored, so it may be begun as often as one likes; the first to come back wins.",
    parameters: { id: { description: "The tool's id.", example: "logbook" } },
    bodyExample: {},
    answers: [
      {
        status: 200,
        description: "Where the person is to go.",
        data: connection,
        example: CONNECTION,
      },
    ],
    codes: ["TOOL_NOT_FOUND", "CREDENTIALS_NOT_FOUND", "TOOL_CREDENTIALS_REQUIRED"],
  },
  "GET /agents/tools/:id/credentials/authorize": {
    operationId: "openConnection",
    tag: "Credentials",
    summary: "Send a browser to give consent",
    description:
      "The link that `connect` returns, for a browser: it sets a cookie and redirects to the authorization server. The cookie is valid for this tool's callback only, until the link expires or the tool is connected. No key is needed: the sealed `ticket` authorises the request.",
    access: "public",
    parameters: {
      id: { description: "The tool's id.", example: "logbook" },
      ticket: {
        description:
          "The ticket from `connect`, unchanged; valid for ten minutes and while the key that created it is valid.",
      },
    },
    answers: [
      {
        status: 302,
        description: "A redirect to the authorization server.",
        headers: { Location: "The authorization server's consent page." },
      },
    ],
    codes: ["AUTHENTICATION_FAILED", "TOOL_CREDENTIALS_REQUIRED"],
    showsPages: true,
  },
  "GET /agents/tools/:id/credentials/callback": {
    operationId: "finishConnection",
    tag: "Credentials",
    summary: "Come back with a person's consent",
    description:
      "Where the authorization server sends the browser: nothing for clients to call. It checks `state` and `iss`, redeems the code and stores the grant; each consent is taken once. No key is needed: the sealed `state` and the cookie set by `authorize` authorise the request. No detail of the OAuth client is shown. A browser gets a page in HTML, also when it did not work; a program, which does not accept HTML or shows a key, gets JSON.",
    access: "public",
    parameters: {
      id: { description: "The tool's id.", example: "logbook" },
      state: { description: "What `connect` gave out, unchanged; good once, for ten minutes." },
      code: { description: "The authorization code." },
      iss: { description: "Who answers (RFC 9207), where the server says so." },
      error: { description: "Why there is no consent (RFC 6749, 4.1.2.1)." },
    },
    answers: [
      {
        status: 200,
        description: "The tool is connected.",
        data: connectedTool,
        example: { toolId: "logbook", connected: true },
        content: { "text/html": { schema: page } },
      },
    ],
    codes: ["AUTHENTICATION_FAILED", "TOOL_CREDENTIALS_REQUIRED", "TOOL_UPSTREAM_ERROR"],
    showsPages: true,
  },
};
