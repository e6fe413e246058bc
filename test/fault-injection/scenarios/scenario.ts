import type { TaskStatus } from "../../../src/tasks/model/task.ts";
import type { Answer } from "../../support/client.ts";
import { passTime } from "../../support/tasks.ts";
import type { RetryingClient } from "../retrying-client.ts";
import type { AlarmDriver } from "../alarm-driver.ts";

/** What clients do with Bosun while a fault occurs at one of its bindings. */
export interface Scenario {
  /** Creates what must exist before the fault, such as agents and tools. */
  prepare(): Promise<ScenarioRun>;
}

/** Runs all steps once, and returns a check of the final state. */
type ScenarioRun = (
  client: RetryingClient,
  alarmDriver: AlarmDriver,
) => Promise<() => Promise<void>>;

export const TEXT =
  "The harbour of Bergen was rebuilt in 1702. Fire had taken the wooden wharf. Merchants paid for stone cellars.";

const ROUNDS_MAX = 80;
/** Long enough that all rounds together exceed the wait for three lost turns. */
const STEP_MS = 6_000;

let names = 0;

/** Returns a unique name. */
export function uniqueName(what: string): string {
  names += 1;
  return `${what}-${names}`;
}

/** Returns the response's data. The status must be one of these. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
export function dataOf({ status, body, text }: Answer, ...wanted: readonly number[]): any {
  if (!wanted.includes(status))
    throw new Error(`${status} instead of ${wanted.join("/")}: ${text}`);
  return body.data;
}

/** Runs alarms until a client sees the task in one of these statuses. */
export async function awaitStatus(
  client: RetryingClient,
  alarmDriver: AlarmDriver,
  id: string,
  ...wanted: readonly TaskStatus[]
): Promise<void> {
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
    const { status } = dataOf(await client.get(`/agents/tasks/${id}`), 200);
    if (wanted.includes(status)) return;
    passTime(STEP_MS);
    await alarmDriver.runAlarms();
  }
  const { text } = await client.get(`/agents/tasks/${id}`);
  throw new Error(`The task did not reach ${wanted.join("/")}: ${text}`);
}

/**
 * Adds a note to a task with PATCH and If-Match, retrying until the note is stored. Returns false
 * if the task has ended.
 */
export async function patchNote(
  client: RetryingClient,
  id: string,
  notes: string,
): Promise<boolean> {
  const path = `/agents/tasks/${id}`;
  for (;;) {
    const read = await client.get(path);
    if (dataOf(read, 200).notes?.split("\n").includes(notes) === true) return true;
    const answer = await client.write(
      "PATCH",
      path,
      { notes },
      {
        "If-Match": read.headers.get("ETag") ?? "",
      },
    );
    if (answer.status === 200) return true;
    if (answer.body.error?.code === "INVALID_STATE") return false;
    dataOf(answer, 412);
  }
}

/** Creates a task with its own idempotency key, retrying as often as necessary. */
export async function createOnce(
  client: RetryingClient,
  alarmDriver: AlarmDriver,
  body: Parameters<RetryingClient["write"]>[2] & object,
): Promise<string> {
  const key = { "Idempotency-Key": uniqueName("create") };
  const id: string = dataOf(await client.write("POST", "/agents/tasks", body, key), 201).taskId;
  alarmDriver.tasks.add(id);
  return id;
}
