import { beforeAll, describe, expect, it } from "vitest";
import { get, post, type Answer } from "../support/client.ts";
import { read, stopClock, taskIn } from "../support/tasks.ts";

/** The names of all fields in a JSON value, at any depth. */
function fieldsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...fieldsOf(inner)]);
}

describe("Versioning", () => {
  let answers: Answer[] = [];

  beforeAll(async () => {
    stopClock();
    const id = await taskIn("completed");
    answers = [
      await get("/agents/tools"),
      await get("/agents/tools/json-workbench"),
      await post("/agents/tasks", { task: "Look around" }),
      await get(`/agents/tasks/${id}`),
      await get(`/agents/tasks/${id}/deliverables`),
    ];
    expect((await read(id)).status).toBe("completed");
  });

  it("paths have no version marker, and paths with one get 404", async () => {
    for (const path of ["/v1/agents/tools", "/agents/v1/tools", "/agents/tools/v1/access"]) {
      expect((await get(path)).status, path).toBe(404);
    }
  });

  it("headers have no version marker", () => {
    const names = answers.flatMap(({ headers }) => [...headers.keys()]);
    expect(names).toContain("x-request-id");
    expect(names.filter((name) => /version/.test(name))).toEqual([]);
  });

  it("payloads have no version marker", () => {
    const fields = answers.flatMap(({ body }) => fieldsOf(body));
    expect(fields).toContain("taskId");
    // A tool's details state the version of the tool, not of the API.
    expect(fields.filter((name) => /version/i.test(name))).toEqual(["version"]);
  });
});
