import { onTestFinished, expect, it, vi } from "vitest";
import { sendBytes } from "../support/raw-request.ts";

/** A body that fails halfway, as when a client disconnects. */
function interrupted(text: string): ReadableStream<Uint8Array> {
  const chunks = [new TextEncoder().encode(text)];
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.error(new Error("The client disconnected"));
      else controller.enqueue(chunk);
    },
  });
}

it.each([
  ["with a Content-Length", { "Content-Length": "40" }],
  ["without a Content-Length", {}],
])(
  "a request %s whose client disconnects before the end of the body gets 400, and no error is logged",
  async (_, headers) => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => error.mockRestore());
    const answer = await sendBytes("POST", "/agents/tasks", interrupted('{"task": "Read'), headers);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe("INVALID_JSON");
    expect(answer.body.error.message).toContain("connection closed after");
    expect(error).not.toHaveBeenCalled();
  },
);
