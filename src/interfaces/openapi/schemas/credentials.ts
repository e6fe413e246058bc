import * as z from "zod";
import { CLIENT_AUTHENTICATIONS } from "../../../tools/model/credential.ts";
import { instantSchema } from "./common.ts";

const toolId = z.string().meta({ description: "The tool that authenticates with them." });

const base = {
  toolId,
  keyId: z.string().meta({
    description: "The key of the secret `CREDENTIALS_KEY` under which they are sealed.",
    examples: ["2026-11"],
  }),
  scopes: z.array(z.string()).meta({
    description:
      "What they may do, as far as it is known: what the authorization server granted, else what is asked for. Empty for an API key.",
  }),
  updatedAt: instantSchema("When they were last put, renewed or connected."),
};

const client = {
  expiresAt: instantSchema(
    "When the present access token ends; absent without one, or an end.",
  ).optional(),
  tokenUrl: z.url().meta({ description: "The token endpoint, without its query." }),
  clientId: z.string().meta({ description: "The client's id at the authorization server." }),
  clientAuthentication: z
    .enum(CLIENT_AUTHENTICATIONS)
    .meta({
      description:
        "Whether the client's secret goes into the header (`basic`) or the body (`post`); absent for a client without one.",
    })
    .optional(),
  audience: z.string().meta({ description: "The audience that is asked for." }).optional(),
  resource: z
    .string()
    .meta({ description: "The resource that is asked for (RFC 8707)." })
    .optional(),
};

const connected = z.boolean().meta({
  description:
    "Whether the tool can authenticate as things stand: false before consent was given, and after it was revoked or has expired.",
});

const apiKey = z
  .strictObject({
    ...base,
    type: z.literal("api-key").meta({ description: "A secret that goes along as it is." }),
    in: z.enum(["header", "query"]).meta({ description: "The part of the request it goes into." }),
    name: z.string().meta({ description: "Name of the header or the query parameter." }),
    prefix: z
      .string()
      .meta({ description: "What stands before it in the header; absent in a query." })
      .optional(),
  })
  .meta({ id: "ApiKeyCredentials" });

const clientCredentials = z
  .strictObject({
    ...base,
    type: z
      .literal("oauth-client-credentials")
      .meta({ description: "The client gets its tokens by itself (RFC 6749, 4.4)." }),
    ...client,
  })
  .meta({ id: "ClientCredentials" });

const refreshToken = z
  .strictObject({
    ...base,
    type: z
      .literal("oauth-refresh-token")
      .meta({ description: "A grant that exists already (RFC 6749, 6)." }),
    connected,
    ...client,
  })
  .meta({ id: "RefreshTokenCredentials" });

const authorizationCode = z
  .strictObject({
    ...base,
    type: z.literal("oauth-authorization-code").meta({
      description: "A person gives consent in a browser (RFC 6749, 4.1, with PKCE).",
    }),
    connected,
    ...client,
    authorizationUrl: z.url().meta({ description: "Where consent is given, without its query." }),
    issuer: z
      .url()
      .meta({ description: "Who must have answered (RFC 9207), where that was said." })
      .optional(),
  })
  .meta({ id: "AuthorizationCodeCredentials" });

/** Credentials as they are shown. */
export const credentialsSchema = z
  .discriminatedUnion("type", [apiKey, clientCredentials, refreshToken, authorizationCode])
  .meta({
    id: "Credentials",
    description:
      "What a tool authenticates with: all of it but the secrets, which nobody can read.",
  });

/** DELETE …/credentials. */
export const deletedCredentialsSchema = z
  .strictObject({
    toolId,
    deleted: z.literal(true).meta({ description: "They are gone." }),
  })
  .meta({ id: "DeletedCredentials" });

/** GET …/credentials/callback. */
export const connectedToolSchema = z
  .strictObject({
    toolId,
    connected: z.literal(true).meta({ description: "The tool has a grant." }),
  })
  .meta({ id: "ConnectedTool", description: "A connected tool." });

/** POST …/credentials/connect. */
export const connectionSchema = z
  .strictObject({
    url: z.url().meta({ description: "To be opened in a browser by whoever can give consent." }),
    redirectUri: z.url().meta({
      description: "Where the browser comes back: register it at the authorization server.",
    }),
    expiresAt: instantSchema("Until when it must have come back: ten minutes from now."),
  })
  .meta({ id: "Connection", description: "A consent that has been asked for." });
