import { expect, it } from "vitest";
import { isSecretName } from "../../src/secrets/secret-name.ts";

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
])("the name %s is the name of a credential", (name) => {
  expect(isSecretName(name)).toBe(true);
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
])("the name %s is not the name of a credential", (name) => {
  expect(isSecretName(name)).toBe(false);
});
