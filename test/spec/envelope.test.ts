import { beforeAll, describe, expect, it } from "vitest";
import { get, post, type Answer } from "../support/client.ts";
import { stopClock, taskIn } from "../support/tasks.ts";

const ENDPOINTS = [
  "List tools",
  "Get tool details",
  "Invoke tool",
  "Get agent tool access",
  "Create task",
  "Get task status",
  "Get task deliverables",
] as const;

const answers = new Map<string, Answer>();
const bodyOf = (endpoint: string) => answers.get(endpoint)?.body;

/** Every endpoint whose response the specification describes. */
describe.each(ENDPOINTS)("Response envelope · %s", (endpoint) => {
  it("a successful response has success: true", () => {
    expect(bodyOf(endpoint).success).toBe(true);
    expect(bodyOf(endpoint)).not.toHaveProperty("error");
  });

  it("the data of a response is an object", () => {
    const { data } = bodyOf(endpoint);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(Object.keys(data).length).toBeGreaterThan(0);
  });

  it("metadata.requestId is unique for each request", () => {
    const { requestId } = bodyOf(endpoint).metadata;
    expect(requestId).toMatch(/^[\w.-]{1,128}$/);
    const others = ENDPOINTS.filter((one) => one !== endpoint).map(bodyOf);
    expect(others.map(({ metadata }) => metadata.requestId)).not.toContain(requestId);
  });

  it("metadata.timestamp is the ISO 8601 date-time of the response", () => {
    expect(bodyOf(endpoint).metadata.timestamp).toBe(new Date().toISOString());
  });

  it("a response has only the members success, data and metadata", () => {
    const body = bodyOf(endpoint);
    expect(Object.keys(body).toSorted()).toEqual(["data", "metadata", "success"]);
    expect(Object.keys(body.metadata).toSorted()).toEqual(["requestId", "timestamp"]);
  });
});

beforeAll(async () => {
  stopClock();
  const id = await taskIn("completed");
  const query = { document: "[1]", path: "$[0]" };
  answers.set("List tools", await get("/agents/tools"));
  answers.set("Get tool details", await get("/agents/tools/table-analyst"));
  answers.set(
    "Invoke tool",
    await post("/agents/tools/json-workbench/invoke", { capability: "query", parameters: query }),
  );
  answers.set("Get agent tool access", await get("/agents/tools/access/researcher"));
  answers.set("Create task", await post("/agents/tasks", { task: "Look around" }));
  answers.set("Get task status", await get(`/agents/tasks/${id}`));
  answers.set("Get task deliverables", await get(`/agents/tasks/${id}/deliverables`));
});
