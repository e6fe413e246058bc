// Does the work of the agent in a2a-agent.ts: it counts the words in a text and finds its longest lines. These fields
// of the task's context control it: `text`, `askFirst`, `reject`, `fail` (only the first attempt) and `slowMs`.
import { setTimeout as sleep } from "node:timers/promises";
import { type Artifact, type Message, type Part, Role, type Task, TaskState } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from "@a2a-js/sdk/server";

const LONGEST_LINES = 3;
const COMMON_WORDS = 5;
const TEXT_QUESTION = "Which text should I read?";

/** The agent's input, read from the data that Bosun sends in addition to the task's text. */
interface Order {
  readonly text: string | null;
  readonly question: string | null;
  readonly rejection: string | null;
  readonly fails: boolean;
  readonly slowMs: number;
}

interface Line {
  readonly number: number;
  readonly line: string;
}

/** The state of an unfinished task. */
interface Job {
  readonly order: Order;
  readonly note: string | null;
  readonly teller: Teller;
  isCancelled: boolean;
}

function orderOf(message: Message): Order {
  const data = message.parts.find(({ content }) => content?.$case === "data")?.content?.value;
  const { context = {}, attempt = 1 } = Object(data);
  const { text, askFirst, reject, fail, slowMs } = Object(context);
  return {
    text: typeof text === "string" && text.trim() !== "" ? text : null,
    question: typeof askFirst === "string" && askFirst !== "" ? askFirst : null,
    rejection: typeof reject === "string" && reject !== "" ? reject : null,
    fails: fail === true && attempt === 1,
    slowMs: typeof slowMs === "number" && slowMs > 0 ? slowMs : 0,
  };
}

function textOf(message: Message): string {
  return message.parts
    .flatMap(({ content }) => (content?.$case === "text" ? [content.value] : []))
    .join("\n");
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
}

function commonest(words: readonly string[]): [word: string, count: number][] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, COMMON_WORDS);
}

function longestLines(text: string): Line[] {
  return text
    .split(/\r?\n/)
    .map((line, index) => ({ number: index + 1, line }))
    .toSorted((a, b) => b.line.length - a.line.length)
    .slice(0, LONGEST_LINES);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function part(content: NonNullable<Part["content"]>, mediaType: string, filename = ""): Part {
  return { content, metadata: undefined, filename, mediaType };
}

function artifact(artifactId: string, name: string, parts: Part[]): Artifact {
  return { artifactId, name, description: "", parts, metadata: undefined, extensions: [] };
}

/** Publishes a task's status and artifacts. */
class Teller {
  readonly #bus: ExecutionEventBus;
  readonly #ids: { readonly taskId: string; readonly contextId: string };

  constructor(bus: ExecutionEventBus, { taskId, contextId }: RequestContext) {
    this.#bus = bus;
    this.#ids = { taskId, contextId };
  }

  begins(known: Task | undefined, message: Message): void {
    const { taskId: id, contextId } = this.#ids;
    const status = this.#status(TaskState.TASK_STATE_SUBMITTED, null);
    const fresh = { id, contextId, artifacts: [], history: [message], metadata: undefined };
    this.#bus.publish(AgentEvent.task({ ...fresh, ...known, status }));
  }

  stands(state: TaskState, text: string | null, progress?: number): void {
    const metadata = progress === undefined ? undefined : { progress };
    this.#bus.publish(
      AgentEvent.statusUpdate({ ...this.#ids, status: this.#status(state, text), metadata }),
    );
  }

  hands(made: Artifact, append: boolean, lastChunk: boolean): void {
    this.#bus.publish(
      AgentEvent.artifactUpdate({
        ...this.#ids,
        artifact: made,
        append,
        lastChunk,
        metadata: undefined,
      }),
    );
  }

  #status(state: TaskState, text: string | null) {
    const message =
      text === null
        ? undefined
        : {
            ...this.#ids,
            messageId: crypto.randomUUID(),
            role: Role.ROLE_AGENT,
            parts: [part({ $case: "text", value: text }, "text/plain")],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          };
    return { state, message, timestamp: new Date().toISOString() };
  }
}

export class WordCounter implements AgentExecutor {
  readonly #jobs = new Map<string, Job>();
  /** The text of each task, which follow-up messages do not have to repeat. */
  readonly #texts = new Map<string, string>();

  async execute(request: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId, userMessage, task } = request;
    const teller = new Teller(bus, request);
    teller.begins(task, userMessage);
    const waiting = task === undefined ? undefined : this.#jobs.get(taskId);
    const job =
      waiting === undefined
        ? begun(userMessage, teller, this.#texts)
        : answered(waiting, textOf(userMessage), teller);
    this.#jobs.set(taskId, job);
    if (waiting === undefined && job.order.rejection !== null) {
      this.#jobs.delete(taskId);
      return teller.stands(TaskState.TASK_STATE_REJECTED, job.order.rejection);
    }
    const { text, question } = job.order;
    if (question !== null || text === null) {
      return teller.stands(TaskState.TASK_STATE_INPUT_REQUIRED, question ?? TEXT_QUESTION);
    }
    this.#texts.set(taskId, text);
    try {
      await this.#work(job, text);
    } finally {
      this.#jobs.delete(taskId);
    }
  }

  async cancelTask(taskId: string): Promise<void> {
    const job = this.#jobs.get(taskId);
    if (job === undefined) return;
    job.isCancelled = true;
    this.#jobs.delete(taskId);
    job.teller.stands(TaskState.TASK_STATE_CANCELED, "Cancelled on request.");
  }

  async #work(job: Job, text: string): Promise<void> {
    const { order, note, teller } = job;
    const { slowMs, fails } = order;
    const steps = [
      "Reading the text",
      "Counting its words",
      "Finding its longest lines",
      "Writing",
    ];
    for (const [index, step] of steps.entries()) {
      const progress = Math.round(((index + 1) * 90) / steps.length);
      teller.stands(TaskState.TASK_STATE_WORKING, step, progress);
      await sleep(slowMs / steps.length);
      // If the task was cancelled, its status has already been published.
      if (job.isCancelled) return;
      if (fails && index === 1) {
        return teller.stands(
          TaskState.TASK_STATE_FAILED,
          "The context requests a failure (fail: true).",
        );
      }
    }
    const words = wordsOf(text);
    const longest = longestLines(text);
    const common = commonest(words);
    const lines = text.split(/\r?\n/).length;
    const summary = `The text has ${counted(words.length, "word")} in ${counted(lines, "line")}.`;
    const head = `# Words and lines\n\n${summary}\n${note === null ? "" : `\nAs you said: ${note}\n`}`;
    const rows = longest.map(({ number, line }) => `| ${number} | ${line.length} |`).join("\n");
    const table = `\n## Longest lines\n\n| line | characters |\n| ---: | ---: |\n${rows}\n`;
    const report = (value: string) =>
      artifact("report", "report.md", [part({ $case: "text", value }, "text/markdown")]);
    teller.hands(report(head), false, false);
    teller.hands(report(table), true, true);
    const insights = [
      `The most common words are ${common.map(([word, count]) => `${word} (${count})`).join(", ")}.`,
      ...longest
        .slice(0, 1)
        .map(
          ({ number, line }) => `Line ${number} is the longest, with ${line.length} characters.`,
        ),
    ];
    const value = { summary, insights, recommendations: [], words: words.length, lines };
    teller.hands(
      artifact("figures", "figures", [part({ $case: "data", value }, "application/json")]),
      false,
      true,
    );
    teller.stands(TaskState.TASK_STATE_COMPLETED, summary, undefined);
  }
}

/** Creates the job for a message. If the message names an earlier task, its text describes what to change. */
function begun(message: Message, teller: Teller, texts: ReadonlyMap<string, string>): Job {
  const order = orderOf(message);
  const [earlier] = message.referenceTaskIds;
  if (earlier === undefined) return { order, note: null, teller, isCancelled: false };
  const text = order.text ?? texts.get(earlier) ?? null;
  return {
    order: { ...order, text, question: null },
    note: textOf(message),
    teller,
    isCancelled: false,
  };
}

/** The answer to `askFirst` becomes a note. The answer to `TEXT_QUESTION` is the text itself. */
function answered({ order }: Job, answer: string, teller: Teller): Job {
  const isNote = order.question !== null;
  return {
    order: { ...order, question: null, text: isNote ? order.text : answer },
    note: isNote ? answer : null,
    teller,
    isCancelled: false,
  };
}
