import { expect, it } from "vitest";
import { isCredentialName, mayBeCredentialName } from "../../src/kernel/credential-name.ts";

it.each([
  "Authorization",
  "Proxy-Authorization",
  "Cookie",
  "X-API-Key",
  "api_key",
  "apikey",
  "PRIVATE-TOKEN",
  "X-Vault-Token",
  "X-Amz-Security-Token",
  "X-Auth",
  "X-Auth-Key",
  "X-Auth-Token",
  "Ocp-Apim-Subscription-Key",
  "subscription-key",
  "subscriptionKey",
  "x-functions-key",
  "access_token",
  "client_secret",
  "x-signature",
  "key",
  "sig",
  "code",
  "auth",
  "jwt",
  "X-JWT",
  "X-JWT-Assertion",
  "X-Amz-Signature",
  "X-Amz-Credential",
  "accessToken",
  "clientSecret",
  "apiSecretKey",
  "X-Authorization",
  "cf-aig-authorization",
  "X-Credentials",
  "X-Pass",
  "X-Bearer",
  "X-Session-Id",
  "sessionid",
  "passphrase",
  "pwd",
  "passWord",
  "sas",
])("the name %s is the name of a credential", (name) => {
  expect(isCredentialName(name)).toBe(true);
});

it.each([
  "page_token",
  "next_token",
  "max_tokens",
  "sort-key",
  "partition_key",
  "Idempotency-Key",
  "keys",
  "country-code",
  "postcode",
  "design",
  "author",
  "api-version",
  "X-GitHub-Api-Version",
  "region",
  "tier",
  "X-Team",
  "keyspace",
  "authors",
])("the name %s is not the name of a credential", (name) => {
  expect(isCredentialName(name)).toBe(false);
});

it.each(["hf_token", "bot_token", "webhook_key", "Helicone-Auth", "clientsecret", "XApiKey"])(
  "the name %s may be the name of a credential",
  (name) => {
    expect(mayBeCredentialName(name)).toBe(true);
  },
);

it.each(["api-version", "region", "X-Team", "keyspace", "max_tokens", "author"])(
  "the name %s is certainly not the name of a credential",
  (name) => {
    expect(mayBeCredentialName(name)).toBe(false);
  },
);
