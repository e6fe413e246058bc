import { runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, it } from "vitest";
import type { TaskObject } from "../../../src/tasks/runtime/task.object.ts";
import { ALARM_RETRIES_MAX } from "../../../src/tasks/limits.ts";
import { objectOf } from "../../support/task-state.ts";
import { passTime, read, stopClock, taskIn } from "../../support/tasks.ts";

beforeAll(stopClock);

/** Runs the alarm as Cloudflare does after the object has crashed in every earlier run. */
function runAfterCrashes(taskId: string): Promise<void> {
  const stub: DurableObjectStub<TaskObject> = objectOf(taskId) as DurableObjectStub<TaskObject>;
  const retryCount = ALARM_RETRIES_MAX + 1;
  return runInDurableObject(stub, (task) =>
    task.alarm({ retryCount, isRetry: true, scheduledTime: Date.now() }),
  );
}

it("a task whose step crashes the object repeatedly fails", async () => {
  const id = await taskIn("in_progress");
  passTime(1_000);
  await runAfterCrashes(id);
  expect(await read(id)).toMatchObject({ status: "failed", error: { code: "INTERNAL_ERROR" } });
});

it("a task in review keeps its outcome if the object crashes repeatedly while it publishes", async () => {
  const id = await taskIn("review");
  await runAfterCrashes(id);
  expect((await read(id)).status).toBe("review");
});
