import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { completeDevVars, valueOf } from "../../scripts/dev-vars.ts";
import { randomSecrets } from "../../scripts/secrets.ts";
import { parseSealKeys } from "../../src/platform/crypto/seal.ts";

const EXAMPLE = readFileSync(".dev.vars.example", "utf8");
const NAMES = ["ROOT_API_KEY", "SIGNING_KEY", "CREDENTIALS_KEY"] as const;
/** Published values from earlier releases, assembled here so that no file contains them. */
const ONLY = ["for", "development", "only"].join("-");
const PUBLISHED = {
  ROOT_API_KEY: `bsn_root_${ONLY}`,
  SIGNING_KEY: `${ONLY}-signing-key`,
  CREDENTIALS_KEY: `dev:${btoa("development-only-credentials-key")}`,
};
const published = Object.entries({ ...PUBLISHED, DOCS_API_KEY: PUBLISHED.ROOT_API_KEY })
  .map(([name, value]) => `# What ${name} is for.\n${name}="${value}"`)
  .join("\n\n");

describe("the first start", () => {
  it("the first start sets every secret to a random value in a form that the Worker accepts", () => {
    const [one, other] = ["a", "b"].map((id) => completeDevVars(null, EXAMPLE, randomSecrets(id)));
    for (const name of NAMES) {
      const value = valueOf(one?.text ?? "", name) ?? "";
      expect(value.length, name).toBeGreaterThan(40);
      expect(value).not.toBe(valueOf(other?.text ?? "", name));
    }
    expect(valueOf(one?.text ?? "", "ROOT_API_KEY")).toMatch(/^bsn_root_[0-9a-f]{64}$/);
    const keys = parseSealKeys(valueOf(one?.text ?? "", "CREDENTIALS_KEY") ?? "");
    expect(keys).toMatchObject({ ok: true, value: { currentId: "a" } });
    expect(one?.changes).toEqual(["Created .dev.vars with random secrets."]);
  });

  it("the first start allows private addresses and accepts only loopback names", () => {
    const { text } = completeDevVars(null, EXAMPLE, randomSecrets("a"));
    expect(valueOf(text, "ALLOW_PRIVATE_EGRESS")).toBe("true");
    expect(valueOf(text, "LOOPBACK_ONLY")).toBe("true");
  });
});

describe("an existing .dev.vars", () => {
  const fresh = randomSecrets("local-1");

  it("a complete .dev.vars is kept byte for byte", () => {
    const { text } = completeDevVars(null, EXAMPLE, randomSecrets("a"));
    expect(completeDevVars(text, EXAMPLE, fresh)).toEqual({ text, changes: [] });
  });

  it("secrets that earlier releases published are replaced, and the changes are listed", () => {
    const { text, changes } = completeDevVars(published, EXAMPLE, fresh);
    expect(valueOf(text, "ROOT_API_KEY")).toBe(fresh.ROOT_API_KEY);
    expect(valueOf(text, "SIGNING_KEY")).toBe(fresh.SIGNING_KEY);
    expect(valueOf(text, "DOCS_API_KEY")).toBe("");
    expect(text).toContain("# What SIGNING_KEY is for.\n");
    expect(text).not.toContain(PUBLISHED.ROOT_API_KEY);
    expect(text).not.toContain(PUBLISHED.SIGNING_KEY);
    expect(changes).toEqual([
      "Added ALLOW_PRIVATE_EGRESS, LOOPBACK_ONLY to .dev.vars.",
      expect.stringMatching(/^Replaced ROOT_API_KEY .*npm run -s key/),
      expect.stringMatching(/^Replaced SIGNING_KEY .*links and list cursors/),
      expect.stringMatching(/^Added a new first key to CREDENTIALS_KEY/),
      expect.stringMatching(/^Cleared DOCS_API_KEY/),
    ]);
    expect(completeDevVars(text, EXAMPLE, randomSecrets("x"))).toEqual({ text, changes: [] });
  });

  it("a new key encrypts, and data encrypted with the published key can still be decrypted", () => {
    const { text } = completeDevVars(published, EXAMPLE, fresh);
    const keys = parseSealKeys(valueOf(text, "CREDENTIALS_KEY") ?? "");
    if (!keys.ok) throw new Error("CREDENTIALS_KEY is malformed");
    expect([keys.value.currentId, ...keys.value.byId.keys()]).toEqual([
      "local-1",
      "local-1",
      "dev",
    ]);
  });

  it.each([
    [`ROOT_API_KEY='${PUBLISHED.ROOT_API_KEY}'`, fresh.ROOT_API_KEY],
    [`ROOT_API_KEY = ${PUBLISHED.ROOT_API_KEY} `, fresh.ROOT_API_KEY],
    ['ROOT_API_KEY=""', fresh.ROOT_API_KEY],
    ["ROOT_API_KEY=", fresh.ROOT_API_KEY],
    ['ROOT_API_KEY="bsn_root_of-my-own"', "bsn_root_of-my-own"],
    ["ROOT_API_KEY = bsn_root_of-my-own", "bsn_root_of-my-own"],
  ])("a .dev.vars with %s gets a new root key only if it has none of its own", (line, expected) => {
    const { text } = completeDevVars(`${line}\n`, EXAMPLE, fresh);
    expect(valueOf(text, "ROOT_API_KEY")).toBe(expected);
    expect(text.match(/^ROOT_API_KEY/gm)).toHaveLength(1);
  });
});

describe("the source", () => {
  const files = [
    ".dev.vars.example",
    "README.md",
    "CONTRIBUTING.md",
    "wrangler.toml",
    "vitest.config.ts",
    ...["src", "scripts", "examples", "docs", "test/support", "test/spec"].flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name)),
    ),
  ];

  it("the source contains no published secret and no other root key or encryption key", () => {
    const found = files.filter((file) => {
      const text = readFileSync(file, "utf8");
      return (
        Object.values(PUBLISHED).some((secret) => text.includes(secret)) ||
        /bsn_root_[A-Za-z0-9]{16}/.test(text) ||
        /[\w.-]:[A-Za-z0-9+/]{43}=(?![\w=])/.test(text)
      );
    });
    expect(files.length).toBeGreaterThan(500);
    expect(found).toEqual([]);
  });

  it.each(NAMES)("the example file names %s without a value", (name) => {
    expect(valueOf(EXAMPLE, name)).toBe("");
  });
});
