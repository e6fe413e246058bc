import { beforeAll, describe, expect, it } from "vitest";
import { keyWith } from "../../support/keys.ts";
import {
  ALL_TASKS,
  BINDINGS,
  clientOf,
  errorNameOf,
  collect,
  message,
  pushConfig,
  sent,
  STATE,
  summarize,
} from "./fixtures.ts";

const SCOPES = ["tasks:read", "tasks:write"] as const;
let researcher: string;
let insights: string;
let storyteller: string;

beforeAll(async () => {
  researcher = await keyWith(SCOPES, { agentId: "researcher" });
  insights = await keyWith(SCOPES, { teamId: "insights" });
  storyteller = await keyWith(SCOPES, { agentId: "storyteller" });
});

describe.each(BINDINGS)("the visibility of tasks over %s", (binding) => {
  it("a task is visible to keys of its agent and team, and other keys get the error for an unknown task", async () => {
    const owner = await clientOf(binding);
    const bosun = { agentId: "researcher", teamId: "insights" };
    const { id } = await sent(owner, summarize({ askFirst: "Which year?" }, { bosun }));
    const config = pushConfig(id, "https://93.184.216.34/", "c");
    const ofTask = { tenant: "", id, metadata: undefined };
    const ofConfig = { tenant: "", taskId: id, id: "c" };
    const stranger = await clientOf(binding, storyteller);
    const works = [
      () => stranger.getTask(ofTask),
      () => stranger.cancelTask(ofTask),
      () => collect(stranger.resubscribeTask(ofTask)),
      () => sent(stranger, message("1702", { taskId: id })),
      () => stranger.createTaskPushNotificationConfig(config),
      () => stranger.getTaskPushNotificationConfig(ofConfig),
      () => stranger.listTaskPushNotificationConfig({ ...ofConfig, pageSize: 0, pageToken: "" }),
      () => stranger.deleteTaskPushNotificationConfig(ofConfig),
    ];
    const unknown = await errorNameOf(stranger.getTask({ tenant: "", id: "b".repeat(64) }));
    for (const work of works) {
      const error = await errorNameOf(work());
      // The error is the same as for a task that never existed.
      expect(error).toEqual({ ...unknown, message: unknown.message.replace("b".repeat(64), id) });
    }
    expect((await errorNameOf(sent(stranger, message("Again", { contextId: id })))).name).toBe(
      "RequestMalformedError",
    );
    const seen = (await stranger.listTasks(ALL_TASKS)).tasks.map((task) => task.id);
    expect(seen).not.toContain(id);
    expect((await stranger.listTasks({ ...ALL_TASKS, contextId: id })).tasks).toEqual([]);
    for (const key of [researcher, insights]) {
      const own = await clientOf(binding, key);
      expect((await own.getTask(ofTask)).status?.state).toBe(STATE.inputRequired);
      expect((await own.listTasks(ALL_TASKS)).tasks.map((task) => task.id)).toContain(id);
    }
    const own = await clientOf(binding, researcher);
    const done = await sent(own, message("1702", { taskId: id }));
    expect(done.status?.state).toBe(STATE.completed);
  });

  it("a bound key creates tasks only for its own agent", async () => {
    const own = await clientOf(binding, researcher);
    const task = await sent(own, summarize());
    expect(task.metadata).toMatchObject({ bosun: { agentId: "researcher" } });
    const bosun = { agentId: "storyteller" };
    const error = await errorNameOf(sent(own, summarize({}, { bosun })));
    expect(error.message).toContain("bound to agent researcher");
  });

  it("two keys can create two tasks with the same message id", async () => {
    const [one, other] = [
      await clientOf(binding, researcher),
      await clientOf(binding, storyteller),
    ];
    const of = summarize();
    const tasks = [await sent(one, of), await sent(other, of)];
    expect(tasks[0]?.id).not.toBe(tasks[1]?.id);
  });
});
