import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as ai from "../../src/executors/llm/sdk/ai.ts";
import { z } from "../../src/executors/llm/sdk/zod-v4.ts";
import * as shims from "../../src/tools/connectors/mcp/sdk/shims.ts";

/** The source file of a package that the bundler uses. */
function sourceOf(name: string, part = ""): string {
  return readFileSync(`node_modules/${name}/dist/${part}index.mjs`, "utf8");
}

describe("the replacements of packages that the AI SDK imports", () => {
  it.each([
    ["@ai-sdk/openai-compatible", ""],
    ["@ai-sdk/anthropic", "internal/"],
    ["@ai-sdk/google", "internal/"],
  ])("the replacement of zod has every method that %s calls", (name, part) => {
    const used = sourceOf(name, part).matchAll(/\bz\d*\.([a-zA-Z]+)\(/g);
    const names = new Set([...used].map(([, method = ""]) => method));
    expect(names.size).toBeGreaterThan(5);
    expect([...names].filter((method) => !Object.hasOwn(z, method))).toEqual([]);
  });

  it("the replacement of ai has every member that workers-ai-provider imports", () => {
    const [, names = ""] =
      /import \{([^}]+)\} from "ai"/.exec(sourceOf("workers-ai-provider")) ?? [];
    const used = names.split(",").map((name) => name.trim());
    expect(used).toContain("generateId");
    expect(used.filter((name) => !Object.hasOwn(ai, name))).toEqual([]);
  });
});

it.each(["client", "server"])(
  "the replacement of the platform has every member that the %s of the MCP SDK uses",
  (half) => {
    const folder = `node_modules/@modelcontextprotocol/${half}/dist`;
    const files = readdirSync(folder).filter((file) => file.endsWith(".mjs"));
    const own = `@modelcontextprotocol/${half}/_shims`;
    const taken = files
      .filter((file) => file !== "stdio.mjs")
      .flatMap((file) => [
        ...readFileSync(`${folder}/${file}`, "utf8").matchAll(/import \{([^}]+)\} from "([^"]+)"/g),
      ])
      .filter(([, , from]) => from === own)
      .flatMap(([, names = ""]) => names.split(",").map((name) => name.trim()));
    expect(taken).toContain("DefaultJsonSchemaValidator");
    expect(taken.filter((name) => !Object.hasOwn(shims, name))).toEqual([]);
  },
);
