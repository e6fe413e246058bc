import type { JsonObject } from "../../../src/kernel/json.ts";
import { post, send, type Answer, type Options } from "../../support/client.ts";
import { create, wake } from "../../support/tasks.ts";
import { sendBytes } from "../../support/raw-request.ts";

let agents = 0;

/** Registers a worker agent and returns its id. */
export async function workerAgent(settings: JsonObject = {}): Promise<string> {
  agents += 1;
  const id = `hands-${agents}`;
  const answer = await post("/agents", { id, executor: { type: "worker" }, ...settings });
  if (answer.status !== 201) throw new Error(`The agent was not registered: ${answer.text}`);
  return id;
}

/** Creates a task that is waiting to be claimed, and returns its id. */
export async function waitingTask(agentId: string, body: JsonObject = {}): Promise<string> {
  const id = await create({ agentId, ...body });
  await wake(id);
  return id;
}

/** A claimed task as its worker receives it. The type is `any` because a test asserts its shape. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
export type Claimed = any;

/** Claims without waiting. */
export async function claim(
  agentId: string,
  body: JsonObject = {},
  options?: Options,
): Promise<Claimed[]> {
  const answer = await post("/agents/tasks/claim", { agentId, waitSeconds: 0, ...body }, options);
  if (answer.status !== 200) throw new Error(`Nothing could be claimed: ${answer.text}`);
  return answer.body.data.tasks;
}

/** Claims the first waiting task. There must be one. */
export async function claimOne(agentId: string, body: JsonObject = {}): Promise<Claimed> {
  const [task] = await claim(agentId, body);
  if (task === undefined) throw new Error(`No task of ${agentId} is waiting to be claimed`);
  return task;
}

/** Creates a task for a new agent and claims it. */
export async function heldTask(
  body: JsonObject = {},
  settings: JsonObject = {},
): Promise<{ agentId: string; id: string; lease: string }> {
  const agentId = await workerAgent(settings);
  const id = await waitingTask(agentId, body);
  const { lease } = await claimOne(agentId);
  return { agentId, id, lease: lease.token };
}

export function report(
  id: string,
  lease: string,
  body: JsonObject,
  options?: Options,
): Promise<Answer> {
  return post(`/agents/tasks/${id}/report`, { lease, ...body }, options);
}

export const OUTCOME = { result: { summary: "It was done." } };

export const complete = (id: string, lease: string): Promise<Answer> =>
  report(id, lease, { type: "completed", ...OUTCOME });

export const sendHeartbeat = (id: string, lease: string): Promise<Answer> =>
  report(id, lease, { type: "heartbeat" });

/** Uploads a file. Sets the Content-Length if the size is known, unless `headers` overrides it. */
export function upload(
  id: string,
  name: string,
  bytes: Uint8Array | ReadableStream | readonly Uint8Array[] | null,
  headers: Readonly<Record<string, string | null>>,
): Promise<Answer> {
  const length = bytes instanceof Uint8Array ? String(bytes.byteLength) : null;
  return sendBytes("PUT", `/agents/tasks/${id}/deliverables/${name}`, bytes, {
    "Content-Type": null,
    "Content-Length": length,
    ...headers,
  });
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Changes an agent's settings. */
export async function setAgent(agentId: string, change: JsonObject): Promise<void> {
  const answer = await send("PATCH", `/agents/${agentId}`, change);
  if (answer.status !== 200) throw new Error(answer.text);
}
