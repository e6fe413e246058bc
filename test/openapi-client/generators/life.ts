/** A generated client, as far as a task's life needs it. */
export interface GeneratedClient {
  /** Creates the task and returns its id. */
  readonly create: (body: typeof TASK) => Promise<string>;
  /** Returns the task's status. */
  readonly readStatus: (taskId: string) => Promise<string>;
}

export const ORIGIN = setting("BOSUN_URL");
export const HEADERS = { Authorization: `Bearer ${setting("BOSUN_KEY")}` };

const TASK = {
  task: "Summarise what the harbour said",
  agentId: "researcher",
  deliverables: ["summary"],
  context: { text: "The wind turned in the night. The wind will stay. Two ships are late." },
};
const PATIENCE_MS = 30_000;
const POLL_MS = 100;

/** Runs a task to its end and prints its status. */
export async function runTask({ create, readStatus }: GeneratedClient): Promise<void> {
  const taskId = await create(TASK);
  const giveUpAt = Date.now() + PATIENCE_MS;
  let status = "";
  while (!["completed", "failed", "cancelled"].includes(status)) {
    if (Date.now() > giveUpAt) throw new Error(`The task ${taskId} did not end`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    status = await readStatus(taskId);
  }
  console.log(status);
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
