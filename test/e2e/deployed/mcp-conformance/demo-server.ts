import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { createMcpHandler, McpServer, type CallToolResult } from "@modelcontextprotocol/server";
import { closed, listening } from "../http-server.ts";
import type { Proxy } from "./proxy.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const IMAGE = { type: "image", data: PIXEL, mimeType: "image/png" } as const;

/** Tools from the conformance suite's own demo server that need no other MCP feature. */
const RESULTS: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: {
    content: [{ type: "text", text: "This is a simple text response for testing." }],
  },
  test_image_content: { content: [IMAGE] },
  test_audio_content: { content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  },
  test_multiple_content_types: {
    content: [
      { type: "text", text: "Multiple content types test:" },
      IMAGE,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data","value":123}',
        },
      },
    ],
  },
  test_error_handling: {
    isError: true,
    content: [{ type: "text", text: "This tool intentionally returns an error for testing" }],
  },
};

export const DEMO_TOOLS = Object.keys(RESULTS);

/** Starts an external MCP server whose tools the test imports and grants. */
export async function startDemoServer(): Promise<Proxy> {
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: "demo", version: "1" });
    for (const [name, result] of Object.entries(RESULTS)) {
      mcp.registerTool(name, { description: name }, () => result);
    }
    return mcp;
  });
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const { method = "GET", url = "/", headers } = incoming;
      const body = await text(incoming);
      const answer = await handler.fetch(
        new Request(new URL(url, "http://127.0.0.1"), {
          method,
          headers: Object.entries(headers).flatMap(([name, value]) =>
            typeof value === "string" ? [[name, value]] : [],
          ),
          ...(body === "" ? {} : { body }),
        }),
      );
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      outgoing.end(await answer.text());
    })();
  });
  return { origin: await listening(server), stop: () => closed(server) };
}
