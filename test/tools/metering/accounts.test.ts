import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { dayCostsSql } from "../../../src/tasks/directory/day-costs.store.ts";
import { taskStub } from "../../../src/tasks/task.rpc.ts";
import { USAGE_FIELDS, type UsageGrouping } from "../../../src/tools/model/usage-groups.ts";
import { sumDollars } from "../../../src/kernel/units.ts";
import { getDatabase } from "../../../src/platform/d1/client.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, patch, post } from "../../support/client.ts";
import { expectProblems } from "../../support/expect-errors.ts";
import { keyId, keyWith } from "../../support/keys.ts";
import { Rng } from "../../support/rng.ts";
import { create, passTime, read, stopClock, wake } from "../../support/tasks.ts";
import { claimOne, OUTCOME, report } from "../../tasks/workers/fixtures.ts";

const HOUR_MS = 3_600_000;
const TOOLS = ["text-analyst", "json-workbench"] as const;
const PRICE = 0.25;
const STEPS = 160;

/** What one step used, and for whom. A field is absent if there is none. */
interface Entry {
  readonly day: string;
  readonly agentId?: string | undefined;
  readonly toolId?: string;
  readonly teamId?: string | undefined;
  readonly keyId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly calls: number;
  readonly failed: number;
  readonly cost: number;
  readonly modelCost: number;
  readonly agentCost: number;
  readonly input: number;
  readonly output: number;
}

interface LiveTask {
  readonly id: string;
  readonly lease: string;
  readonly account: Pick<Entry, "agentId" | "teamId" | "keyId" | "labels">;
}

const entries: Entry[] = [];
const tasks: string[] = [];
const NOTHING = { calls: 0, failed: 0, cost: 0, modelCost: 0, agentCost: 0, input: 0, output: 0 };
const today = () => new Date().toISOString().slice(0, 10);
const isLabel = (one: UsageGrouping) => one === "label";

/** Makes random calls and tasks, and records what each of them used. */
async function makeLoad(rng: Rng): Promise<void> {
  const keys = [
    undefined,
    await keyWith(["tools:invoke", "tasks:write"]),
    await keyWith(["tools:invoke", "tasks:write"]),
  ] as const;
  const idOf = (key: string | undefined) => (key === undefined ? "root" : keyId(key));
  const options = (key: string | undefined) => (key === undefined ? {} : { key });
  let live: LiveTask[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    if (rng.oneIn(20)) {
      passTime(rng.between(1, 9) * HOUR_MS);
      live = [];
    }
    const key = rng.pick(keys);
    const task = live[rng.below(live.length)];
    const action = task === undefined ? rng.below(2) : rng.below(8);
    if (action === 0) {
      await call(
        rng,
        { keyId: idOf(key), labels: {}, agentId: rng.pick([undefined, "hired"]) },
        {},
        options(key),
      );
    } else if (action === 1) {
      live.push(await begin(rng, key, idOf(key)));
    } else if (task === undefined) {
      continue;
    } else if (action < 5) {
      await call(rng, task.account, { taskId: task.id }, {});
    } else if (action === 5) {
      const use = {
        inputTokens: rng.below(900),
        outputTokens: rng.below(90),
        cost: rng.below(500) / 1_000,
      };
      await chargeModel(task.id, use);
      const { inputTokens: input, outputTokens: output, cost: modelCost } = use;
      add(task.account, { modelCost, cost: modelCost, input, output });
    } else if (action === 6) {
      const agentCost = rng.below(500) / 1_000;
      const type = { type: "progress", progress: 10, cost: agentCost };
      if ((await report(task.id, task.lease, type)).status === 200)
        add(task.account, { agentCost, cost: agentCost });
    } else {
      const done = rng.pick([OUTCOME, null]);
      const body =
        done === null
          ? { type: "failed", error: { message: "No." } }
          : { type: "completed", ...done };
      const ended = await report(task.id, task.lease, { ...body, cost: 0.125 });
      if (ended.status === 200) add(task.account, { agentCost: 0.125, cost: 0.125 });
      live = live.filter(({ id }) => id !== task.id);
    }
  }
  // A list shows the usage of a task as of its last change other than progress.
  for (const id of tasks) await patch(`/agents/tasks/${id}`, { notes: "Still going." });
}

function add(account: LiveTask["account"], used: Partial<Entry>): void {
  entries.push({ ...NOTHING, day: today(), ...account, ...used });
}

async function begin(rng: Rng, key: string | undefined, creator: string): Promise<LiveTask> {
  const choices: readonly Record<string, string>[] = [
    {},
    { project: "harbour" },
    { project: "wharf", stage: "1" },
  ];
  const labels = choices[rng.below(choices.length)] ?? {};
  const teamId = rng.pick([undefined, "insights", "studio"]);
  const body = {
    task: "Do it",
    agentId: "hired",
    ...(teamId === undefined ? {} : { teamId }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    // Some calls are not covered, so that their reservations are refused or released.
    ...(rng.oneIn(3) ? { budget: { maxToolCalls: 2 } } : {}),
  };
  const created = await post("/agents/tasks", body, key === undefined ? {} : { key });
  if (created.status !== 201) throw new Error(created.text);
  const id: string = created.body.data.taskId;
  await wake(id);
  const claimed = await claimOne("hired", { leaseSeconds: 3_600 });
  tasks.push(id);
  const account = { agentId: "hired", teamId, keyId: creator, labels };
  add(account, { agentCost: 0.01, cost: 0.01 });
  return { id, lease: claimed.lease.token, account };
}

async function call(
  rng: Rng,
  account: LiveTask["account"],
  body: JsonObject,
  options: { key?: string },
): Promise<void> {
  const toolId = rng.pick(TOOLS);
  const isWrong = toolId === "json-workbench" && rng.oneIn(2);
  const parameters =
    toolId === "text-analyst"
      ? { text: "The cellars stand." }
      : { document: isWrong ? "{" : "{}", path: "$" };
  const capability = toolId === "text-analyst" ? "readability" : "query";
  const { agentId } = account;
  const request = {
    capability,
    parameters,
    ...(agentId === undefined ? {} : { agentId }),
    ...body,
  };
  const { status } = await post(`/agents/tools/${toolId}/invoke`, request, options);
  // Calls that a budget or a state forbids are not made.
  if (status === 402 || status === 409) return;
  expect(status).toBe(isWrong ? 400 : 200);
  add(account, { toolId, calls: 1, failed: isWrong ? 1 : 0, cost: isWrong ? 0 : PRICE });
}

async function chargeModel(
  id: string,
  use: { inputTokens: number; outputTokens: number; cost: number },
) {
  const stub = taskStub(env.TASKS, id);
  if (!stub.ok) throw new Error("The task has no object");
  const outcome = { kind: "again", afterMs: 0, failure: null, use } as const;
  await stub.value.endTurn({ openedSeq: 0, number: 1 }, outcome);
}

/** The expected rows: the sums over the entries, or over each label of the entries. */
function expectedRows(
  groupBy: readonly UsageGrouping[],
  isSeen: (entry: Entry) => boolean = () => true,
): string[] {
  const parts = entries.filter(isSeen).flatMap(({ labels, ...entry }) => {
    const texts = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    const split = groupBy.some(isLabel) && texts.length > 0 ? texts : [undefined];
    return split.map((label) => ({ ...entry, label }));
  });
  const groups = Map.groupBy(parts, (part) =>
    JSON.stringify(groupBy.map((one) => part[USAGE_FIELDS[one]] ?? null)),
  );
  const sum = (
    some: readonly Entry[] | readonly (typeof parts)[number][],
    field: keyof typeof NOTHING,
  ) => sumDollars(some.map((one) => one[field]));
  return [...groups]
    .map(([name, some]) =>
      [
        name,
        ...(Object.keys(NOTHING) as (keyof typeof NOTHING)[]).map((field) => sum(some, field)),
      ].join(" "),
    )
    .toSorted();
}

function rowTexts(groupBy: readonly UsageGrouping[], rows: readonly JsonObject[]): string[] {
  return rows
    .map((row) => {
      const name = JSON.stringify(groupBy.map((one) => row[USAGE_FIELDS[one]] ?? null));
      const { calls, failed, cost, modelCost = 0, agentCost = 0 } = row;
      const { input = 0, output = 0 } = (row["tokens"] ?? {}) as {
        input?: number;
        output?: number;
      };
      return [name, calls, failed, cost, modelCost, agentCost, input, output].join(" ");
    })
    .toSorted();
}

async function readAll(query: string): Promise<JsonObject[]> {
  const { status, body, text } = await get(`/agents/usage?from=${first}&${query}`);
  expect(status, text).toBe(200);
  expect(body.data.nextCursor).toBeNull();
  return body.data.usage;
}

let first = "";

beforeAll(async () => {
  stopClock();
  first = today();
  await env.DB.prepare("UPDATE tools SET price_free = 0, price_overage = ?").bind(PRICE).run();
  const executor = { type: "worker", price: { perTask: 0.01 } };
  await post("/agents", { id: "hired", teams: ["insights", "studio"], executor });
  for (const toolId of TOOLS) await post("/agents/tools/access", { agentId: "hired", toolId });
  await makeLoad(new Rng(7));
}, 120_000);

describe("usage after a random load", () => {
  it.each<readonly UsageGrouping[][]>([
    [["day"]],
    [["agent"]],
    [["tool"]],
    [["team"]],
    [["key"]],
    [["label"]],
    [["label", "tool"]],
    [["key", "team", "day"]],
    [["day", "agent", "tool", "team", "key", "label"]],
  ])("the rows by %j are exactly what was used", async (groupBy) => {
    const rows = await readAll(`groupBy=${groupBy.join(",")}`);
    expect(rowTexts(groupBy, rows)).toEqual(expectedRows(groupBy));
  });

  it("the sums equal the meters of the tools and the spend of the tasks", async () => {
    const { total } = (await get(`/agents/usage?from=${first}&groupBy=key`)).body.data;
    const meters = await Promise.all(
      TOOLS.map(async (toolId) => (await get(`/agents/tools/${toolId}/usage`)).body.data.total),
    );
    const spends = (await Promise.all(tasks.map(read))).map(({ spend }) => spend);
    const work = sumDollars([total.modelCost, total.agentCost]);
    expect(sumDollars([total.cost, -work])).toBe(sumDollars(meters.map(({ cost }) => cost)));
    expect(total.calls).toBe(meters.reduce((sum, { calls }) => sum + calls, 0));
    expect(total.failed).toBe(meters.reduce((sum, { failed }) => sum + failed, 0));
    expect(total.failed).toBeGreaterThan(0);
    expect(total.agentCost).toBe(sumDollars(spends.map(({ agentCost }) => agentCost)));
    const tokens = spends.map((spend) => spend.tokens ?? { input: 0, output: 0 });
    expect(total.tokens).toEqual({
      input: tokens.reduce((sum, { input }) => sum + input, 0),
      output: tokens.reduce((sum, { output }) => sum + output, 0),
    });
  });

  it("a CSV file has the same rows", async () => {
    const groupBy = ["team", "label"] as const;
    const { text } = await get(`/agents/usage?from=${first}&groupBy=team,label&format=csv`);
    const [header, ...lines] = text.trimEnd().split("\r\n");
    expect(header).toBe(
      "teamId,label,calls,failed,cost,durationMs,modelCost,agentCost,inputTokens,outputTokens",
    );
    const rows = lines.map((line) => {
      const [teamId, label, calls, failed, cost, , modelCost, agentCost, input, output] =
        line.split(",");
      return [
        JSON.stringify([teamId || null, label || null]),
        calls,
        failed,
        cost,
        modelCost,
        agentCost,
        input,
        output,
      ].join(" ");
    });
    expect(rows.toSorted()).toEqual(expectedRows(groupBy));
  });

  it("the work of models and agents belongs to no tool", async () => {
    const rows = await readAll("groupBy=day&toolId=text-analyst");
    expect(rows.every((row) => row["agentCost"] === undefined && row["tokens"] === undefined)).toBe(
      true,
    );
    const byTool = await readAll("groupBy=tool");
    expect(byTool.filter(({ toolId }) => toolId === undefined)).toMatchObject([{ calls: 0 }]);
  });

  it("a bound key sees the usage of its agent or team, and cannot group by key", async () => {
    const own = await keyWith(["tools:read"], { agentId: "hired" });
    const seen = (await get(`/agents/usage?from=${first}&groupBy=agent`, { key: own })).body.data;
    expect(rowTexts(["agent"], seen.usage)).toEqual(
      expectedRows(["agent"], ({ agentId }) => agentId === "hired"),
    );
    const team = await keyWith(["tools:read"], { teamId: "insights" });
    const ofTeam = (await get(`/agents/usage?from=${first}&groupBy=team`, { key: team })).body.data;
    expect(rowTexts(["team"], ofTeam.usage)).toEqual(
      expectedRows(["team"], (one) => one.agentId === "hired" && one.teamId !== "studio"),
    );
    for (const key of [own, team]) {
      const answer = await get("/agents/usage?groupBy=day,key", { key });
      expectProblems(answer, { groupBy: "must not include key" });
    }
  });

  it("the costs of tasks are found with an index that only tasks with costs are in", async () => {
    const query = { from: first, to: today(), agentIds: null, teamId: null, rowsMax: 10 };
    const plan = await getDatabase(env.DB).all<{ detail: string }>(
      dayCostsSql({ ...query, by: new Set(["day"]) }, true),
    );
    expect(plan.map(({ detail }) => detail).join("\n")).toContain("directory_day_costs");
  });
});

it("a task without costs of models or agents has no entry in the index", async () => {
  const id = await create();
  const row = await env.DB.prepare("SELECT details FROM directory WHERE id = ?")
    .bind(id)
    .first("details");
  expect(String(row)).not.toContain("dayCosts");
});
