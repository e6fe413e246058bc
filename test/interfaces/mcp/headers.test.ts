import { beforeAll, describe, expect, it } from "vitest";
import { stopClock } from "../../support/tasks.ts";
import { META, MODERN, modern, call, LIST, ask, expectRpcError } from "./raw-client.ts";

beforeAll(stopClock);

describe("headers", () => {
  it.each([
    ["text/event-stream", 406],
    ["application/json;q=0", 406],
    ["text/html", 406],
    ["application/json, text/event-stream", 200],
    ["application/json", 200],
    ["*/*", 200],
  ])("a request with Accept: %s gets %d", async (Accept, status) => {
    const answer = await ask(LIST, { Accept });
    if (status === 200) expect(answer.headers.get("Content-Type")).toMatch(/^application\/json/);
    else expectRpcError(answer, status, -32_000);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "text/event-stream", "json"])(
    "a body with Content-Type: %s gets 415",
    async (type) => {
      expectRpcError(await ask(LIST, { "Content-Type": type }), 415, -32_000);
    },
  );

  it("a body with Content-Encoding gets 415", async () => {
    expectRpcError(await ask(LIST, { "Content-Encoding": "gzip" }), 415, -32_000);
  });

  it.each([
    ["an unknown revision", LIST, { "MCP-Protocol-Version": "1999-01-01" }, 400, -32_022],
    [
      "a revision older than Streamable HTTP",
      LIST,
      { "MCP-Protocol-Version": "2024-11-05" },
      400,
      -32_022,
    ],
    ["text that is not a revision", LIST, { "MCP-Protocol-Version": "newest" }, 400, -32_602],
    ["a future revision", LIST, { "MCP-Protocol-Version": "2031-01-01" }, 400, -32_602],
    ["2026-07-28 without its envelope", LIST, MODERN, 400, -32_602],
    ["2026-07-28 in the body alone", modern("tools/list"), {}, 400, -32_020],
    [
      "another revision in the body",
      modern(
        "tools/list",
        {},
        { ...META, "io.modelcontextprotocol/protocolVersion": "2031-01-01" },
      ),
      MODERN,
      400,
      -32_020,
    ],
    [
      "a future revision in header and body",
      modern(
        "tools/list",
        {},
        { ...META, "io.modelcontextprotocol/protocolVersion": "2031-01-01" },
      ),
      { ...MODERN, "MCP-Protocol-Version": "2031-01-01" },
      400,
      -32_022,
    ],
    [
      "an earlier revision in header and envelope",
      modern(
        "tools/list",
        {},
        { ...META, "io.modelcontextprotocol/protocolVersion": "2025-11-25" },
      ),
      { ...MODERN, "MCP-Protocol-Version": "2025-11-25" },
      400,
      -32_022,
    ],
  ])("an invalid MCP-Protocol-Version is rejected: %s", async (_, body, headers, status, code) => {
    expectRpcError(await ask(body, headers), status, code, 7);
  });

  it.each([
    [LIST, { "MCP-Protocol-Version": "1999-01-01" }, "1999-01-01"],
    [
      modern(
        "tools/list",
        {},
        { ...META, "io.modelcontextprotocol/protocolVersion": "2031-01-01" },
      ),
      { ...MODERN, "MCP-Protocol-Version": "2031-01-01" },
      "2031-01-01",
    ],
  ])(
    "the error for an unknown revision lists the revisions that server/discover returns",
    async (body, headers, requested) => {
      const discovered = await ask(modern("server/discover"), {
        ...MODERN,
        "Mcp-Method": "server/discover",
      });
      const { supportedVersions } = discovered.body.result;
      expect(supportedVersions).toContain("2026-07-28");
      const refused = await ask(body, headers);
      expect(refused.body.error.data).toEqual({ supported: supportedVersions, requested });
    },
  );

  it.each([
    ["no Mcp-Method", modern("tools/list"), { "MCP-Protocol-Version": "2026-07-28" }],
    ["another Mcp-Method", modern("tools/list"), { ...MODERN, "Mcp-Method": "tools/call" }],
    ["no Mcp-Name", modern("tools/call", call("x")), { ...MODERN, "Mcp-Method": "tools/call" }],
    [
      "another Mcp-Name",
      modern("tools/call", call("x")),
      { ...MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "y" },
    ],
    [
      "an Mcp-Name in broken base64",
      modern("tools/call", call("x")),
      { ...MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?eA=?=" },
    ],
  ])("a request of 2026-07-28 with %s is rejected as a mismatch", async (_, body, headers) => {
    expectRpcError(await ask(body, headers), 400, -32_020, 7);
  });

  it("the header Mcp-Name can be encoded in base64", async () => {
    const name = "smørrebrød";
    const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(name)));
    const headers = { ...MODERN, "Mcp-Method": "tools/call", "Mcp-Name": `=?base64?${encoded}?=` };
    const answer = await ask(modern("tools/call", call(name)), headers);
    expectRpcError(answer, 200, -32_602, 7);
    expect(answer.body.error.message).toContain(name);
  });
});
