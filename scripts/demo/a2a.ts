import { TaskState, taskStateToJSON } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { startExample } from "../local.ts";
import { call } from "./client.ts";
import { ENDED, follow } from "./follow.ts";

export const TITLE = "a remote agent works on a task over A2A.";

const QUESTION = "Who are the figures for?";
const TEXT = `The harbour of Bergen was rebuilt in 1702.
Fire had taken the wooden wharf, and with it the stores of a whole winter.
Merchants paid for stone cellars, and the cellars still stand.`;

const POLL_MS = 100;
const PATIENCE_MS = 20_000;
const EVERYTHING = {
  tenant: "",
  contextId: "",
  pageSize: undefined,
  pageToken: "",
  historyLength: undefined,
  statusTimestampAfter: undefined,
  includeArtifacts: undefined,
};

interface Agent {
  readonly id: string;
  readonly name: string;
  readonly skills: readonly string[];
}

interface Deliverable {
  readonly name: string;
  readonly downloadUrl: string;
}

/** Registers an A2A agent from its card, answers its question and shows its files. Then cancels a second task. */
export async function demo(origin: string): Promise<number> {
  const remote = await startExample("a2a-agent");
  try {
    const cardUrl = `${remote.origin}/.well-known/agent-card.json`;
    const agent = await call<Agent>(origin, "POST", "/agents", {
      id: "remote",
      executor: { type: "a2a", cardUrl },
    });
    console.log(`Registered ${agent.name} (${agent.skills.join(", ")}) from its agent card.\n`);
    const { taskId } = await call<{ taskId: string }>(origin, "POST", "/agents/tasks", {
      task: "Count the words and find the longest lines",
      agentId: agent.id,
      context: { text: TEXT, askFirst: QUESTION, slowMs: 3_000 },
    });
    const asking = await follow(origin, taskId, ["blocked", ...ENDED]);
    if (asking.blocked === undefined) return unexpected(asking.status);
    console.log(`\nThe agent asks: ${asking.blocked.question}\nAnswer: For a school book.\n`);
    await call(origin, "POST", `/agents/tasks/${taskId}/respond`, {
      response: "For a school book.",
    });
    const task = await follow(origin, taskId, ENDED);
    if (task.status !== "completed") return unexpected(task.status, task.error?.message);
    console.log(`\n${task.result?.summary}\n`);
    await showFiles(origin, taskId);
    return await cancelled(origin, agent.id, remote.origin);
  } finally {
    await remote.stop();
  }
}

async function showFiles(origin: string, taskId: string): Promise<void> {
  const path = `/agents/tasks/${taskId}/deliverables`;
  const { deliverables } = await call<{ deliverables: Deliverable[] }>(origin, "GET", path);
  for (const { name, downloadUrl } of deliverables) {
    const text = await (await fetch(downloadUrl)).text();
    console.log(`${name}\n${text.trim().replaceAll(/^/gm, "  ")}\n`);
  }
}

/** Cancels a task and checks that the A2A agent has cancelled it too. */
async function cancelled(origin: string, agentId: string, remoteOrigin: string): Promise<number> {
  const { taskId } = await call<{ taskId: string }>(origin, "POST", "/agents/tasks", {
    task: "Count very slowly",
    agentId,
    context: { text: TEXT, slowMs: 60_000 },
  });
  await follow(origin, taskId, ["in_progress", ...ENDED]);
  await untilRemoteState(remoteOrigin, TaskState.TASK_STATE_WORKING);
  await call(origin, "POST", `/agents/tasks/${taskId}/cancel`, { reason: "No longer needed" });
  const { status } = await follow(origin, taskId, ENDED);
  await untilRemoteState(remoteOrigin, TaskState.TASK_STATE_CANCELED);
  console.log(
    `\nA second task was cancelled while the agent worked on it. Bosun shows it as ${status}, and the agent as canceled.`,
  );
  return status === "cancelled" ? 0 : unexpected(status);
}

/** Polls the A2A agent until one of its tasks has the given state. */
async function untilRemoteState(remoteOrigin: string, state: TaskState): Promise<void> {
  const client = await new ClientFactory().createFromUrl(remoteOrigin);
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUpAt) {
    const { tasks } = await client.listTasks({ ...EVERYTHING, status: state });
    if (tasks.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(
    `None of the agent's tasks reached the state ${taskStateToJSON(state)} within ${PATIENCE_MS / 1_000} s`,
  );
}

function unexpected(status: string, message = "an unexpected status"): number {
  console.error(`\nThe task is ${status}: ${message}`);
  return 1;
}
