import { EventSource } from "eventsource";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT_KEY, type Bosun } from "../../../scripts/proof/bosun.ts";
import { call, startBundled, until } from "./processes.ts";

const PATIENCE_MS = 60_000;
const STEP_MS = 700;

let bosun: Bosun;

beforeAll(async () => {
  bosun = await startBundled({ AGENT_STEP_INTERVAL_MS: String(STEP_MS) });
}, PATIENCE_MS);
afterAll(() => bosun.stop());

it(
  "a stream resumes where it stopped after the service is killed during a task",
  async () => {
    const task = { task: "Read", context: { text: "It rained. Then the rain stopped." } };
    const { taskId } = await call(bosun, "POST", "/agents/tasks", task);
    const statuses: (number | undefined)[] = [];
    const seqs: number[] = [];
    const source = new EventSource(`${bosun.origin}/agents/tasks/${taskId}/events`, {
      fetch: async (url, init) => {
        const headers = new Headers(init?.headers);
        headers.set("Authorization", `Bearer ${ROOT_KEY}`);
        const response = await fetch(url, { ...init, headers });
        statuses.push(response.status);
        return response;
      },
    });
    source.addEventListener("message", ({ data }) => seqs.push(JSON.parse(data).seq));
    // Wait until the task has started but is far from complete.
    await until(
      async () => seqs.length,
      (received) => received >= 4,
      PATIENCE_MS,
    );
    const receivedBefore = seqs.length;
    await bosun.crash();
    await until(
      async () => source.readyState,
      (state) => state === source.CLOSED,
      PATIENCE_MS,
    );

    const { events } = await call(bosun, "GET", `/agents/tasks/${taskId}/events`);
    expect(events.at(-1).type).toBe("completed");
    expect(seqs).toEqual(events.map(({ seq }: { seq: number }) => seq));
    expect(seqs.length).toBeGreaterThan(receivedBefore);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
    // The feed must contain each event once, even those not published before the kill.
    const feed = await until(
      () => call(bosun, "GET", "/agents/events?from=oldest&limit=100"),
      (page) => page.events.length >= events.length,
      PATIENCE_MS,
    );
    expect(feed.events.map(({ seq }: { seq: number }) => seq)).toEqual(seqs);
  },
  PATIENCE_MS,
);
