import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { progressBar } from "./bar.ts";
import { call } from "./client.ts";
import { ENDED, type TaskView } from "./follow.ts";

export const TITLE = "two worker processes claim tasks, and one of them is killed.";

const AGENT = "word-counter";
const [VICTIM, SURVIVOR] = ["ada", "grace"] as const;
/** The input files. */
const FILES = ["examples/penguins.csv", "examples/README.md", "LICENSE"];
const NAME_WIDTH = Math.max(...FILES.map((file) => file.length));
const LEASE_SECONDS = 5;
/** The example worker's pause after each tenth of a task, so that people can watch it. */
const PAUSE_MS = 300;
const KILLED_AT_PROGRESS = 40;
const POLL_MS = 150;
const PATIENCE_MS = 60_000;

interface HeldTask extends TaskView {
  readonly lease?: { readonly worker: string };
  readonly attempt: number;
  readonly attempts: readonly { readonly error: { readonly message: string } }[];
}

interface LogView {
  readonly events: readonly {
    readonly type: string;
    readonly data: { lease?: { worker: string } };
  }[];
}

interface FilesView {
  readonly deliverables: readonly {
    readonly name: string;
    readonly size: number;
    readonly sha256: string;
  }[];
}

/** Runs three tasks on two workers and kills one of the workers. Returns the exit code. */
export async function demo(origin: string): Promise<number> {
  await call(origin, "POST", "/agents", { id: AGENT, executor: { type: "worker" } });
  const wanted = { name: "for its workers", agentId: AGENT, scopes: ["tasks:work"] };
  const { key } = await call<{ key: string }>(origin, "POST", "/agents/keys", wanted);
  const ids = await Promise.all(FILES.map((file) => createTask(origin, file)));
  console.log(`The agent ${AGENT} has three tasks: to count the words in three files.
Two examples/worker.ts processes, ${VICTIM} and ${SURVIVOR}, claim the tasks with the agent's key:\n`);
  const workers = new Map([VICTIM, SURVIVOR].map((name) => [name, start(origin, key, name)]));
  try {
    const tasks = await follow(origin, ids, () => workers.get(VICTIM)?.kill("SIGKILL"));
    return await reportProgress(origin, tasks);
  } finally {
    await Promise.all([...workers.values()].map(end));
  }
}

async function createTask(origin: string, file: string): Promise<string> {
  const context = { text: readFileSync(file, "utf8") };
  const body = { task: `Which words are the most common in ${file}?`, agentId: AGENT, context };
  return (await call<HeldTask>(origin, "POST", "/agents/tasks", body)).taskId;
}

function start(origin: string, key: string, name: string): ChildProcess {
  const own = { BOSUN_URL: origin, BOSUN_KEY: key, AGENT_ID: AGENT, WORKER_NAME: name };
  const pace = { LEASE_SECONDS: String(LEASE_SECONDS), PAUSE_MS: String(PAUSE_MS) };
  return spawn(process.execPath, [join("examples", "worker.ts")], {
    env: { ...process.env, ...own, ...pace },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

/**
 * Draws the tasks until they have ended or `PATIENCE_MS` have passed. Kills one worker about halfway through its task.
 */
async function follow(
  origin: string,
  ids: readonly string[],
  kill: () => void,
): Promise<readonly HeldTask[]> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  const picture = new Picture();
  const ended = new Set<string>(ENDED);
  let isKilled = false;
  for (;;) {
    const tasks = await Promise.all(
      ids.map((id) => call<HeldTask>(origin, "GET", `/agents/tasks/${id}`)),
    );
    picture.draw(tasks.map(line));
    const place = tasks.findIndex(
      ({ lease, progress }) => lease?.worker === VICTIM && progress >= KILLED_AT_PROGRESS,
    );
    if (!isKilled && place >= 0) {
      isKilled = true;
      kill();
      const where = `${FILES[place]}, ${tasks[place]?.progress}% done`;
      picture.note(`\n  kill -9 ${VICTIM}: ${where}. Its lease expires in ${LEASE_SECONDS} s.\n`);
    }
    const isOver = tasks.every(({ status }) => ended.has(status));
    if (isOver || Date.now() > giveUpAt) return tasks;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A task on one line. `still` is the part that does not change as the task progresses. */
interface Line {
  readonly text: string;
  readonly still: string;
}

function line({ status, progress, currentPhase, lease, attempt }: HeldTask, place: number): Line {
  const who = lease === undefined ? "" : `${lease.worker}, `;
  const again = attempt > 1 ? ` (attempt ${attempt})` : "";
  const doing = status === "in_progress" ? `${who}${currentPhase ?? ""}` : status;
  const still = `${place} ${status} ${who} ${attempt}`;
  const name = FILES[place]?.padEnd(NAME_WIDTH);
  return { text: `  ${name}  ${progressBar(progress)}  ${doing}${again}`, still };
}

/** On a terminal, redraws the lines in place. Otherwise, prints a line each time a task's state changes. */
class Picture {
  #drawn: readonly Line[] = [];

  draw(lines: readonly Line[]): void {
    const { isTTY } = process.stdout;
    if (isTTY && this.#drawn.length > 0) process.stdout.write(`\u001B[${this.#drawn.length}A`);
    for (const [place, { text, still }] of lines.entries()) {
      if (isTTY) process.stdout.write(`\u001B[2K${text}\n`);
      else if (this.#drawn[place]?.still !== still) console.log(text);
    }
    this.#drawn = lines;
  }

  /** Prints a note below the lines. The next lines are drawn below the note. */
  note(text: string): void {
    console.log(text);
    if (process.stdout.isTTY) this.#drawn = [];
  }
}

/** Prints the results. Returns 0 if all tasks were completed and the surviving worker took over the other's task. */
async function reportProgress(origin: string, tasks: readonly HeldTask[]): Promise<number> {
  let takenOver = 0;
  for (const [place, task] of tasks.entries()) {
    const { taskId, status, result, error, attempts } = task;
    if (status !== "completed" || result === undefined) {
      console.error(
        `\n${FILES[place]}: ${status}, ${error?.message ?? "it did not finish in time"}`,
      );
      return 1;
    }
    const workers = await workersOf(origin, taskId);
    console.log(`\n${FILES[place]}, read by ${workers.at(-1)}: ${result.summary}`);
    for (const insight of result.insights) console.log(`  · ${insight}`);
    for (const file of await filesOf(origin, taskId)) console.log(`  · ${file}`);
    for (const { error: before } of attempts) console.log(`  · Earlier attempt: ${before.message}`);
    if (workers.join(" ") === `${VICTIM} ${SURVIVOR}`) takenOver += 1;
  }
  const isAsPromised = takenOver === 1;
  console.log(
    isAsPromised
      ? `\nNo task was lost: ${SURVIVOR} took over ${VICTIM}'s task.\n`
      : `\nThe demo failed: ${SURVIVOR} took over ${takenOver} tasks instead of 1.\n`,
  );
  return isAsPromised ? 0 : 1;
}

/** The workers that claimed a task, one for each attempt. */
async function workersOf(origin: string, taskId: string): Promise<string[]> {
  const { events } = await call<LogView>(origin, "GET", `/agents/tasks/${taskId}/events`);
  const starts = events.filter(({ type }) => type === "started");
  return starts.map(({ data }) => data.lease?.worker ?? "nobody");
}

async function filesOf(origin: string, taskId: string): Promise<string[]> {
  const path = `/agents/tasks/${taskId}/deliverables`;
  const { deliverables } = await call<FilesView>(origin, "GET", path);
  return deliverables.map(({ name, size, sha256 }) => {
    return `${name}: ${size} bytes, SHA-256 ${sha256.slice(0, 12)}…`;
  });
}
