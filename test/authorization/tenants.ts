import { env } from "cloudflare:workers";
import type { JsonObject } from "../../src/kernel/json.ts";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { post, send, type Answer } from "../support/client.ts";
import { create, wake } from "../support/tasks.ts";
import { HTTP } from "../tools/credentials/fixtures.ts";
import { bytesOf, claim, OUTCOME, report, upload } from "../tasks/workers/fixtures.ts";

/** An agent in its own team, with a grant for one tool. */
export interface Tenant {
  readonly agentId: string;
  readonly teamId: string;
  readonly toolId: string;
  /** A valid call to that tool. */
  readonly call: JsonObject & { readonly capability: string; readonly parameters: JsonObject };
}

/** The tenant whose resources the bound keys may see. */
export const OWN_TENANT: Tenant = {
  agentId: "mate",
  teamId: "deck",
  toolId: "text-analyst",
  call: { capability: "keywords", parameters: { text: "wind and tide" } },
};
/** A tenant whose resources the bound keys must not see. */
export const OTHER_TENANT: Tenant = {
  agentId: "cook",
  teamId: "galley",
  toolId: "json-workbench",
  call: { capability: "query", parameters: { document: "[1]", path: "$[0]" } },
};
export const FILE = "log.txt";

/** Registers both tenants as worker agents, so tests control each step of a task. */
export async function registerTenants(): Promise<void> {
  for (const { agentId, teamId, toolId } of [OWN_TENANT, OTHER_TENANT]) {
    must(await post("/agents", { id: agentId, executor: { type: "worker" } }));
    must(await send("PUT", `/agents/teams/${teamId}`, { agents: [agentId] }));
    must(await post("/agents/tools/access", { agentId, toolId }));
  }
}

export type TaskStage =
  | "pending"
  | "waiting"
  | "held"
  | "blocked"
  | "review"
  | "completed"
  | "failed";

/** Creates a task for a tenant and takes it to a stage. Returns its id and latest lease token. */
export async function taskOf(
  { agentId, teamId }: Tenant,
  stage: TaskStage,
): Promise<{ id: string; lease: string }> {
  const id = await create({ agentId, teamId, task: "Write the log" });
  if (stage === "pending") return { id, lease: "" };
  await wake(id);
  if (stage === "waiting") return { id, lease: "" };
  // The claim also takes tasks that other tests left waiting.
  const claimed = await claim(agentId, { max: 100 });
  const lease: string = claimed.find(({ taskId }) => taskId === id).lease.token;
  const tell = async (body: JsonObject): Promise<void> => must(await report(id, lease, body));
  switch (stage) {
    case "held":
      break;
    case "blocked":
      await tell({ type: "blocked", question: "Which year?" });
      break;
    case "failed":
      await tell({ type: "failed", error: { message: "No wind" } });
      break;
    case "review":
    case "completed":
      must(await upload(id, FILE, bytesOf("Fair wind"), { "Bosun-Lease": lease }));
      await tell({ type: stage, ...OUTCOME });
      break;
  }
  return { id, lease };
}

let createdCount = 0;

/** Returns a unique name. All names with the same prefix have the same length. */
export function uniqueName(prefix: string): string {
  createdCount += 1;
  return `${prefix}-${String(createdCount).padStart(5, "0")}`;
}

/** Registers an HTTP tool that clients can change and retire. */
export async function ownTool(): Promise<string> {
  const id = uniqueName("gear");
  await registerTools(foreignTool(id, { authentication: { type: "oauth", scopes: ["usual"] } }));
  await env.DB.prepare("UPDATE tools SET connector = ? WHERE id = ?")
    .bind(JSON.stringify(HTTP), id)
    .run();
  return id;
}

/**
 * Changes a webhook's URL to a loopback address, which the address guard rejects, so nothing is
 * delivered.
 */
export async function blockWebhooks(webhookId: string): Promise<void> {
  const moved = env.DB.prepare("UPDATE webhooks SET url = 'http://127.0.0.1:9/' WHERE id = ?");
  await moved.bind(webhookId).run();
}

export function must(answer: Answer): void {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
}
