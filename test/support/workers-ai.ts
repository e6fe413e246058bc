import { env } from "cloudflare:workers";
import { expect, onTestFinished } from "vitest";
import { post } from "./client.ts";

/** A model response that finishes the task. */
export const DONE = {
  response: "",
  tool_calls: [{ name: "finish", arguments: { summary: "Two wharves." } }],
};

const MODEL = { type: "model", provider: "workers-ai", model: "@cf/meta/test" };

/** Registers an agent whose turns run on a Workers AI model. */
export async function modelAgent(id: string): Promise<void> {
  expect((await post("/agents", { id, executor: MODEL })).status).toBe(201);
}

/** Replaces Workers AI, which has no local runtime. Returns a function that removes the fake. */
export function provideAi(run: (model: string, inputs: object) => Promise<object>): () => void {
  Object.assign(env, { AI: { run } });
  return () => void Reflect.deleteProperty(env, "AI");
}

/**
 * Lets the model summarise `$context.text` in its first turn and finish in its second. Returns the requests, to which
 * each turn adds one.
 */
export function provideSummarisingAi(): readonly object[] {
  const requests: object[] = [];
  const takeAway = provideAi(async (_model, inputs) => {
    requests.push(inputs);
    if (requests.length > 1) return DONE;
    const call = { name: "text-analyst__summarise", arguments: { text: "$context.text" } };
    return { response: "", tool_calls: [call] };
  });
  onTestFinished(takeAway);
  return requests;
}
