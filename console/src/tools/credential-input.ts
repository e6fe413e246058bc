import type { Schemas } from "../api/client.ts";

type CredentialInput = Schemas["PutCredentialsBody"];
type CredentialType = CredentialInput["type"];

export const CREDENTIAL_TYPES = [
  "api-key",
  "oauth-client-credentials",
  "oauth-refresh-token",
  "oauth-authorization-code",
] as const satisfies readonly CredentialType[];

export const CREDENTIAL_LABELS: Readonly<Record<CredentialType, string>> = {
  "api-key": "API key",
  "oauth-client-credentials": "OAuth: client credentials",
  "oauth-refresh-token": "OAuth: refresh token",
  "oauth-authorization-code": "OAuth: consent in a browser",
};

/** What is typed into the form. Empty fields are omitted from the request. */
export interface CredentialDraft {
  readonly type: CredentialType;
  readonly value: string;
  readonly place: "" | "header" | "query";
  readonly name: string;
  readonly prefix: string;
  readonly tokenUrl: string;
  readonly authorizationUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  readonly scopes: string;
  readonly clientAuthentication: "" | "basic" | "post";
  readonly audience: string;
  readonly resource: string;
  readonly issuer: string;
}

export const EMPTY_DRAFT: CredentialDraft = {
  type: "api-key",
  value: "",
  place: "",
  name: "",
  prefix: "",
  tokenUrl: "",
  authorizationUrl: "",
  clientId: "",
  clientSecret: "",
  refreshToken: "",
  scopes: "",
  clientAuthentication: "",
  audience: "",
  resource: "",
  issuer: "",
};

/** Splits a list that is typed with spaces, commas or line breaks between its items. */
export function splitList(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((item) => item !== "");
}

/** The request for what is typed into the form. */
export function credentialInputOf(draft: CredentialDraft): CredentialInput {
  const { type, value, place, name, prefix } = draft;
  if (type === "api-key") {
    return {
      type,
      value,
      ...(place && { in: place }),
      ...(name && { name }),
      ...(prefix && { prefix }),
    };
  }
  const scopes = splitList(draft.scopes);
  const { tokenUrl, clientId, clientSecret, clientAuthentication, audience, resource } = draft;
  const common = {
    tokenUrl,
    clientId,
    ...(scopes.length > 0 && { scopes: [...scopes] }),
    ...(clientAuthentication && { clientAuthentication }),
    ...(audience && { audience }),
    ...(resource && { resource }),
  };
  switch (type) {
    case "oauth-client-credentials":
      return { type, ...common, clientSecret };
    case "oauth-refresh-token":
      return {
        type,
        ...common,
        refreshToken: draft.refreshToken,
        ...(clientSecret && { clientSecret }),
      };
    case "oauth-authorization-code":
      return {
        type,
        ...common,
        authorizationUrl: draft.authorizationUrl,
        ...(clientSecret && { clientSecret }),
        ...(draft.issuer && { issuer: draft.issuer }),
      };
  }
}
