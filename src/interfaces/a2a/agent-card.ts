import type { Agent } from "../../agents/model/agent.ts";
import { listEnabledAgents } from "../../agents/read-agent.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { A2A_CARD_AGE_SECONDS_MAX } from "./limits.ts";
import { A2A_SKILLS_MAX } from "../../executors/a2a/limits.ts";
import { SERVICE_INFO } from "../../kernel/service-info.ts";
import { AgentCard } from "@a2a-js/sdk";
import type { A2aCallContext } from "./call-context.ts";
import { A2A_REST_ROOT, A2A_RPC_PATH } from "./paths.ts";
import { INPUT_MEDIA_TYPES } from "./parse-message.ts";

const ETAG_CHARACTERS = 32;

const DESCRIPTION =
  "Assigns tasks to agents, with deadlines and budgets. A message becomes a task; metadata.bosun can specify the agent and the deliverables.";
const OUTPUT_MEDIA_TYPES = [
  ...INPUT_MEDIA_TYPES,
  "text/html",
  "image/svg+xml",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
];

/** The only public skill. Reading the agents' skills requires a key. */
const ANY_TASK_SKILL: JsonObject = {
  id: "task",
  name: "Task",
  description: "Performs a task described in text, with optional input.",
  tags: ["tasks"],
};

/** The public agent card (section 8), which presents the whole service as one agent. */
export async function buildPublicAgentCard(origin: string) {
  const body = JSON.stringify(buildAgentCard(origin));
  const headers = {
    "Content-Type": "application/json",
    "Cache-Control": `public, max-age=${A2A_CARD_AGE_SECONDS_MAX}`,
    ETag: `"${(await sha256Hex(body)).slice(0, ETAG_CHARACTERS)}"`,
  };
  return { body, headers };
}

/** The extended agent card, with one skill for each enabled agent that the key may use, up to A2A_SKILLS_MAX. */
export async function buildExtendedAgentCard({
  env,
  key,
  origin,
}: A2aCallContext): Promise<AgentCard> {
  const agents = await listEnabledAgents(env, key.agentIds, A2A_SKILLS_MAX);
  return AgentCard.fromJSON(buildAgentCard(origin, [ANY_TASK_SKILL, ...agents.map(toAgentSkill)]));
}

/** An A2A 1.0 agent card that also has the fields that 0.3 clients need. */
export function buildAgentCard(
  origin: string,
  skills: JsonObject[] = [ANY_TASK_SKILL],
): JsonObject {
  const rpc = { url: `${origin}${A2A_RPC_PATH}`, protocolBinding: "JSONRPC" };
  const rest = { url: `${origin}${A2A_REST_ROOT}`, protocolBinding: "HTTP+JSON" };
  const keyScheme = {
    scheme: "Bearer",
    description: "A key with the scopes tasks:read and tasks:write.",
  };
  return {
    // Only 0.3 clients read these fields.
    url: rpc.url,
    preferredTransport: "JSONRPC",
    protocolVersion: "0.3.0",
    additionalInterfaces: [{ url: rpc.url, transport: "JSONRPC" }],
    supportsAuthenticatedExtendedCard: true,
    security: [{ key: [] }],
    // The A2A 1.0 fields. 0.3 clients also read some of them.
    name: "Bosun",
    description: DESCRIPTION,
    version: SERVICE_INFO.version,
    supportedInterfaces: [
      { ...rpc, protocolVersion: "1.0" },
      { ...rest, protocolVersion: "1.0" },
      { ...rpc, protocolVersion: "0.3" },
    ],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    // 1.0 clients read the inner scheme; 0.3 clients read the outer fields.
    securitySchemes: { key: { httpAuthSecurityScheme: keyScheme, type: "http", ...keyScheme } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
    defaultInputModes: [...INPUT_MEDIA_TYPES],
    defaultOutputModes: OUTPUT_MEDIA_TYPES,
    skills,
  };
}

/** An agent as a skill. The skill's id is the agent's id, so it is valid as `metadata.bosun.agentId`. */
function toAgentSkill({ id, name, description, skills }: Agent): JsonObject {
  return {
    id,
    name,
    description: description === "" ? `Assigns the task to ${name}.` : description,
    tags: skills.length === 0 ? [id] : [...skills],
  };
}
