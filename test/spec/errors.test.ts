import { beforeAll, describe, expect, it } from "vitest";
import { jsonWorkbench } from "../../src/builtin/tools/json-workbench/definition.ts";
import { registerTools } from "../support/catalogue.ts";
import { get, post } from "../support/client.ts";
import { passTime, read, stopClock, taskIn } from "../support/tasks.ts";

describe("Errors", () => {
  beforeAll(stopClock);

  it("after RATE_LIMIT_EXCEEDED the client waits and can try again", async () => {
    await registerTools({ ...jsonWorkbench, rateLimit: { requests: 2, period: "minute" } });
    const body = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
    const invoke = () => post("/agents/tools/json-workbench/invoke", body);
    expect([(await invoke()).status, (await invoke()).status]).toEqual([200, 200]);
    passTime(20_000);
    const refused = await invoke();
    expect([refused.status, refused.body.error.code]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(refused.body.error.retryable).toBe(true);
    expect(refused.headers.get("Retry-After")).toBe("40");
    passTime(40_000);
    expect((await invoke()).status).toBe(200);
  });

  it("after AUTHENTICATION_FAILED the client can authenticate again", async () => {
    const refused = await get("/agents/tools", { key: "bsn_forgotten" });
    expect([refused.status, refused.body.error.code]).toEqual([401, "AUTHENTICATION_FAILED"]);
    expect((await get("/agents/tools")).status).toBe(200);
  });

  it("an error has its code in the field code", async () => {
    const { body } = await get("/agents/tools/sextant");
    expect(body).toEqual({
      success: false,
      error: { code: "TOOL_NOT_FOUND", message: expect.any(String), retryable: false },
      metadata: { requestId: expect.any(String), timestamp: expect.any(String) },
    });
  });

  it("a failed task has an error field in its status response", async () => {
    const { error } = await read(await taskIn("failed"));
    expect(error).toMatchObject({ code: "REVIEW_REJECTED", retryable: true, attempt: 1 });
    expect(error.message).toMatch(/\S/);
  });
});
