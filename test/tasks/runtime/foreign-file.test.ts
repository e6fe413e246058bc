import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { fileKey } from "../../../src/tasks/model/files.ts";
import { taskStub } from "../../../src/tasks/task.rpc.ts";
import { get } from "../../support/client.ts";
import { stopClock } from "../../support/tasks.ts";
import { bytesOf, complete, heldTask, upload } from "../workers/fixtures.ts";
import { fileKeysOf } from "../../support/task-state.ts";

beforeAll(stopClock);

it("a deliverable whose key names another task's file is unknown, and the other task's file is not sent", async () => {
  const owner = await heldTask();
  const stored = await upload(owner.id, "private.txt", bytesOf("Private."), {
    "Bosun-Lease": owner.lease,
  });
  expect(stored.status, stored.text).toBe(201);
  const [key] = await fileKeysOf(owner.id);
  if (key === undefined) throw new Error("The file was not stored");

  const { id, lease } = await heldTask();
  const port = taskStub(env.TASKS, id);
  if (!port.ok) throw new Error("The task has no object");
  const own = fileKey(id, { attempt: 1, round: 0 }, "own.txt");
  await env.FILES.put(own, "Own.");
  for (const [name, at] of [
    ["foreign.txt", key],
    ["own.txt", own],
  ] as const) {
    const described = { type: "txt", name, format: "text/plain", size: 8, key: at, createdAt: 0 };
    const viewer = { agentId: null, teamId: null };
    const taken = await port.value.report(viewer, lease, { type: "file", file: described });
    expect(taken.ok).toBe(true);
  }
  expect((await complete(id, lease)).status).toBe(200);
  expect((await get(`/agents/tasks/${id}/deliverables/own.txt`)).text).toBe("Own.");
  const foreign = await get(`/agents/tasks/${id}/deliverables/foreign.txt`);
  expect(foreign.text).not.toContain("Private.");
  expect([foreign.status, foreign.body.error.code]).toEqual([404, "DELIVERABLE_NOT_FOUND"]);
});
