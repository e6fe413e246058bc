import { setTimeout as pause } from "node:timers/promises";
import { ROOT_KEY, type Bosun } from "../bosun.ts";

/** An event of the feed, as the API returns it. */
interface RecordedEvent {
  readonly taskId: string;
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly data: { readonly progress?: number };
}

/** What the API returned about a task that a built-in agent completed. */
export interface Recording {
  readonly events: readonly RecordedEvent[];
  /** The task in the list. */
  readonly listed: object;
}

const POLL_MS = 200;

/** Runs one task, and records its events and its entry in the list. */
export async function recordTask(bosun: Bosun): Promise<Recording> {
  const task = {
    task: "Summarise the history of the harbour",
    context: { text: "The harbour was rebuilt in 1702. Merchants paid for stone cellars." },
  };
  await call(bosun, "POST", "/agents/tasks", task);
  for (;;) {
    const { events } = await call<{ events: RecordedEvent[] }>(
      bosun,
      "GET",
      "/agents/events?from=oldest&limit=100",
    );
    if (events.at(-1)?.type === "completed") {
      const { tasks } = await call<{ tasks: object[] }>(bosun, "GET", "/agents/tasks");
      const [listed] = tasks;
      if (listed === undefined) throw new Error("The list does not contain the task");
      return { events, listed };
    }
    await pause(POLL_MS);
  }
}

async function call<Data>(
  { origin }: Bosun,
  method: string,
  path: string,
  body?: object,
): Promise<Data> {
  const response = await fetch(origin + path, {
    method,
    headers: { Authorization: `Bearer ${ROOT_KEY}`, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  const { data }: { data: Data } = JSON.parse(text);
  return data;
}
