import type { TaskStatus } from "../../../src/tasks/model/task.ts";
import type { Answer } from "../../support/client.ts";
import { passTime } from "../../support/tasks.ts";
import type { RetryingClient } from "../retrying-client.ts";
import type { AlarmDriver } from "../alarm-driver.ts";

/** What some clients do with Bosun, whatever befalls its bindings meanwhile. */
export interface Scenario {
  /** What is there before the first fault can come: agents, tools. */
  prepare(): Promise<ScenarioRun>;
}

/** Does everything once, and answers what must hold when all faults are over. */
type ScenarioRun = (
  client: RetryingClient,
  alarmDriver: AlarmDriver,
) => Promise<() => Promise<void>>;

export const TEXT =
  "The harbour of Bergen was rebuilt in 1702. Fire had taken the wooden wharf. Merchants paid for stone cellars.";

const ROUNDS_MAX = 40;
/** In all longer than a turn that was lost is waited for. */
const STEP_MS = 6_000;

let names = 0;

/** A name that nothing else has. */
export function uniqueName(what: string): string {
  names += 1;
  return `${what}-${names}`;
}

/** The body of an answer that must be of these statuses. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
export function dataOf({ status, body, text }: Answer, ...wanted: readonly number[]): any {
  if (!wanted.includes(status))
    throw new Error(`${status} instead of ${wanted.join("/")}: ${text}`);
  return body.data;
}

/** Lets alarms run, as a client sees it, until a task stands at a status. */
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
  throw new Error(`The task did not become ${wanted.join("/")}: ${text}`);
}

/** Changes a task by PATCH with If-Match, which a client repeats until it sees its own change; false once it has ended. */
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

/** Creates a task under a key of its own, by as many tries as it takes. */
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
