import { expect, it } from "vitest";
import { waitsForever } from "../../scripts/proof/load/manager.ts";
import { FeedState } from "../../scripts/proof/soak/feed-state.ts";
import { NOBODY, WORKER_AGENTS } from "../../scripts/proof/task-requests.ts";

const TASK = { taskId: "task", priority: "low", progress: 0, attempt: 1 } as const;
const DEADLINE = "2026-01-01T00:00:00.000Z";

it("the soak test puts a task into the queue of unattended tasks only when it is assigned to the agent without workers", () => {
  const feedState = new FeedState();
  const at = "2026-01-01T00:00:00.000Z";
  const record = (taskId: string, type: string, data: Record<string, unknown>): void =>
    feedState.record({ taskId, seq: 1, type, at, data });
  record("unattended", "created", { agentId: NOBODY });
  expect(feedState.unattended).toEqual([]);
  record("unattended", "assigned", { agentId: NOBODY });
  record("attended", "assigned", { agentId: WORKER_AGENTS[0] });
  expect(feedState.unattended).toEqual(["unattended"]);
  expect(feedState.asked).toEqual([]);
});

it.each([
  { status: "assigned", agentId: NOBODY, expected: true },
  { status: "assigned", agentId: NOBODY, deadline: DEADLINE, expected: false },
  { status: "assigned", agentId: WORKER_AGENTS[0], expected: false },
  { status: "cancelled", agentId: NOBODY, expected: false },
] as const)(
  "waitsForever is $expected for a task with status $status, agent $agentId and deadline $deadline",
  ({ expected, ...task }) => {
    expect(waitsForever({ ...TASK, ...task })).toBe(expected);
  },
);
