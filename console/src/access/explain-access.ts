import { api, dataOf, type Schemas } from "../api/client.ts";

export interface Question {
  readonly agentId: string;
  readonly toolId: string;
  readonly capability: string;
}

export type Explanation = Schemas["AccessExplanation"];

/** Whether an agent may use a capability, and why. Fails if one of the three does not exist. */
export function explainAccess(question: Question): Promise<Explanation> {
  return dataOf(api.GET("/agents/access/explain", { params: { query: { ...question } } }));
}
