import type { Agent } from "../../agents/rows.ts";
import { listAgents } from "../../agents/store.ts";
import { sha256 } from "../../bytes/sha256.ts";
import { database } from "../../db/client.ts";
import type { JsonObject } from "../../domain/json.ts";
import { A2A_CARD_AGE_SECONDS_MAX, A2A_SKILLS_MAX } from "../../domain/limits.ts";
import { OURSELVES } from "../../domain/ourselves.ts";
import type { Door } from "./door.ts";
import { VERSION } from "./enter.ts";
import { REST_ROOT, RPC_PATH } from "./paths.ts";
import { MEDIA_TYPES } from "./said.ts";

const ETAG_CHARACTERS = 32;

const DESCRIPTION =
  "Takes tasks and has them carried out by agents, under deadlines and budgets. A message becomes a task; who is to do it, and what is to be delivered, can be said in metadata.bosun.";
const OUTPUTS = [
  ...MEDIA_TYPES,
  "text/html",
  "image/svg+xml",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
];

/** What everybody may know: that tasks are taken. Who works here is for those who hold a key. */
const ANY_TASK: JsonObject = {
  id: "task",
  name: "Task",
  description: "Carries out a task that is described in words, with what it needs to read.",
  tags: ["tasks"],
};

/** The agent card (section 8), which needs no key: one agent for the whole service. */
export async function publicCard(origin: string) {
  const body = JSON.stringify(cardOf(origin, [ANY_TASK]));
  const headers = {
    "Content-Type": "application/json",
    "Cache-Control": `public, max-age=${A2A_CARD_AGE_SECONDS_MAX}`,
    ETag: `"${(await sha256(body)).slice(0, ETAG_CHARACTERS)}"`,
  };
  return { body, headers };
}

/** The same for who holds a key: with a skill for each agent that it may give tasks to. */
export async function extendedCard({ env, key, origin }: Door): Promise<JsonObject> {
  const filter = {
    enabled: true,
    teamId: undefined,
    executor: undefined,
    search: undefined,
    ids: key.agentIds,
  };
  const page = { limit: A2A_SKILLS_MAX, offset: 0 };
  const { agents } = await listAgents(database(env.DB), filter, page);
  return cardOf(origin, [ANY_TASK, ...agents.map(skillOf)]);
}

function cardOf(origin: string, skills: JsonObject[]): JsonObject {
  const bound = { protocolVersion: VERSION };
  return {
    name: "Bosun",
    description: DESCRIPTION,
    version: OURSELVES.version,
    supportedInterfaces: [
      { url: `${origin}${RPC_PATH}`, protocolBinding: "JSONRPC", ...bound },
      { url: `${origin}${REST_ROOT}`, protocolBinding: "HTTP+JSON", ...bound },
    ],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    securitySchemes: {
      key: {
        httpAuthSecurityScheme: {
          scheme: "Bearer",
          description: "An API key with the scopes tasks:read and tasks:write.",
        },
      },
    },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
    defaultInputModes: [...MEDIA_TYPES],
    defaultOutputModes: OUTPUTS,
    skills,
  };
}

/** A skill is an agent: its id is what `metadata.bosun.agentId` may name. */
function skillOf({ id, name, description, skills }: Agent): JsonObject {
  return {
    id,
    name,
    description: description === "" ? `Work for the agent ${name}.` : description,
    tags: skills.length === 0 ? [id] : [...skills],
  };
}
