import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { patch, post } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { create, passTime, read, stopClock, untilStatus, wake } from "../../support/tasks.ts";
import { eventsOf } from "../../support/task-state.ts";
import { STATEMENT_PROTOTYPE } from "../../support/database-prototypes.ts";

const HOUR_MS = 3_600_000;
const inAnHour = (): string => new Date(Date.now() + HOUR_MS).toISOString();

beforeAll(async () => {
  stopClock();
  await env.DB.prepare("INSERT INTO teams (id, name) VALUES ('pair', 'Pair')").run();
  for (const agentId of ["pair-1", "pair-2"]) {
    const granted = await post("/agents/tools/access", { agentId, toolId: "text-analyst" });
    if (granted.status !== 201) throw new Error(granted.text);
    const join = "INSERT INTO members (team_id, agent_id) VALUES ('pair', ?)";
    await env.DB.prepare(join).bind(agentId).run();
  }
});

/** Holds the first query that the task makes from now on. Resolves `asked` when the query is held. */
function holdFirstQuery(): { readonly asked: Promise<void>; readonly answer: () => void } {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let isFirst = true;
  for (const method of ["run", "all", "raw", "first"]) {
    divert(STATEMENT_PROTOTYPE, method, async (real) => {
      const row = await real();
      if (!isFirst) return row;
      isFirst = false;
      ask();
      await answered;
      return row;
    });
  }
  return { asked, answer };
}

async function assignedAgentsOf(id: string): Promise<string[]> {
  const assigned = (await eventsOf(id)).filter(({ type }) => type === "assigned");
  return assigned.map(({ data }) => data.agentId);
}

it("an agent chosen for one attempt does not get the next one if the task was reassigned in the meantime", async () => {
  const id = await create({
    teamId: "pair",
    agentId: "pair-1",
    deadline: inAnHour(),
    context: { text: "Two wharves." },
  });
  const { asked, answer } = holdFirstQuery();
  // While the agent's row is read for the first attempt, that attempt fails and is retried.
  const waking = wake(id);
  await asked;
  passTime(HOUR_MS);
  expect(await read(id)).toMatchObject({ status: "failed", error: { code: "DEADLINE_EXCEEDED" } });
  expect((await patch(`/agents/tasks/${id}`, { deadline: inAnHour() })).status).toBe(200);
  const retried = await post(`/agents/tasks/${id}/retry`, { reassign: true });
  expect(retried.body.data).toMatchObject({ attempt: 2, agentId: "pair-2" });
  answer();
  await waking;
  await untilStatus(id, "completed");
  expect(await assignedAgentsOf(id)).toEqual(["pair-2"]);
});

it("an agent whose settings are being read does not get the task if a client gives it to another agent", async () => {
  passTime(HOUR_MS);
  const id = await create({ teamId: "pair", agentId: "pair-1", context: { text: "One wharf." } });
  const { asked, answer } = holdFirstQuery();
  const waking = wake(id);
  await asked;
  const given = await patch(`/agents/tasks/${id}`, { agentId: "pair-2" });
  expect(given.body.data).toMatchObject({ status: "pending", agentId: "pair-2" });
  answer();
  await waking;
  await untilStatus(id, "completed");
  expect(await assignedAgentsOf(id)).toEqual(["pair-2"]);
});
