import { describe, expect, it } from "vitest";
import { post, send } from "../../support/client.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import { read } from "../../support/tasks.ts";
import { eventsOf } from "../../support/task-state.ts";
import { expectRestError, MESSAGE, VERSION } from "./expect-errors.ts";
import {
  ALL_TASKS,
  BINDINGS,
  clientOf,
  dataPart,
  errorNameOf,
  collect,
  message,
  pushConfig,
  sent,
  STATE,
  summarize,
  textOf,
  type BindingName,
} from "./fixtures.ts";

/** A client with a task that failed because its reviewer rejected it. */
async function failing(binding: BindingName) {
  const client = await clientOf(binding);
  const { id } = await sent(client, summarize({ requireReview: true }));
  const bosun = { decision: "reject" };
  const failed = await sent(client, message("Beside the point", { taskId: id, bosun }));
  expect(failed.status?.state).toBe(STATE.failed);
  return { client, failed };
}

describe.each(BINDINGS)("an ended task over %s", (binding) => {
  it("a retry is a new task in the same context, and the old task stays failed", async () => {
    const { client, failed } = await failing(binding);
    const { id: first, contextId } = failed;
    const options = { contextId, more: [dataPart({ requireReview: false })] };
    const second = await sent(client, message("Be brief", options));
    expect(second).toMatchObject({
      id: `${first}-2`,
      contextId,
      status: { state: STATE.completed },
      metadata: { bosun: { taskId: first, attempt: 2 } },
    });
    expect(second.history[0]?.parts.map(({ content }) => content?.value)).toEqual([
      "Summarise the text",
      "Be brief",
    ]);
    expect(await read(first)).toMatchObject({ notes: "Be brief", status: "completed" });
    expect(await client.getTask({ tenant: "", id: first })).toEqual(failed);
    const listed = await client.listTasks({ ...ALL_TASKS, contextId, historyLength: 50 });
    expect(listed.tasks).toEqual([{ ...second, artifacts: [] }, failed]);
    expect(listed.totalSize).toBe(2);
  });

  it("a retry over REST does not reopen an ended A2A task", async () => {
    const { client, failed } = await failing(binding);
    const { id: first } = failed;
    expect((await post(`/agents/tasks/${first}/retry`)).status).toBe(200);
    const ofSecond = { tenant: "", id: `${first}-2`, metadata: undefined };
    await expect
      .poll(async () => (await client.getTask(ofSecond)).status?.state, { timeout: 15_000 })
      .toBe(STATE.inputRequired);
    expect(await client.getTask({ tenant: "", id: first })).toEqual(failed);
    const refused = [
      [
        () => client.cancelTask({ tenant: "", id: first, metadata: undefined }),
        "TaskNotCancelableError",
      ],
      [
        () => collect(client.resubscribeTask({ tenant: "", id: first })),
        "UnsupportedOperationError",
      ],
      [() => sent(client, message("Hello?", { taskId: first })), "UnsupportedOperationError"],
      [() => client.getTask({ tenant: "", id: `${first}-3` }), "TaskNotFoundError"],
    ] as const;
    for (const [work, name] of refused) expect((await errorNameOf(work())).name).toBe(name);
    expect(await client.getTask({ tenant: "", id: first })).toEqual(failed);
    const cancelled = await client.cancelTask(ofSecond);
    expect(cancelled).toMatchObject({ id: `${first}-2`, status: { state: STATE.canceled } });
  });

  it("push configurations of an ended task are created, read, replaced and deleted", async () => {
    const { client, failed } = await failing(binding);
    const { id: taskId } = failed;
    const ofConfig = { tenant: "", taskId, id: "mine" };
    for (const url of ["https://93.184.216.34/", "https://93.184.216.34/other"]) {
      const created = await client.createTaskPushNotificationConfig(
        pushConfig(taskId, url, "mine"),
      );
      expect(created).toMatchObject({ taskId, id: "mine", url });
      expect(await client.getTaskPushNotificationConfig(ofConfig)).toEqual(created);
      const ofTask = { tenant: "", taskId, pageSize: 0, pageToken: "" };
      const { configs } = await client.listTaskPushNotificationConfig(ofTask);
      expect(configs).toEqual([created]);
    }
    await client.deleteTaskPushNotificationConfig(ofConfig);
    expect((await errorNameOf(client.getTaskPushNotificationConfig(ofConfig))).name).toBe(
      "TaskNotFoundError",
    );
  });

  it("a repeated message retries a failed task once", async () => {
    const { client, failed } = await failing(binding);
    const of = message("", {
      contextId: failed.contextId,
      more: [dataPart({ requireReview: false })],
    });
    const [one, other] = [await sent(client, of), await sent(client, of)];
    expect(one.id).toBe(`${failed.id}-2`);
    expect(other).toMatchObject({ id: one.id, status: { state: STATE.completed } });
    expect((await read(failed.id)).attempt).toBe(2);
  });

  it("a bound key cannot reassign a task, and the rejected message changes nothing and can be sent again", async () => {
    const root = await clientOf(binding);
    const key = await keyWith(UNMANAGING, { agentId: "researcher" });
    const client = await clientOf(binding, key);
    const { id } = await sent(client, summarize({ requireReview: true }));
    await sent(root, message("No", { taskId: id, bosun: { decision: "reject" } }));
    const before = await eventsOf(id);
    const more = [dataPart({ requireReview: false })];
    const options = { contextId: id, messageId: crypto.randomUUID(), more };
    const escape = sent(client, message("Again", { ...options, bosun: { reassign: true } }));
    expect((await errorNameOf(escape)).message).toContain("This key is bound to agent researcher");
    const params = {
      message: { ...MESSAGE, contextId: id, metadata: { bosun: { reassign: true } } },
    };
    const rejected = await send("POST", "/a2a/v1/message:send", params, { key, headers: VERSION });
    expectRestError(rejected, { code: -32_000, status: 403, reason: "PERMISSION_DENIED" });
    expect(await eventsOf(id)).toEqual(before);
    expect(await sent(client, message("Again", options))).toMatchObject({ id: `${id}-2` });
    expect((await read(id)).agentId).toBe("researcher");
  });

  it("a message to the context of a completed task creates the next task in the context, once", async () => {
    const client = await clientOf(binding);
    const { id: first, contextId } = await sent(client, summarize());
    const of = summarize({ askFirst: "Which year?" }, { contextId });
    const second = await sent(client, of);
    expect(second.id).not.toBe(first);
    expect(second).toMatchObject({ contextId, status: { state: STATE.inputRequired } });
    expect((await sent(client, of)).id).toBe(second.id);
    const totals = new Set<number>();
    const idsOf = async (pageSize: number) => {
      const ids: string[] = [];
      totals.clear();
      let pageToken = "";
      do {
        const page = await client.listTasks({ ...ALL_TASKS, contextId, pageSize, pageToken });
        ids.push(...page.tasks.map(({ id }) => id));
        totals.add(page.totalSize);
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      return ids;
    };
    await expect.poll(() => idsOf(50)).toEqual([second.id, first]);
    expect(await idsOf(1)).toEqual([second.id, first]);
    expect(totals).toEqual(new Set([2]));
    const answer = message("1702", { taskId: second.id, contextId });
    expect(await sent(client, answer)).toMatchObject({ id: second.id, contextId });
    const invalid = message("", { contextId, more: [dataPart({ a: 1 })] });
    expect((await errorNameOf(sent(client, invalid))).message).toContain("message.parts");
  });

  it("a message to the context of a task that has not ended is rejected", async () => {
    const client = await clientOf(binding);
    const { contextId } = await sent(client, summarize({ askFirst: "Which year?" }));
    expect(await errorNameOf(sent(client, message("Again", { contextId })))).toEqual({
      name: "UnsupportedOperationError",
      message: expect.stringContaining("blocked"),
    });
  });

  it("a repeated message returns the task that it created, not that task's retry", async () => {
    const client = await clientOf(binding);
    const of = summarize({ requireReview: true });
    const { id } = await sent(client, of);
    await sent(client, message("No", { taskId: id, bosun: { decision: "reject" } }));
    await sent(client, message("Again", { contextId: id }), { returnImmediately: true });
    const again = await sent(client, of);
    expect(again).toMatchObject({ id, status: { state: STATE.failed } });
    expect(textOf(again.status?.message)).toBe("No");
  });
});
