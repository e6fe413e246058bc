import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("the deployment forbids private addresses, enables the platform's guard and sets a resolver", () => {
  const config = readFileSync("wrangler.toml", "utf8");
  expect(config).toMatch(/^ALLOW_PRIVATE_EGRESS = "false"$/m);
  expect(config).toMatch(/^compatibility_flags = \[[^\]]*"global_fetch_strictly_public"[^\]]*\]$/m);
  expect(config).toMatch(/^DNS_RESOLVER_URL = "https:\/\/.+"$/m);
});
