/** What a body of credentials holds, by field; which of them go with which `type` is told there. */
export const CREDENTIAL_FIELDS: Readonly<Record<string, string>> = {
  type: "`api-key`: a secret that goes along as it is. `oauth-client-credentials`: the client gets its tokens by itself. `oauth-refresh-token`: a grant exists already. `oauth-authorization-code`: a person gives consent in a browser, by way of `connect`.",
  value: "Of `api-key`: the secret. It is never shown again.",
  in: "Of `api-key`: the part of the request it goes into. Needed where the tool does not say.",
  name: "Of `api-key`: name of the header or the query parameter. With nothing said anywhere, the secret goes as `Authorization: Bearer <value>`.",
  prefix:
    "Of `api-key`: what stands before the secret in the header, with a space at its end where one is wanted.",
  tokenUrl: "Of all OAuth types: the token endpoint. The guard judges it, and it must be https.",
  clientId: "Of all OAuth types: the client's id at the authorization server.",
  clientSecret:
    "Of all OAuth types: the client's secret, which is never shown again. Needed for client credentials; left out for a public client.",
  clientAuthentication:
    "Of all OAuth types: whether the client's secret goes into the header (`basic`, the default) or into the body (`post`).",
  scopes:
    "Of all OAuth types: what is asked for. Left out: the scopes that the tool needs; with a refresh token, those it has.",
  audience: "Of all OAuth types: the audience to ask for, where the server wants one.",
  resource: "Of all OAuth types: the resource to ask for (RFC 8707), where the server wants one.",
  refreshToken: "Of `oauth-refresh-token`: the token. It is never shown again.",
  authorizationUrl:
    "Of `oauth-authorization-code`: where consent is given. Parameters in its query are kept, such as Google's `access_type=offline`.",
  issuer:
    "Of `oauth-authorization-code`: who must have answered (RFC 9207), where that is not of the origin of `authorizationUrl`.",
};
