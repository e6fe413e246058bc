import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { post } from "./client.ts";

/** How a model answers that is done. */
export const DONE = {
  response: "",
  tool_calls: [{ name: "finish", arguments: { summary: "Two wharves." } }],
};

const MODEL = { type: "model", provider: "workers-ai", model: "@cf/meta/test" };

/** Registers an agent whose turns a model of Workers AI does. */
export async function modelAgent(id: string): Promise<void> {
  expect((await post("/agents", { id, executor: MODEL })).status).toBe(201);
}

/** Stands in for Workers AI, which has no local runtime. Answers how to take it away again. */
export function provideAi(run: (model: string, inputs: object) => Promise<object>): () => void {
  Object.assign(env, { AI: { run } });
  return () => void Reflect.deleteProperty(env, "AI");
}
