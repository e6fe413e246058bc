import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { patch, post, send } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";
import { create, read, stopClock, taskIn } from "../support/tasks.ts";

/** Valid bodies, each with optional fields that it may contain. */
const ENDPOINTS: readonly {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
  readonly optional: readonly string[];
}[] = [
  {
    method: "POST",
    path: "/agents/tasks",
    body: { task: "x" },
    optional: ["agentId", "teamId", "context", "priority", "deadline", "deliverables", "budget"],
  },
  {
    method: "PATCH",
    path: "/agents/tasks/:id",
    body: {},
    optional: ["priority", "deadline", "context", "notes"],
  },
  { method: "POST", path: "/agents/tasks/:id/cancel", body: {}, optional: ["reason"] },
  { method: "POST", path: "/agents/tasks/:id/retry", body: {}, optional: ["reassign", "context"] },
  {
    method: "POST",
    path: "/agents/tasks/:id/review",
    body: { decision: "approve" },
    optional: ["comment"],
  },
  {
    method: "POST",
    path: "/agents/tasks/:id/feedback",
    body: { rating: 3 },
    optional: ["feedback", "issues"],
  },
  {
    method: "POST",
    path: "/agents/tools/access",
    body: { agentId: "null-test", toolId: "json-workbench" },
    optional: ["proficiency", "capabilities"],
  },
  {
    method: "POST",
    path: "/agents/tools/json-workbench/invoke",
    body: { capability: "diff", parameters: { before: "1", after: "2" } },
    optional: ["agentId"],
  },
  {
    method: "POST",
    path: "/agents/keys",
    body: { name: "x", scopes: ["tools:read"] },
    optional: ["agentId", "teamId", "expiresAt"],
  },
];

const CASES = ENDPOINTS.flatMap(({ optional, ...endpoint }) =>
  optional.map((field) => ({ ...endpoint, field })),
);

describe("null for an optional field", () => {
  let id = "";

  beforeAll(async () => {
    stopClock();
    id = await create();
  });

  it.each(CASES)("$method $path rejects null for $field", async ({ method, path, body, field }) => {
    const answer = await send(method, path.replace(":id", id), { ...body, [field]: null });
    expectProblems(answer, { [field]: "got null" });
    expect((await read(id)).status).toBe("pending");
  });

  it("null inside a context is kept as a value when a task is created", async () => {
    const { data } = (await post("/agents/tasks", { task: "x", context: { a: null } })).body;
    expect((await read(data.taskId)).context).toEqual({ a: null });
  });

  it("a missing field and null get different errors", async () => {
    expectProblems(await post("/agents/tasks", { task: null }), {
      task: "must be a string, got null",
    });
    expectProblems(await post("/agents/tasks", {}), { task: "is required: a string" });
  });
});

describe("PATCH", () => {
  it("an empty PATCH is rejected because it changes nothing", async () => {
    const id = await taskIn("pending");
    expectProblems(await patch(`/agents/tasks/${id}`, {}), {
      body: "must contain at least one field: priority, deadline, context, notes, title, labels, externalId, deliverables, budget or agentId",
    });
  });

  it("a PATCH without a body gets 415, because it has no content type", async () => {
    expect((await patch(`/agents/tasks/${await create()}`)).status).toBe(415);
  });
});
