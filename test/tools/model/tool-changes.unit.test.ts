import { describe, expect, it } from "vitest";
import type { RegisteredTool, StoredCapability } from "../../../src/tools/model/tool.ts";
import {
  hasChanges,
  diffTools,
  type ToolWithCapabilities,
} from "../../../src/tools/model/tool-changes.ts";

const TOOL: RegisteredTool = {
  id: "t",
  name: "Tool",
  category: "data",
  description: "",
  documentation: "",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 1, period: "hour" },
  pricing: { model: "usage", free: 0, overage: 0 },
  connector: {
    type: "http",
    baseUrl: "https://api.example.com/v1",
    headers: {},
    timeoutMs: 10_000,
    credential: null,
  },
  source: null,
  version: 1,
  createdBy: null,
};

function capability(id: string, description = "", baseUrl?: string): StoredCapability {
  const request = { method: "GET" as const, path: `/${id}`, baseUrl };
  return { id, name: id, description, parameters: [], operation: { type: "http", request } };
}

function whole(ids: string, changes: Partial<RegisteredTool> = {}): ToolWithCapabilities {
  return { tool: { ...TOOL, ...changes }, capabilities: ids.split("").map((id) => capability(id)) };
}

describe("the changes between two versions of a tool", () => {
  it("every capability of a new tool counts as added", () => {
    expect(diffTools(null, whole("ab"))).toEqual({
      fields: [],
      added: ["a", "b"],
      changed: [],
      moved: [],
      removed: [],
      unchanged: 0,
      newOrigins: [],
    });
  });

  it("two equal tools have no changes, regardless of their versions and key order", () => {
    const turned = { ...whole("ab", { version: 7 }), capabilities: whole("ab").capabilities };
    const connector = Object.fromEntries(Object.entries(TOOL.connector).toReversed());
    const changes = diffTools(whole("ab"), {
      ...turned,
      tool: { ...turned.tool, connector: { ...TOOL.connector, ...connector } },
    });
    expect(hasChanges(changes)).toBe(false);
    expect(changes.unchanged).toBe(2);
  });

  it("a capability that only changes its position counts as moved, not as changed", () => {
    expect(diffTools(whole("abcd"), whole("bcd"))).toMatchObject({
      added: [],
      changed: [],
      moved: ["b", "c", "d"],
      removed: ["a"],
      unchanged: 0,
    });
  });

  it("the changes name the fields and capabilities that differ", () => {
    const after = {
      ...whole("a", { name: "Other" }),
      capabilities: [capability("a", "new words")],
    };
    expect(diffTools(whole("a"), after)).toMatchObject({ fields: ["name"], changed: ["a"] });
  });

  it("the changes list new origins of the tool and of single requests", () => {
    const connector = { ...TOOL.connector, baseUrl: "https://api.example.com/v2" };
    expect(diffTools(whole("a"), whole("a", { connector })).newOrigins).toEqual([]);
    const moved = { ...TOOL.connector, baseUrl: "https://other.example.com" };
    const after = whole("a", { connector: moved });
    expect(diffTools(whole("a"), after).newOrigins).toEqual(["https://other.example.com"]);
    const stray = { tool: TOOL, capabilities: [capability("a", "", "https://x.example.com/u")] };
    expect(diffTools(whole("a"), stray).newOrigins).toEqual(["https://x.example.com"]);
    expect(diffTools(stray, whole("a")).newOrigins).toEqual([]);
  });
});
