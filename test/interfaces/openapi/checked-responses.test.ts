import { describe, expect, it } from "vitest";
import { get, patch, post } from "../../support/client.ts";
import { expectDocumented, countCheckedExchanges } from "../../support/documented-responses.ts";
import { sendBytes } from "../../support/raw-request.ts";

describe("the check of every response of the tests", () => {
  it("responses with data, errors and unknown routes are checked", async () => {
    const before = countCheckedExchanges();
    expect((await get("/agents/tools")).status).toBe(200);
    expect((await get("/agents/tools", { key: null })).status).toBe(401);
    expect((await post("/agents/tasks", { task: "" })).status).toBe(400);
    expect((await patch("/agents/tools", {})).status).toBe(405);
    expect((await get("/agents/nobody/nowhere")).status).toBe(404);
    expect((await sendBytes("POST", "/agents/tasks", new Uint8Array([255]))).status).toBe(400);
    expect(countCheckedExchanges() - before).toBe(6);
  });

  it("a response that does not match the document fails its test", async () => {
    const answer = await get("/health");
    const exchange = { method: "GET", path: "/health", ...answer };
    expect(() => expectDocumented(exchange)).not.toThrow();
    const text = JSON.stringify({ ...answer.body, weather: "fair" });
    expect(() => expectDocumented({ ...exchange, text })).toThrow(
      /GET \/health → 200 does not match/,
    );
  });
});
