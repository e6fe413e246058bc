import { beforeAll, describe, expect, it } from "vitest";
import type { ListTasksRequest, Task } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { post } from "../../support/client.ts";
import {
  ALL_TASKS,
  BINDINGS,
  clientOf,
  dataPart,
  errorNameOf,
  message,
  sent,
  STATE,
  TEXT,
} from "./fixtures.ts";

/** An agent without workers, so the state of its tasks does not change. */
const AGENT = "sleeper";
/** Tasks in various states, newest first, as lists return them. */
const made: Task[] = [];

function list(client: Client, filter: Partial<ListTasksRequest> = {}) {
  return client.listTasks({ ...ALL_TASKS, ...filter });
}

const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id);

beforeAll(async () => {
  await post("/agents", { id: AGENT, executor: { type: "worker" } });
  const client = await clientOf("JSONRPC");
  const whole = { text: TEXT };
  for (const [context, bosun] of [
    [{}, { agentId: AGENT }],
    [whole, {}],
    [{ ...whole, askFirst: "Which year?" }, {}],
    [{ ...whole, requireReview: true }, {}],
  ] as const) {
    const of = message("Summarise the text", { bosun, more: [dataPart({ ...context })] });
    made.unshift(await sent(client, of, { returnImmediately: "agentId" in bosun }));
  }
  const cancelled = await sent(client, message("Never mind", { bosun: { agentId: AGENT } }), {
    returnImmediately: true,
  });
  made.unshift(await client.cancelTask({ tenant: "", id: cancelled.id, metadata: undefined }));
});

describe.each(BINDINGS)("lists of tasks over %s", (binding) => {
  it("a list contains all tasks with their states, newest first, without artifacts and history", async () => {
    const client = await clientOf(binding);
    const page = await list(client);
    expect(ids(page.tasks)).toEqual(ids(made));
    expect(page.tasks.map(({ status }) => status?.state)).toEqual([
      STATE.canceled,
      STATE.inputRequired,
      STATE.inputRequired,
      STATE.completed,
      STATE.submitted,
    ]);
    expect(page).toMatchObject({ nextPageToken: "", pageSize: 50, totalSize: 5 });
    expect(page.tasks.flatMap(({ artifacts, history }) => [...artifacts, ...history])).toEqual([]);
    // Even lists include a task's question.
    const asking = page.tasks[2]?.status?.message?.parts[0]?.content?.value;
    expect(asking).toBe("Which year?");
  });

  it("a list of A2A tasks filters by state", async () => {
    const client = await clientOf(binding);
    const by = async (status: number) => ids((await list(client, { status })).tasks);
    expect(await by(STATE.canceled)).toEqual([made[0]?.id]);
    expect(await by(STATE.inputRequired)).toEqual([made[1]?.id, made[2]?.id]);
    expect(await by(STATE.completed)).toEqual([made[3]?.id]);
    expect(await by(STATE.submitted)).toEqual([made[4]?.id]);
    for (const state of [STATE.working, STATE.failed, STATE.authRequired, 7]) {
      expect(await by(state)).toEqual([]);
    }
  });

  it("pages of different sizes return each task once", async () => {
    const client = await clientOf(binding);
    for (const pageSize of [1, 2, 3, 5]) {
      const seen: string[] = [];
      let pageToken = "";
      do {
        const page = await list(client, { pageSize, pageToken });
        expect(page.tasks.length).toBeLessThanOrEqual(pageSize);
        seen.push(...ids(page.tasks));
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      expect(seen).toEqual(ids(made));
    }
  });

  it("a list by a state that covers two statuses pages through the tasks of both", async () => {
    const client = await clientOf(binding);
    const status = STATE.inputRequired;
    const first = await list(client, { status, pageSize: 1 });
    expect(ids(first.tasks)).toEqual([made[1]?.id]);
    const { nextPageToken: pageToken } = first;
    const second = await list(client, { status, pageSize: 1, pageToken });
    expect([ids(second.tasks), second.nextPageToken]).toEqual([[made[2]?.id], ""]);
  });

  it("a list includes artifacts and history on request", async () => {
    const client = await clientOf(binding);
    const page = await list(client, { includeArtifacts: true, historyLength: 1 });
    const completed = page.tasks.find(({ id }) => id === made[3]?.id);
    expect(completed?.artifacts.map(({ artifactId }) => artifactId)).toContain("result");
    expect(page.tasks.map(({ history }) => history.length)).toEqual([1, 1, 1, 1, 1]);
  });

  it("a list filters by context, and by status timestamp", async () => {
    const client = await clientOf(binding);
    const [one] = made;
    expect(ids((await list(client, { contextId: one?.contextId ?? "" })).tasks)).toEqual([one?.id]);
    expect((await list(client, { contextId: "b".repeat(64) })).tasks).toEqual([]);
    const statusTimestampAfter = one?.status?.timestamp;
    expect(ids((await list(client, { statusTimestampAfter })).tasks)).toEqual([one?.id]);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await list(client, { statusTimestampAfter: later })).tasks).toEqual([]);
  });

  it("the total counts only the tasks that match the filter, even if the directory lists more", async () => {
    const client = await clientOf(binding);
    const later = new Date(Date.now() + 60_000).toISOString();
    for (const filter of [{ statusTimestampAfter: later }, { status: STATE.authRequired }]) {
      const page = await list(client, { ...filter, pageSize: 1 });
      expect(page).toMatchObject({ tasks: [], totalSize: 0, nextPageToken: "" });
    }
    const since = { statusTimestampAfter: made[0]?.status?.timestamp };
    expect(await list(client, since)).toMatchObject({ totalSize: 1, nextPageToken: "" });
  });

  it("a page token that is forged or belongs to another list is rejected", async () => {
    const client = await clientOf(binding);
    const { nextPageToken: pageToken } = await list(client, { pageSize: 1 });
    for (const filter of [{ pageToken: "forged" }, { pageToken, status: STATE.completed }]) {
      expect(await errorNameOf(list(client, filter))).toEqual({
        name: "RequestMalformedError",
        message: expect.stringContaining("pageToken"),
      });
    }
  });
});
