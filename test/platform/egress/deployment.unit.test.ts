import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("what is deployed has the guard closed, and the platform's own guard behind it", () => {
  const config = readFileSync("wrangler.toml", "utf8");
  expect(config).toMatch(/^ALLOW_PRIVATE_EGRESS = "false"$/m);
  expect(config).toMatch(/^compatibility_flags = \[.*"global_fetch_strictly_public".*\]$/m);
  expect(config).toMatch(/^DNS_RESOLVER_URL = "https:\/\/.+"$/m);
});
