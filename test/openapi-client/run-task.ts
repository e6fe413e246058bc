/** The operations of a generated client that a task's life needs. */
interface GeneratedClient {
  /** Creates the task and returns its id. */
  readonly create: (body: typeof TASK) => Promise<string>;
  readonly readStatus: (taskId: string) => Promise<string>;
}

export const ORIGIN = setting("BOSUN_URL");
export const HEADERS = { Authorization: `Bearer ${setting("BOSUN_KEY")}` };

export const TASK = {
  task: "Summarise what the harbour said",
  agentId: "researcher",
  deliverables: ["summary"],
  context: { text: "The wind turned in the night. The wind will stay. Two ships are late." },
};
const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);
const PATIENCE_MS = 30_000;
const POLL_MS = 100;

/** Runs a task to its end and prints its status. */
export async function runTask({ create, readStatus }: GeneratedClient): Promise<void> {
  const taskId = await create(TASK);
  const { status } = await readUntilEnded(async () => ({ status: await readStatus(taskId) }));
  console.log(status);
}

/** Reads a task until it has ended. */
export async function readUntilEnded<Task extends { readonly status: string }>(
  read: () => Promise<Task>,
): Promise<Task> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUpAt) {
    const task = await read();
    if (ENDED.has(task.status)) return task;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`The task did not end within ${PATIENCE_MS / 1_000} s`);
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
