import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { passTime, read, stopClock, wake } from "../../support/tasks.ts";
import { claimOne, waitingTask, workerAgent } from "../workers/fixtures.ts";
import { taskStub } from "../../../src/tasks/task.rpc.ts";

const EVERYONE = { agentId: null, teamId: null };
const MINUTE_MS = 60_000;

beforeAll(stopClock);

it("a call that was too expensive blocks its own attempt, and not a later one", async () => {
  const agentId = await workerAgent();
  const id = await waitingTask(agentId, { budget: { maxCost: 1 } });
  const stub = taskStub(env.TASKS, id);
  if (!stub.ok) throw new Error("The task has no stub");
  await claimOne(agentId);
  const first = await stub.value.reserveCall(EVERYONE, 0.1, null);
  if (!first.ok) throw new Error("The budget must allow the first call");
  passTime(10 * MINUTE_MS);
  await wake(id);
  passTime(MINUTE_MS);
  await wake(id);
  await claimOne(agentId);
  expect(await stub.value.releaseCall(first.value, true)).not.toBeNull();
  expect(await read(id)).toMatchObject({ status: "in_progress", attempt: 2 });
  const second = await stub.value.reserveCall(EVERYONE, 0.1, null);
  if (!second.ok) throw new Error("The budget must allow the second call");
  expect(await stub.value.releaseCall(second.value, true)).not.toBeNull();
  expect(await read(id)).toMatchObject({ status: "blocked", attempt: 2 });
});
