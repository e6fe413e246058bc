import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "./client.ts";
import { ENDED, follow, type TaskView } from "./follow.ts";

export const TITLE = "an agent analyses data on 344 penguins.";

const OUTPUT_DIR = "demo-output";
const ITEMS_SHOWN_MAX = 3;

interface Deliverable {
  readonly type: string;
  readonly name: string;
  readonly size: number;
  readonly downloadUrl: string;
}

/** Runs one task from its creation to its completion. Returns the exit code. */
export async function demo(origin: string): Promise<number> {
  const csv = readFileSync("examples/penguins.csv", "utf8");
  const created = await call<TaskView>(origin, "POST", "/agents/tasks", {
    task: "Analyse the penguins: which measurements go together, and how do the species differ?",
    context: { csv },
    deliverables: ["report", "presentation", "chart", "spreadsheet"],
  });
  console.log(
    `Task ${created.taskId.slice(0, 12)}… is ${created.status}. Agent: ${created.agentName}.\n`,
  );
  const task = await follow(origin, created.taskId, ENDED);
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
    return bullets(more > 0 ? [...shown, `and ${more} more`] : shown);
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

/** Downloads a deliverable through its signed link, which requires no key. */
async function download({ name, type, size, downloadUrl }: Deliverable): Promise<string> {
  const response = await fetch(downloadUrl);
  if (!response.ok) throw new Error(`${name} could not be downloaded: HTTP ${response.status}`);
  mkdirSync(OUTPUT_DIR, { recursive: true });
  const path = join(OUTPUT_DIR, name);
  writeFileSync(path, new Uint8Array(await response.arrayBuffer()));
  return `${path} (${type}, ${size} bytes)`;
}
