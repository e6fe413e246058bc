import * as z from "zod";
import { CLIENT_AUTHENTICATIONS } from "../../../tools/model/credential.ts";
import * as schema from "./common.ts";

const toolId = schema.text("The tool that authenticates with them.");

const base = {
  toolId,
  keyId: schema.text(
    "The key of the secret `CREDENTIALS_KEY` under which they are sealed.",
    "2026-11",
  ),
  scopes: schema.textList(
    "What they may do, as far as it is known: what the authorization server granted, else what is asked for. Empty for an API key.",
  ),
  updatedAt: schema.instant("When they were last put, renewed or connected."),
};

const client = {
  expiresAt: schema.optional.instant(
    "When the present access token ends; absent without one, or an end.",
  ),
  tokenUrl: z.url().describe("The token endpoint, without its query."),
  clientId: schema.text("The client's id at the authorization server."),
  clientAuthentication: z
    .enum(CLIENT_AUTHENTICATIONS)
    .describe(
      "Whether the client's secret goes into the header (`basic`) or the body (`post`); absent for a client without one.",
    )
    .optional(),
  audience: schema.optional.text("The audience that is asked for."),
  resource: schema.optional.text("The resource that is asked for (RFC 8707)."),
};

const connected = schema.flag(
  "Whether the tool can authenticate as things stand: false before consent was given, and after it was revoked or has expired.",
);

const apiKey = schema.component("ApiKeyCredentials", null, {
  ...base,
  type: z.literal("api-key").describe("A secret that goes along as it is."),
  in: z.enum(["header", "query"]).describe("The part of the request it goes into."),
  name: schema.text("Name of the header or the query parameter."),
  prefix: schema.optional.text("What stands before it in the header; absent in a query."),
});

const clientCredentials = schema.component("ClientCredentials", null, {
  ...base,
  type: z
    .literal("oauth-client-credentials")
    .describe("The client gets its tokens by itself (RFC 6749, 4.4)."),
  ...client,
});

const refreshToken = schema.component("RefreshTokenCredentials", null, {
  ...base,
  type: z.literal("oauth-refresh-token").describe("A grant that exists already (RFC 6749, 6)."),
  connected,
  ...client,
});

const authorizationCode = schema.component("AuthorizationCodeCredentials", null, {
  ...base,
  type: z
    .literal("oauth-authorization-code")
    .describe("A person gives consent in a browser (RFC 6749, 4.1, with PKCE)."),
  connected,
  ...client,
  authorizationUrl: z.url().describe("Where consent is given, without its query."),
  issuer: z.url().describe("Who must have answered (RFC 9207), where that was said.").optional(),
});

/** Credentials as they are shown. */
export const credentialsSchema = z
  .discriminatedUnion("type", [apiKey, clientCredentials, refreshToken, authorizationCode])
  .meta({
    id: "Credentials",
    description:
      "What a tool authenticates with: all of it but the secrets, which nobody can read.",
  });

/** DELETE …/credentials. */
export const deletedCredentialsSchema = schema.component("DeletedCredentials", null, {
  toolId,
  deleted: z.literal(true).describe("They are gone."),
});

/** GET …/credentials/callback. */
export const connectedToolSchema = schema.component("ConnectedTool", "A connected tool.", {
  toolId,
  connected: z.literal(true).describe("The tool has a grant."),
});

/** POST …/credentials/connect. */
export const connectionSchema = schema.component(
  "Connection",
  "A consent that has been asked for.",
  {
    url: z.url().describe("To be opened in a browser by whoever can give consent."),
    redirectUri: z
      .url()
      .describe("Where the browser comes back: register it at the authorization server."),
    expiresAt: schema.instant("Until when it must have come back: ten minutes from now."),
  },
);
