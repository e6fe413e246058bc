import { describe, expect, it } from "vitest";
import { call, EVERYTHING, expectFailure, expectValue } from "../mcp-servers.ts";

const text = (words: string) => ({ type: "text", text: words });

describe("calls to the reference server in its own process", () => {
  it("a call returns the content exactly as the server sent it", async () => {
    const echo = await call(EVERYTHING, "echo", { parameters: { message: "Ahoy, Zoë ⚓" } });
    expect(expectValue(echo)).toEqual({ content: [text("Echo: Ahoy, Zoë ⚓")] });
    const sum = await call(EVERYTHING, "get-sum", { parameters: { a: 2.5, b: -40 } });
    expect(expectValue(sum)).toEqual({ content: [text("The sum of 2.5 and -40 is -37.5.")] });
  });

  it("a call returns a structured result and its text", async () => {
    const parameters = { location: "Chicago" };
    const weather = { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 };
    expect(expectValue(await call(EVERYTHING, "get-structured-content", { parameters }))).toEqual({
      content: [text(JSON.stringify(weather))],
      structuredContent: weather,
    });
  });

  it("a call keeps images, annotations and embedded resources", async () => {
    const parameters = { messageType: "error", includeImage: true };
    const annotated = expectValue(await call(EVERYTHING, "get-annotated-message", { parameters }));
    expect(annotated["content"]).toEqual([
      {
        ...text("Error: Operation failed"),
        annotations: { priority: 1, audience: ["user", "assistant"] },
      },
      {
        type: "image",
        mimeType: "image/png",
        data: expect.stringMatching(/^iVBORw0KGgo[A-Za-z0-9+/]{1000,}=*$/),
        annotations: { priority: 0.5, audience: ["user"] },
      },
    ]);
    const reference = await call(EVERYTHING, "get-resource-reference", {
      parameters: { resourceType: "Text", resourceId: 7 },
    });
    expect(expectValue(reference)["content"]).toEqual([
      text("Returning resource reference for Resource 7:"),
      {
        type: "resource",
        resource: {
          uri: "demo://resource/dynamic/text/7",
          mimeType: "text/plain",
          text: expect.stringContaining("Resource 7: This is a plaintext resource"),
        },
      },
      text("You can access this resource using the URI: demo://resource/dynamic/text/7"),
    ]);
  });

  it("the client offers the server no roots and no sampling", async () => {
    for (const tool of ["get-roots-list", "trigger-sampling-request"]) {
      const failure = expectFailure(
        await call(EVERYTHING, tool, { parameters: { prompt: "Hello" } }),
      );
      expect(failure).toMatchObject({
        kind: "rejected",
        reason: expect.stringContaining("not found"),
      });
    }
  });

  it("a call with invalid parameters fails with the tool's own error", async () => {
    const failure = expectFailure(
      await call(EVERYTHING, "get-sum", { parameters: { a: "1", b: 2 } }),
    );
    const reason = expect.stringContaining("expected number, received string at a");
    expect(failure).toEqual({
      kind: "rejected",
      reason,
      details: { content: [{ type: "text", text: reason }] },
    });
  });

  it("the error for a call to a removed tool says to import the server again", async () => {
    expect(expectFailure(await call(EVERYTHING, "get-product"))).toMatchObject({
      kind: "rejected",
      reason:
        "MCP error -32602: Tool get-product not found (Import the server again to update its tools.)",
    });
  });

  it("a call ends at its deadline while another call completes", async () => {
    const parameters = { duration: 60, steps: 2 };
    const startedAt = Date.now();
    const long = call(EVERYTHING, "trigger-long-running-operation", { parameters, timeoutMs: 700 });
    const echo = await call(EVERYTHING, "echo", { parameters: { message: "still here" } });
    expect(expectValue(echo)).toEqual({ content: [text("Echo: still here")] });
    expect(expectFailure(await long)).toMatchObject({ kind: "timeout", timeoutMs: 700 });
    expect(Date.now() - startedAt).toBeLessThan(5_000);
  });

  it("a call waits for a long operation that reports progress", async () => {
    const parameters = { duration: 1, steps: 4 };
    const outcome = await call(EVERYTHING, "trigger-long-running-operation", { parameters });
    expect(expectValue(outcome)).toEqual({
      content: [text("Long running operation completed. Duration: 1 seconds, Steps: 4.")],
    });
  });
});
