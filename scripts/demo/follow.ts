import { progressBar } from "./bar.ts";
import { call } from "./client.ts";

export const ENDED = ["completed", "failed", "cancelled"] as const;

const POLL_MS = 100;
const PATIENCE_MS = 60_000;

/** The task fields that the demos read. */
export interface TaskView {
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
  readonly blocked?: { readonly question: string };
  readonly error?: { readonly message: string };
}

/** Polls a task for at most a minute until it reaches one of the given statuses, and draws its progress. */
export async function follow(
  origin: string,
  taskId: string,
  until: readonly string[],
): Promise<TaskView> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  let drawn = "";
  for (;;) {
    const task = await call<TaskView>(origin, "GET", `/agents/tasks/${taskId}`);
    const line = progressLine(task);
    if (line !== drawn) draw(line);
    drawn = line;
    if (until.includes(task.status) || Date.now() > giveUpAt) {
      if (process.stdout.isTTY) process.stdout.write("\n");
      return task;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function progressLine(task: TaskView): string {
  const doing = task.status === "in_progress" ? (task.currentPhase ?? "") : task.status;
  return `  ${progressBar(task.progress)}  ${doing}`;
}

/** On a terminal, redraws the bar in place. Otherwise, prints a line each time the progress changes. */
function draw(line: string): void {
  process.stdout.write(process.stdout.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
}
