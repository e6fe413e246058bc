import { env } from "cloudflare:workers";
import { runLlmTurn } from "../../../../src/executors/llm/turn.ts";
import type { TurnOutcome } from "../../../../src/executors/contract.ts";
import type { AgentSecret, ModelExecutorConfig } from "../../../../src/agents/model/agent.ts";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { createEgress } from "../../../../src/platform/egress/egress.ts";
import { EXECUTOR, TASK_ID, type LlmTurnHarness } from "../../../executors/llm/turn-harness.ts";
import { originOf } from "../../../support/server-tools.ts";

export const SECRET: AgentSecret = { apiKey: "sk-very-secret-0123456789", header: null };

/** Sets the endpoint's responses for a model, one for each request. */
export async function script(model: string, responses: readonly object[]): Promise<void> {
  await fetch(`${originOf("model")}/script/${model}`, {
    method: "PUT",
    body: JSON.stringify(responses),
  });
}

/** Returns the requests that the endpoint has received for a model or misbehaviour. */
export async function requestsOf(
  model: string,
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
): Promise<{ url: string; headers: Record<string, string>; body: any }[]> {
  const response = await fetch(`${originOf("model")}/seen/${model}`);
  const { requests } = await response.json<{
    // oxlint-disable-next-line typescript/no-explicit-any -- as above
    requests: { url: string; headers: Record<string, string>; body: any }[];
  }>();
  return requests;
}

/** Builds a model response with these calls. */
export function calls(...list: readonly [name: string, parameters: JsonObject | string][]) {
  return {
    toolCalls: list.map(([name, parameters]) => ({
      name,
      arguments: typeof parameters === "string" ? parameters : JSON.stringify(parameters),
    })),
  };
}

interface Options {
  readonly executor?: Partial<ModelExecutorConfig>;
  readonly secret?: AgentSecret | null;
  readonly signal?: AbortSignal;
  readonly ai?: Ai | null;
}

/** Runs one turn of a model and records its outcome in the harness's log. */
export async function turn(
  harness: LlmTurnHarness,
  model: string,
  options: Options = {},
): Promise<TurnOutcome> {
  const executor = {
    ...EXECUTOR,
    model,
    baseUrl: `${originOf("model")}/v1`,
    ...options.executor,
  };
  const work = {
    taskId: TASK_ID,
    task: harness.task,
    executor,
    secret: options.secret === undefined ? SECRET : options.secret,
    egress: createEgress(env),
    signal: options.signal ?? new AbortController().signal,
  };
  return harness.take(await runLlmTurn(work, harness.context, options.ai ?? null));
}

/** Runs one turn with an endpoint that misbehaves in this way. */
export function badTurn(
  harness: LlmTurnHarness,
  how: string,
  options: Options = {},
): Promise<TurnOutcome> {
  const executor = { baseUrl: `${originOf("model")}/bad/${how}/v1`, ...options.executor };
  return turn(harness, "bad", { ...options, executor });
}

/** Runs turns until the task is no longer in progress. */
export async function run(
  harness: LlmTurnHarness,
  model: string,
  options: Options = {},
): Promise<string[]> {
  const phases: string[] = [];
  for (let turns = 0; harness.task.status === "in_progress"; turns += 1) {
    if (turns > 30)
      throw new Error(
        `The task is still in progress after ${turns} turns: ${JSON.stringify(phases)}`,
      );
    const outcome = await turn(harness, model, options);
    if (outcome.kind === "again") throw new Error(`The model failed: ${outcome.failure}`);
    phases.push(outcome.kind === "progress" ? outcome.phase : outcome.kind);
  }
  return phases;
}
