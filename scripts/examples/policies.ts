import type { Recorder } from "./recorder.ts";

const ID = "no-large-bookings";

/** Creates, explains, changes and deletes policies. */
export async function recordPolicies(recorder: Recorder): Promise<void> {
  const policy = {
    name: "No large bookings",
    effect: "deny",
    tools: ["harbour/bookBerth"],
    when: { "parameters.nights": { gt: 14 } },
    reason: "Bookings of more than two weeks need the harbour master.",
  };
  await recorder.record("createPolicy", { body: { id: ID, ...policy } });
  const put = {
    parameters: { id: "no-bookings" },
    body: { ...policy, when: null, enabled: false },
  };
  await recorder.record("putPolicy", put);
  await recorder.record("putPolicy", put);
  await recorder.record("getPolicy", { parameters: { id: ID } });
  await recorder.record("listPolicies", { parameters: { limit: 20, offset: 0 } });
  await recorder.record("explainPolicies", {
    parameters: { toolId: "harbour", capability: "bookBerth" },
  });
  await recorder.record("changePolicy", {
    parameters: { id: ID },
    body: { when: { "parameters.nights": { gt: 30 } }, enabled: false },
  });
  await recorder.record("deletePolicy", { parameters: { id: "no-bookings" } });
}

/** Tries out a policy for a tool that a task has called. */
export async function recordSimulation(recorder: Recorder, toolId: string): Promise<void> {
  const to = Date.now();
  await recorder.record("simulatePolicy", {
    body: {
      policy: {
        name: "A person looks",
        effect: "ask",
        tools: [toolId],
        when: { agentId: { eq: "data-analyst" } },
        reason: "A person looks at each call.",
      },
      from: new Date(to - 86_400_000).toISOString(),
      to: new Date(to).toISOString(),
    },
  });
}
