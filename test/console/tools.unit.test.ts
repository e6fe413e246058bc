import { describe, expect, it } from "vitest";
import { credentialInputOf, EMPTY_DRAFT } from "../../console/src/tools/credential-input.ts";
import { untilBreakerChange } from "../../console/src/tools/breaker.ts";
import { agentTotals, dailyTotals } from "../../console/src/tools/daily-usage.ts";
import { readToolFilters, readToolPageState } from "../../console/src/tools/filters.ts";
import { EMPTY_IMPORT, importBodyOf, suggestId } from "../../console/src/tools/import-input.ts";
import { partsOf } from "../../console/src/tools/result-content.ts";
import {
  changesOrigin,
  draftOf,
  formatHeaders,
  parseHeaders,
  toolChangesOf,
} from "../../console/src/tools/tool-changes.ts";
import { Rng } from "../support/rng.ts";

const CASES = 300;

describe("usage by day", () => {
  it("has every day once, and loses no call and no cost", () => {
    for (let seed = 0; seed < CASES; seed += 1) {
      const rng = new Rng(seed);
      const first = Date.UTC(2026, rng.below(12), rng.between(1, 28));
      const length = rng.between(1, 400);
      const dayAt = (index: number): string =>
        new Date(first + index * 86_400_000).toISOString().slice(0, 10);
      const days = Array.from({ length: rng.below(40) }, () => ({
        day: dayAt(rng.below(length)),
        calls: rng.between(1, 9),
        failed: rng.below(2),
        cost: rng.below(100),
        duration: "1ms",
        ...(rng.oneIn(2) && { agentId: rng.pick(["a", "b"]) }),
      }));
      const usage = {
        toolId: "t",
        from: dayAt(0),
        to: dayAt(length - 1),
        total: { calls: 0, failed: 0, cost: 0, duration: "0ms" },
        days,
        recentCalls: [],
        breaker: { state: "closed" } as const,
      };
      const daily = dailyTotals(usage);
      expect(daily.map(({ day }) => day)).toEqual(Array.from({ length }, (_, i) => dayAt(i)));
      for (const totals of [daily, agentTotals(usage)]) {
        for (const name of ["calls", "failed", "cost"] as const) {
          const sum = (list: readonly Record<typeof name, number>[]): number =>
            list.reduce((total, one) => total + one[name], 0);
          expect(sum(totals)).toBe(sum(days));
        }
      }
    }
  });
});

describe("the result of a call", () => {
  it.each([
    [
      "a PNG of an HTTP response",
      { status: 200, body: "iVBORw0=", contentType: "image/png", encoding: "base64" },
      ["image"],
    ],
    [
      "an SVG of a built-in tool",
      { svg: "<svg xmlns='…'><script>alert(1)</script></svg>" },
      ["image"],
    ],
    [
      "text and an image of an MCP server",
      {
        content: [
          { type: "text", text: "hi" },
          { type: "image", data: "AAAA", mimeType: "image/webp" },
        ],
      },
      ["text", "image"],
    ],
    ["HTML, as text", { status: 200, body: "<b>hi</b>", contentType: "text/html" }, ["text"]],
    ["the beginning of an oversized result", { oversized: true, preview: "{", size: 9 }, ["text"]],
  ])("shows %s", (_, result, kinds) => {
    expect(partsOf(result).map(({ kind }) => kind)).toEqual(kinds);
  });

  it("never makes a link of anything but an image", () => {
    for (const [body, contentType] of [
      ["PHNjcmlwdD4=", "text/html"],
      ['AAAA" onerror="alert(1)', "image/png"],
      ["AAAA", "image/png,text/html"],
    ]) {
      const result = { status: 200, body, contentType, encoding: "base64" };
      expect(partsOf(result).every(({ kind }) => kind !== "image")).toBe(true);
    }
    const [part] = partsOf({ svg: "<svg>\ud800</svg>" });
    expect(part?.kind === "image" && part.src).toMatch(
      /^data:image\/svg\+xml;charset=utf-8,%3Csvg/,
    );
  });
});

describe("the settings of a tool", () => {
  const tool = {
    id: "pets",
    name: "Pets",
    category: "data",
    description: "",
    documentation: "",
    authentication: { type: "oauth", scopes: ["read", "write"] },
    rateLimit: { requests: 10, period: "hour" },
    pricing: { model: "usage", free: 0, overage: 0.5 },
    version: 3,
    totalCapabilities: 0,
    capabilities: [],
    agents: [],
    connector: {
      type: "http",
      baseUrl: "https://pets.example.com/v1",
      headers: { Accept: "a:b" },
      timeoutMs: 10_000,
      credential: { in: "header", name: "X-Key", prefix: "" },
    },
  } satisfies Parameters<typeof draftOf>[0];

  it("send nothing that has not changed", () => {
    expect(toolChangesOf(tool, draftOf(tool))).toEqual({});
  });

  it("send only what has changed", () => {
    const draft = draftOf(tool);
    expect(toolChangesOf(tool, { ...draft, overage: "1" })).toEqual({
      pricing: { free: 0, overage: 1 },
    });
    expect(toolChangesOf(tool, { ...draft, credentialIn: "" })).toEqual({
      connector: { credential: null },
    });
    expect(toolChangesOf(tool, { ...draft, authenticationType: "none" })).toEqual({
      authentication: { type: "none", scopes: [] },
    });
  });

  it("warn only if the origin changes", () => {
    const draft = draftOf(tool);
    expect(changesOrigin(tool, { ...draft, address: "https://pets.example.com/v2" })).toBe(false);
    expect(changesOrigin(tool, { ...draft, address: "https://other.example.com" })).toBe(true);
    expect(changesOrigin(tool, { ...draft, address: "https:/" })).toBe(false);
  });

  it("read back the headers that they show", () => {
    for (let seed = 0; seed < CASES; seed += 1) {
      const rng = new Rng(seed);
      const headers = Object.fromEntries(
        Array.from({ length: rng.below(5) }, (_, index) => [
          `X-${index}`,
          rng.pick(["", "a", "a: b", "https://x"]),
        ]),
      );
      expect(parseHeaders(formatHeaders(headers))).toEqual(headers);
    }
  });
});

describe("the URL of the tools", () => {
  it("ignores what is unknown or invalid", () => {
    expect(readToolFilters({ category: "other", search: 5 })).toEqual({ search: "5" });
    expect(readToolPageState({ tab: "x", days: 8, capability: null })).toEqual({});
    const state = { tab: "usage", capability: "c", search: "s", days: 7 } as const;
    expect(readToolPageState({ ...state })).toEqual(state);
  });
});

describe("an import", () => {
  it("sends one source and no empty field", () => {
    const draft = { ...EMPTY_IMPORT, id: " pets ", url: "https://a.example.com" };
    expect(importBodyOf(draft)).toEqual({ id: "pets", openapi: { url: "https://a.example.com" } });
    expect(importBodyOf({ ...draft, kind: "file", document: "{}", tags: "a, b" })).toEqual({
      id: "pets",
      openapi: { document: "{}" },
      only: { tags: ["a", "b"] },
    });
    expect(importBodyOf({ ...draft, kind: "mcp", apiKey: "k", everything: true })).toEqual({
      id: "pets",
      mcp: { url: "https://a.example.com" },
      credentials: { type: "api-key", value: "k" },
      only: "all",
    });
  });

  it.each([
    ["https://api.github.com/openapi.json", "github"],
    ["https://mcp.example.com/mcp", "example"],
    ["https://127.0.0.1/", ""],
    ["not a URL", ""],
  ])("suggests an id for %s", (url, id) => {
    expect(suggestId(url)).toBe(id);
  });
});

describe("credentials", () => {
  it("omit what is empty, and what another type uses", () => {
    const draft = {
      ...EMPTY_DRAFT,
      value: "secret",
      tokenUrl: "https://a.example.com",
      clientId: "c",
      scopes: "a  b",
    };
    expect(credentialInputOf(draft)).toEqual({ type: "api-key", value: "secret" });
    expect(credentialInputOf({ ...draft, type: "oauth-refresh-token", refreshToken: "r" })).toEqual(
      {
        type: "oauth-refresh-token",
        tokenUrl: "https://a.example.com",
        clientId: "c",
        scopes: ["a", "b"],
        refreshToken: "r",
      },
    );
  });
});

describe("the time until an open breaker changes", () => {
  const now = Date.parse("2026-11-21T12:00:00.000Z");
  const until = (seconds: number) => new Date(now + seconds * 1_000).toISOString();

  it("is the first end of an open breaker, and none if none is open", () => {
    const agentBreakers = [
      { agentId: "one", state: "open" as const, until: until(20) },
      { agentId: "two", state: "half-open" as const },
    ];
    expect(untilBreakerChange({ breaker: { state: "closed" } }, now)).toBe(false);
    expect(untilBreakerChange({ breaker: { state: "half-open" } }, now)).toBe(false);
    const open = { state: "open" as const, until: until(30) };
    expect(untilBreakerChange({ breaker: open }, now)).toBe(30_000);
    expect(untilBreakerChange({ breaker: open, agentBreakers }, now)).toBe(20_000);
    expect(untilBreakerChange({ breaker: { state: "closed" }, agentBreakers }, now)).toBe(20_000);
  });

  it("is at least two seconds, also if the clocks differ", () => {
    const breaker = { state: "open" as const, until: until(-60) };
    expect(untilBreakerChange({ breaker }, now)).toBe(2_000);
  });
});
