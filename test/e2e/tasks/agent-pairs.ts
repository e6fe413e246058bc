import { expect } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { post, send } from "../../support/client.ts";
import { originOf } from "../../support/server-tools.ts";

export const TEXT =
  "The harbour of Bergen was rebuilt in 1702. Fire had taken the wooden wharf. Merchants paid for stone cellars.";

export type Kind = "builtin" | "model" | "a2a" | "worker";

/** A team of two agents with the same executor type. The first agent's second task fails. */
export interface AgentPair {
  readonly teamId: string;
  readonly first: string;
  readonly second: string;
}

/** Registers a pair of agents that both require a review. */
export async function registerAgentPair(kind: Kind): Promise<AgentPair> {
  const teamId = `journey-${kind}`;
  const [first, second] = [`${kind}-one`, `${kind}-two`];
  const team = { name: `Journey of ${kind}`, agents: [] };
  expect((await send("PUT", `/agents/teams/${teamId}`, team)).status).toBe(201);
  for (const [place, id] of [first, second].entries()) {
    const executor = await executorOf(kind, id, place === 0);
    const body = { id, teams: [teamId], requireReview: true, executor };
    expect(await post("/agents", body)).toMatchObject({ status: 201 });
    const grant = { agentId: id, toolId: "text-analyst", proficiency: "expert" };
    expect(await post("/agents/tools/access", grant)).toMatchObject({ status: 201 });
  }
  return { teamId, first, second };
}

async function executorOf(kind: Kind, id: string, isFirst: boolean): Promise<JsonObject> {
  switch (kind) {
    case "builtin":
    case "worker":
      return { type: kind };
    case "a2a":
      return { type: kind, cardUrl: `${originOf("a2a")}/.well-known/agent-card.json` };
    case "model":
      await script(id, isFirst ? [REFUSAL] : []);
      return { type: kind, model: id, baseUrl: `${originOf("model")}/v1`, apiKey: "sk-journey" };
  }
}

/** A model endpoint's response that makes the task fail. */
const REFUSAL = { error: { message: "This model is out of service" }, status: 400 };

/**
 * Sets a model's responses: the model summarises a text, writes a file and finishes, and then
 * returns the responses in `after`.
 */
async function script(model: string, after: readonly object[]): Promise<void> {
  const summarise = { text: "$context.text", sentences: 1 };
  const file = { name: "report.md", type: "report", content: "# Bergen\n\nRebuilt in 1702." };
  const answers = [
    ["text-analyst__summarise", summarise],
    ["deliver_file", file],
    [
      "finish",
      { summary: "Bergen's harbour was rebuilt in 1702.", insights: ["A fire came first."] },
    ],
  ].map(([name, parameters]) => ({
    toolCalls: [{ name, arguments: JSON.stringify(parameters) }],
  }));
  await fetch(`${originOf("model")}/script/${model}`, {
    method: "PUT",
    body: JSON.stringify([...answers, ...after]),
  });
}

/** Runs a test worker, which claims tasks and works on them until `signal` aborts. */
export async function workAs(agentId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const claimed = await post("/agents/tasks/claim", { agentId, waitSeconds: 0.5 });
    expect(claimed.status).toBe(200);
    for (const task of claimed.body.data.tasks) await workOn(task);
  }
}

interface Claimed {
  readonly taskId: string;
  readonly attempt: number;
  readonly context: { readonly text: string; readonly askFirst?: string; readonly fail?: boolean };
  readonly answers: readonly object[];
  readonly lease: { readonly token: string };
}

async function workOn({ taskId, attempt, context, answers, lease }: Claimed): Promise<void> {
  const path = `/agents/tasks/${taskId}`;
  const report = (body: JsonObject) => post(`${path}/report`, { lease: lease.token, ...body });
  const { askFirst: question, text } = context;
  if (context.fail === true && attempt === 1) {
    await report({ type: "failed", error: { message: "This worker fails on purpose." } });
  } else if (question !== undefined && answers.length === 0) {
    await report({ type: "blocked", question });
  } else {
    const words = text.split(" ").length;
    await report({ type: "progress", progress: 50, phase: "counting" });
    await send("PUT", `${path}/deliverables/report.md`, `# ${words} words`, {
      headers: {
        "Bosun-Lease": lease.token,
        "Content-Type": "text/markdown",
        "Content-Length": `${`# ${words} words`.length}`,
      },
    });
    await report({ type: "completed", result: { summary: `There are ${words} words.` } });
  }
}
