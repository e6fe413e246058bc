import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "./client.ts";

export const TITLE = "an agent reads 344 penguins.";

const OUTPUT_DIR = "demo-output";
const BAR_CELLS = 30;
const ITEMS_SHOWN_MAX = 6;
const POLL_MS = 100;
const PATIENCE_MS = 60_000;

interface Deliverable {
  readonly type: string;
  readonly name: string;
  readonly size: number;
  readonly downloadUrl: string;
}

interface TaskView {
  readonly taskId: string;
  readonly status: string;
  readonly agentName?: string;
  readonly progress: number;
  readonly currentPhase?: string;
  readonly timeline: { readonly duration?: string };
  readonly result?: {
    readonly summary: string;
    readonly insights: readonly string[];
    readonly recommendations: readonly string[];
  };
  readonly quality?: Readonly<Record<string, number>>;
  readonly error?: { readonly message: string };
}

/** One task from beginning to end; answers the exit code. */
export async function demo(origin: string): Promise<number> {
  const csv = readFileSync("examples/penguins.csv", "utf8");
  const created = await call<TaskView>(origin, "POST", "/agents/tasks", {
    task: "Analyse the penguins: which measurements go together, and how do the species differ?",
    context: { csv },
    deliverables: ["report", "presentation", "chart", "spreadsheet"],
  });
  console.log(
    `Task ${created.taskId.slice(0, 12)}… is ${created.status}, given to ${created.agentName}.\n`,
  );
  const task = await follow(origin, created.taskId);
  if (task.status !== "completed" || task.result === undefined) {
    console.error(
      `\nThe task is ${task.status}: ${task.error?.message ?? "it did not finish in time"}`,
    );
    return 1;
  }
  const { deliverables } = await call<{ deliverables: Deliverable[] }>(
    origin,
    "GET",
    `/agents/tasks/${task.taskId}/deliverables`,
  );
  const files = await Promise.all(deliverables.map(download));
  printResult(task, task.result, files);
  return 0;
}

/** Watches a task until it ends, drawing its progress. */
async function follow(origin: string, taskId: string): Promise<TaskView> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  let drawn = "";
  for (;;) {
    const task = await call<TaskView>(origin, "GET", `/agents/tasks/${taskId}`);
    const line = progressLine(task);
    if (line !== drawn) draw(line);
    drawn = line;
    const ended = ["completed", "failed", "cancelled"].includes(task.status);
    if (ended || Date.now() > giveUpAt) {
      if (process.stdout.isTTY) process.stdout.write("\n");
      return task;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function progressLine(task: TaskView): string {
  const full = Math.round((task.progress / 100) * BAR_CELLS);
  const bar = "█".repeat(full) + "░".repeat(BAR_CELLS - full);
  const doing = task.status === "in_progress" ? (task.currentPhase ?? "") : task.status;
  return `  ${bar} ${String(task.progress).padStart(3)} %  ${doing}`;
}

/** On a terminal the bar is redrawn in place; elsewhere each state is a line. */
function draw(line: string): void {
  process.stdout.write(process.stdout.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
}

function printResult(
  task: TaskView,
  result: NonNullable<TaskView["result"]>,
  files: readonly string[],
): void {
  const bullets = (items: readonly string[]): string =>
    items.map((item) => `  · ${item}`).join("\n");
  const list = (items: readonly string[]): string => {
    const more = items.length - ITEMS_SHOWN_MAX;
    const shown = items.slice(0, ITEMS_SHOWN_MAX);
    return bullets(more > 0 ? [...shown, `and ${more} more, in the report`] : shown);
  };
  const quality = Object.entries(task.quality ?? {}).map(([name, value]) => `${name} ${value}`);
  console.log(`
Done in ${task.timeline.duration}. ${result.summary}

Insights
${list(result.insights)}

Recommendations
${list(result.recommendations)}

Quality (0 to 100): ${quality.join(", ")}

Deliverables
${bullets(files)}
`);
}

/** Saves a deliverable through its signed link, which needs no key. */
async function download({ name, type, size, downloadUrl }: Deliverable): Promise<string> {
  const response = await fetch(downloadUrl);
  if (!response.ok) throw new Error(`${name} could not be downloaded: HTTP ${response.status}`);
  mkdirSync(OUTPUT_DIR, { recursive: true });
  const path = join(OUTPUT_DIR, name);
  writeFileSync(path, new Uint8Array(await response.arrayBuffer()));
  return `${path} (${type}, ${size} bytes)`;
}
