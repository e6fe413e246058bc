import type { Missing } from "../domain/failure.ts";
import { shown } from "../domain/problem.ts";
import { refusal, type WireFailure } from "./refusal.ts";

/** What was named is not there, or not for this key to see. */
export function notFound(what: Missing, id: string): WireFailure {
  return refusal(404, CODES[what], sentence(what, id));
}

const CODES: Readonly<Record<Missing, string>> = {
  route: "NOT_FOUND",
  tool: "TOOL_NOT_FOUND",
  capability: "CAPABILITY_NOT_FOUND",
  agent: "AGENT_NOT_FOUND",
  team: "TEAM_NOT_FOUND",
  task: "TASK_NOT_FOUND",
  access: "ACCESS_NOT_FOUND",
  deliverable: "DELIVERABLE_NOT_FOUND",
  key: "KEY_NOT_FOUND",
  result: "RESULT_NOT_FOUND",
  credentials: "CREDENTIALS_NOT_FOUND",
  webhook: "WEBHOOK_NOT_FOUND",
  delivery: "DELIVERY_NOT_FOUND",
};

function sentence(what: Missing, id: string): string {
  if (what === "route") return `There is nothing at ${shown(id)}.`;
  if (what === "credentials") {
    return `Tool ${shown(id)} has no credentials; give it some with PUT /agents/tools/${id}/credentials.`;
  }
  return `There is no ${what} ${shown(id)}.`;
}
