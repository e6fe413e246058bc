import type {
  CallFailure,
  NewFile,
  ExecutionContext,
  TurnOutcome,
  UsableCapability,
} from "../../../src/executors/contract.ts";
import type { ModelExecutorConfig } from "../../../src/agents/model/agent.ts";
import type { NewTaskEvent } from "../../../src/tasks/model/events.ts";
import { applyEvent } from "../../../src/tasks/model/fold.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { ok, type Result } from "../../../src/kernel/result.ts";
import type { Task, ToolCall } from "../../../src/tasks/model/task.ts";
import { fileKey } from "../../../src/tasks/model/files.ts";
import { buildCreated } from "../../tasks/model/fixtures.ts";

export const TASK_ID = "3fa9c1d27be04455aa01".padEnd(64, "0");

export const EXECUTOR: ModelExecutorConfig = {
  type: "model",
  provider: "openai-compatible",
  model: "test-model",
  baseUrl: "http://127.0.0.1:1/v1",
  instructions: null,
  temperature: null,
  prices: { inputPerMillion: 1, outputPerMillion: 4 },
  maxTurns: 20,
  maxOutputTokens: 1_000,
};

export const LOOKUP: UsableCapability = {
  toolId: "atlas",
  toolName: "Atlas",
  id: "lookup",
  name: "Look up",
  description: "Looks up a place.",
  parameters: [{ name: "place", type: "string", required: true, description: "Its name." }],
};

/** A model agent's task, folded from events, with an execution context that records its calls. */
export class LlmTurnHarness {
  task: Task;
  granted: UsableCapability[] | null = [LOOKUP];
  /** The result of every call; `{ok: true}` by default. */
  answer: (call: {
    toolId: string;
    capability: string;
    parameters: JsonObject;
  }) => Promise<Result<JsonObject, CallFailure>> = async () => ok({ ok: true });
  readonly calls: { toolId: string; capability: string; parameters: JsonObject }[] = [];
  readonly files = new Map<string, NewFile>();
  readonly reports: { progress: number; phase: string; work: JsonObject }[] = [];
  readonly outcomes: TurnOutcome[] = [];
  #now = Date.UTC(2026, 2, 1);

  constructor(
    created: Partial<{
      task: string;
      deliverables: string[];
      context: JsonObject;
      budget: JsonObject;
      requireReview: boolean;
    }> = {},
  ) {
    const choice = { agentId: "ada", agentName: "Ada", reasons: [], candidates: [] };
    this.task = applyEvent(null, {
      seq: 1,
      at: this.#now,
      type: "created",
      data: buildCreated({
        task: created.task ?? "Find out about Bergen",
        choice,
        deliverables: created.deliverables ?? [],
        context: created.context ?? {},
        budget: created.budget ?? null,
      }),
    });
    const { requireReview = false } = created;
    const terms = { executor: "model", maxConcurrentTasks: null, requireReview } as const;
    this.event({ type: "assigned", data: { ...choice, terms } });
    this.event({ type: "started", data: { agentId: "ada" } });
  }

  readonly context: ExecutionContext = {
    isAgentEnabled: async () => true,
    listTools: async () => [],
    reserveModelUse: async () => ok({ settle: async () => {} }),
    listCapabilities: async (search, limit) => {
      if (this.granted === null) return null;
      const words = (search ?? "").toLowerCase().split(/\s+/).filter(Boolean);
      const found = this.granted.filter((one) =>
        words.every((word) => JSON.stringify(one).toLowerCase().includes(word)),
      );
      return { capabilities: found.slice(0, limit), total: found.length };
    },
    callTool: async (toolId, capability, parameters) => {
      this.calls.push({ toolId, capability, parameters: asJson(parameters) });
      return this.answer({ toolId, capability, parameters });
    },
    saveFile: async (file) => {
      this.files.set(file.name, file);
      const { type, name, format, bytes } = file;
      const key = fileKey(TASK_ID, this.task, name);
      return { type, name, format, size: bytes.byteLength, key, createdAt: this.#now };
    },
    reportProgress: async (step) => {
      this.reports.push(step);
      this.event({ type: "progressed", data: { ...step, calls: [] } });
      return true;
    },
  };

  /** Applies an event as the log stores it: as JSON. */
  event(event: NewTaskEvent): void {
    this.#now += 1_000;
    const kept = { ...event, seq: this.task.seq + 1, at: this.#now };
    this.task = applyEvent(this.task, JSON.parse(JSON.stringify(kept)));
  }

  /** Writes the outcome of a turn to the log, as the task's object does. */
  take(outcome: TurnOutcome, calls: readonly ToolCall[] = []): TurnOutcome {
    this.outcomes.push(outcome);
    const paid = { calls, ...(outcome.use === undefined ? {} : { use: outcome.use }) };
    switch (outcome.kind) {
      case "progress": {
        const { progress, phase, work } = outcome;
        this.event({ type: "progressed", data: { progress, phase, work, ...paid } });
        break;
      }
      case "block": {
        const { why: kind, question, work } = outcome;
        this.event({ type: "blocked", data: { kind, question, work, ...paid } });
        break;
      }
      case "submit":
        this.event({ type: "submitted", data: { ...outcome.outcome, ...paid } });
        break;
      case "complete":
        this.event({ type: "completed", data: { ...outcome.outcome, ...paid } });
        break;
      case "hold": {
        const returned = { excludes: false, released: true, paused: true } as const;
        const data = { agentId: "ada", reason: "The agent is paused.", work: outcome.work };
        this.event({ type: "declined", data: { ...data, ...returned } });
        break;
      }
      case "fail":
        this.event({ type: "failed", data: { error: outcome.error, ...paid } });
        break;
      case "again":
        break;
    }
    return outcome;
  }

  respond(response: string | JsonObject): void {
    this.event({ type: "responded", data: { response } });
  }

  requestChanges(comment: string): void {
    this.event({ type: "changes_requested", data: { comment } });
  }

  text(name: string): string {
    return new TextDecoder().decode(this.files.get(name)?.bytes);
  }
}

function asJson(value: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** A capability with this name and without parameters. */
export function capabilityOf(toolId: string, id: string, more: object = {}): UsableCapability {
  return { ...LOOKUP, toolId, toolName: `Tool ${toolId}`, id, name: id, parameters: [], ...more };
}

type OutcomeOf<Kind> = TurnOutcome extends infer One
  ? One extends { kind: infer Own }
    ? Kind extends Own
      ? One
      : never
    : never
  : never;

/** Returns the outcome if it is of this kind. Otherwise, fails the test and shows the actual outcome. */
export function expectOutcome<Kind extends TurnOutcome["kind"]>(
  outcome: TurnOutcome | undefined,
  kind: Kind,
): OutcomeOf<Kind> {
  if (!isKind(outcome, kind)) throw new Error(`Not ${kind}: ${JSON.stringify(outcome)}`);
  return outcome;
}

function isKind<Kind extends TurnOutcome["kind"]>(
  outcome: unknown,
  kind: Kind,
): outcome is OutcomeOf<Kind> {
  return typeof outcome === "object" && outcome !== null && Reflect.get(outcome, "kind") === kind;
}
