import { env } from "cloudflare:workers";
import type { QueueRpc } from "../../src/agents/queue/queue.rpc.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { post, send, type Answer } from "../support/client.ts";

/** A public address that the guard accepts. No test sends a request to it. */
export const PUBLIC = "https://93.184.216.34/v1";
export const MODEL = { type: "model", model: "m-1", baseUrl: PUBLIC } as const;

/** Registers an agent. Throws if the request fails. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
export async function registerNewAgent(body: JsonObject & { id: string }): Promise<any> {
  const answer = await post("/agents", body);
  if (answer.status !== 201) throw new Error(`The agent was not registered: ${answer.text}`);
  return answer.body.data;
}

export const putTeam = (id: string, body: JsonObject): Promise<Answer> =>
  send("PUT", `/agents/teams/${id}`, body);

/** Counts the rows in a table that refer to an agent or a team. */
export async function rowsOf(table: string, column: string, id: string): Promise<number> {
  const count = `SELECT count(*) AS count FROM ${table} WHERE ${column} = ?`;
  return (await env.DB.prepare(count).bind(id).first<number>("count")) ?? 0;
}

/** A queue namespace whose stubs have only the given methods. */
export function queuesWhere(object: Partial<QueueRpc>): Env["QUEUES"] {
  const queues = { idFromName: (name: string) => name, get: () => object };
  return queues as unknown as Env["QUEUES"];
}
