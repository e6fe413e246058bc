import type { Recorder } from "./recorder.ts";

export const WORKER_AGENT = "word-counter";
const TEAM = "night-shift";

/** Registers the example agents and their team. */
export async function recordAgents(recorder: Recorder): Promise<void> {
  await recorder.send("registerAgent", {
    body: {
      id: WORKER_AGENT,
      name: "Word counter",
      skills: ["counting words"],
      executor: { type: "worker" },
    },
  });
  await recorder.record("registerAgent", {
    body: {
      id: "reader",
      name: "Reader",
      skills: ["reading", "summary"],
      executor: {
        type: "model",
        model: "gpt-5-mini",
        baseUrl: "http://127.0.0.1:11434/v1",
        apiKey: "sk-not-a-real-key",
        instructions: "Write for people who are in a hurry.",
        prices: { inputPerMillion: 0.25, outputPerMillion: 2 },
      },
    },
  });
  const team = {
    parameters: { teamId: TEAM },
    body: { name: "Night shift", agents: [WORKER_AGENT, "reader"] },
  };
  await recorder.record("putTeam", team);
  await recorder.record("putTeam", team);
  await recorder.record("getTeam", { parameters: { teamId: TEAM } });
  await recorder.record("listTeams", { parameters: { limit: 20, offset: 0 } });
}

/** Changes and deletes an agent and deletes its team, after all their tasks have ended. */
export async function recordEndOfAgents(recorder: Recorder): Promise<void> {
  const agent = { agentId: WORKER_AGENT };
  await recorder.record("getAgent", { parameters: agent });
  await recorder.record("updateAgent", {
    parameters: agent,
    body: {
      maxConcurrentTasks: 5,
      requireReview: true,
      executor: { type: "worker", price: { perTask: 0.05, perMinute: 0.1 } },
    },
  });
  await recorder.record("listAgents", {
    parameters: {
      teamId: TEAM,
      executor: "worker",
      enabled: "true",
      search: "count",
      limit: 20,
      offset: 0,
    },
  });
  await recorder.record("pauseAgent", {
    parameters: agent,
    body: { reason: "It counts the same words again and again." },
  });
  await recorder.record("resumeAgent", { parameters: agent });
  await recorder.record("pauseAllAgents", { body: { reason: "A credential has leaked." } });
  await recorder.record("resumeAllAgents", {});
  await recorder.record("deleteAgent", { parameters: agent });
  await recorder.record("deleteTeam", { parameters: { teamId: TEAM } });
}

/**
 * Creates, changes and revokes keys. `hook` is the URL of a webhook that one of the keys creates before it is revoked.
 */
export async function recordKeys(recorder: Recorder, hook: string): Promise<void> {
  const { data: created } = await recorder.record<{ id: string; key: string }>("createKey", {
    body: {
      name: "the data analyst’s own",
      scopes: ["tools:read", "tools:invoke", "tasks:read"],
      agentId: "data-analyst",
      expiresAt: "2030-12-31T23:59:59Z",
    },
  });
  await recorder.record("listKeys", { parameters: { limit: 20, offset: 0 } });
  await recorder.record("changeKey", {
    parameters: { id: created.id },
    body: { limits: { requestsPerMinute: 600, openStreams: null } },
  });
  await recordSessions(recorder, created.key);
  const scopes = ["tasks:read", "webhooks:manage", "keys:manage"];
  const lead = await recorder.send<{ id: string; key: string }>("createKey", {
    body: { name: "the lead of the night shift", scopes },
  });
  const { key } = lead;
  await recorder.send("createKey", { key, body: { name: "nightly", scopes: ["tasks:read"] } });
  await recorder.send("createWebhook", { key, body: { url: hook, description: "the dashboard" } });
  await recorder.record("revokeKey", { parameters: { id: lead.id, cascade: "true" } });
}

/** Signs in with a key as the console does, and ends the sessions. */
async function recordSessions(recorder: Recorder, apiKey: string): Promise<void> {
  const { headers } = await recorder.record("signIn", {
    key: null,
    body: { apiKey },
  });
  const [cookie = ""] = (headers.get("Set-Cookie") ?? "").split(";");
  await recorder.record("getIdentity", {
    key: null,
    headers: { Cookie: cookie, Origin: recorder.origin },
  });
  const other = await recorder.send<{ session: { sessionId: string } }>("signIn", {
    key: null,
    body: { apiKey },
  });
  await recorder.record("listSessions", { parameters: { limit: 20, offset: 0 } });
  await recorder.record("endSession", { parameters: { id: other.session.sessionId } });
  await recorder.record("signOut", {
    key: null,
    headers: {
      Cookie: cookie,
      Origin: recorder.origin,
      "Content-Type": "application/json",
      "X-Bosun-Console": "1",
    },
  });
  await recorder.record("endSessions", { parameters: { keys: "all" } });
}
