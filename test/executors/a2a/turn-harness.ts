import type {
  NewFile,
  StepOutcome,
  ExecutionContext,
  TurnOutcome,
} from "../../../src/executors/contract.ts";
import type { TaskEventData, NewTaskEvent } from "../../../src/tasks/model/events.ts";
import { applyEvent } from "../../../src/tasks/model/fold.ts";
import { ok } from "../../../src/kernel/result.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import type { Task } from "../../../src/tasks/model/task.ts";
import { buildCreated } from "../../tasks/model/fixtures.ts";

export const TASK_ID = "a2a0c1d27be04455aa01".padEnd(64, "0");

/** An A2A agent's task, folded from its log, with an execution context that records its calls. */
export class A2aTurnHarness {
  task: Task;
  /** Whether the result is still needed. */
  isWanted = true;
  readonly files = new Map<string, NewFile>();
  readonly reports: { progress: number; phase: string; work: JsonObject }[] = [];
  readonly outcomes: TurnOutcome[] = [];
  #now = Date.now();

  constructor(created: Partial<TaskEventData["created"]> = {}) {
    const choice = { agentId: "ada", agentName: "Ada", reasons: [], candidates: [] };
    this.task = applyEvent(null, {
      seq: 1,
      at: this.#now,
      type: "created",
      data: buildCreated({
        task: "Count the words",
        choice,
        context: {},
        deliverables: [],
        ...created,
      }),
    });
    this.start();
  }

  readonly context: ExecutionContext = {
    isAgentEnabled: async () => true,
    listTools: async () => [],
    reserveModelUse: async () => ok({ settle: async () => {} }),
    listCapabilities: async () => null,
    callTool: async () => {
      throw new Error("An A2A agent does not call tools");
    },
    saveFile: async (file) => {
      this.files.set(file.name, file);
      const { type, name, format, bytes } = file;
      const key = `${this.task.attempt}.${this.task.round}/${name}`;
      return { type, name, format, size: bytes.byteLength, key, createdAt: this.#now };
    },
    reportProgress: async (step) => {
      this.reports.push(step);
      if (this.isWanted) this.event({ type: "progressed", data: { ...step, calls: [] } });
      return this.isWanted;
    },
  };

  start(): void {
    const choice = { agentId: "ada", agentName: "Ada", reasons: [], candidates: [] };
    const terms = { executor: "a2a", maxConcurrentTasks: null, requireReview: false } as const;
    this.event({ type: "assigned", data: { ...choice, terms } });
    this.event({ type: "started", data: { agentId: "ada" } });
  }

  /** Applies an event as the log stores it: as JSON. */
  event(event: NewTaskEvent): void {
    this.#now += 1_000;
    const kept = { ...event, seq: this.task.seq + 1, at: this.#now };
    this.task = applyEvent(this.task, JSON.parse(JSON.stringify(kept)));
  }

  /** Writes the outcome of a turn to the log, as the task's object does. */
  take(outcome: TurnOutcome): TurnOutcome {
    this.outcomes.push(outcome);
    if (outcome.kind !== "again") this.event(eventOf(outcome));
    return outcome;
  }

  respond(response: string | JsonObject | null): void {
    this.event({ type: "responded", data: { response } });
  }

  retry(): void {
    const { attempt } = this.task;
    this.event({
      type: "retried",
      data: { attempt: attempt + 1, reassign: false, choice: null, context: null },
    });
    this.start();
  }

  text(name: string): string {
    return new TextDecoder().decode(this.files.get(name)?.bytes);
  }
}

function eventOf(outcome: StepOutcome): NewTaskEvent {
  const calls: [] = [];
  switch (outcome.kind) {
    case "progress": {
      const { progress, phase, work } = outcome;
      return { type: "progressed", data: { progress, phase, work, calls } };
    }
    case "block": {
      const { why: kind, question, work } = outcome;
      return { type: "blocked", data: { kind, question, work, calls } };
    }
    case "submit":
      return { type: "submitted", data: { ...outcome.outcome, calls } };
    case "complete":
      return { type: "completed", data: { ...outcome.outcome, calls } };
    case "hold":
      throw new Error("An A2A agent's turn does not notice a pause");
    case "fail":
      return { type: "failed", data: { error: outcome.error, calls } };
  }
}

/** Returns the outcome if it is of this kind. Otherwise, fails the test and shows the actual outcome. */
export function expectOutcome<Kind extends TurnOutcome["kind"]>(
  outcome: TurnOutcome,
  kind: Kind,
): TurnOutcome & { readonly kind: Kind } {
  if (!isKind(outcome, kind)) throw new Error(`Not ${kind}: ${JSON.stringify(outcome)}`);
  return outcome;
}

function isKind<Kind extends TurnOutcome["kind"]>(
  outcome: TurnOutcome,
  kind: Kind,
): outcome is TurnOutcome & { readonly kind: Kind } {
  return outcome.kind === kind;
}
