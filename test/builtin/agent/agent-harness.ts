import type { ExecutionContext, StepOutcome, UsableTool } from "../../../src/executors/contract.ts";
import { runReportStep } from "../../../src/builtin/agent/step.ts";
import { BUILTIN_TERMS } from "../../../src/agents/model/agent.ts";
import { callLimitQuestion } from "../../../src/tasks/model/budget.ts";
import { checkParameters } from "../../../src/tools/model/capability.ts";
import type { TaskEvent } from "../../../src/tasks/model/events.ts";
import { applyEvent } from "../../../src/tasks/model/fold.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../src/kernel/json.ts";
import { fail, ok } from "../../../src/kernel/result.ts";
import { errorOf, outcomeOf, type Task, type ToolCall } from "../../../src/tasks/model/task.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import { decide } from "../../../src/tasks/model/decide.ts";
import { runBuiltin } from "../../../src/tools/connectors/dispatch.ts";
import { BUILTIN_TOOLS } from "../../../src/builtin/tools/definitions.ts";
import { PENGUINS } from "../../support/penguins.ts";

/** Runs one agent on a real task with the real tools and an in-memory file store. */
export class AgentHarness {
  task: Task;
  /** Grants by tool id: a list of capabilities, or null for all. */
  grants: Map<string, readonly string[] | null>;
  registered = true;
  readonly files = new Map<string, { format: string; bytes: Uint8Array }>();
  readonly calls: ToolCall[] = [];
  #now = Date.UTC(2026, 2, 1);

  constructor(
    created: Partial<{
      task: string;
      deliverables: string[];
      context: JsonObject;
      budget: JsonObject;
    }>,
  ) {
    this.grants = new Map(BUILTIN_TOOLS.map(({ id }) => [id, null]));
    const choice = {
      agentId: "ada",
      agentName: "Ada",
      reasons: ["requested by the client"],
      candidates: [],
    };
    const decided = decide(
      null,
      {
        type: "create",
        data: {
          task: created.task ?? "Look into the material",
          teamId: null,
          choice,
          priority: "medium",
          deadline: null,
          deliverables: created.deliverables ?? [],
          context: created.context ?? {},
          budget: created.budget ?? null,
          estimatedCompletion: 0,
          estimatedDurationMs: 0,
          createdBy: "key",
          fingerprint: "f",
        },
      },
      this.#now,
    );
    if (!decided.ok || decided.value[0] === undefined) throw new Error("The task was not created");
    this.task = applyEvent(null, { ...decided.value[0], seq: 1, at: this.#now });
    this.command({ type: "assign", choice, terms: BUILTIN_TERMS });
    this.command({ type: "start" });
  }

  command(command: TaskCommand): void {
    const decided = decide(this.task, command, this.#now);
    if (!decided.ok) throw new Error(JSON.stringify(decided.failure));
    for (const event of decided.value) {
      this.#now += 1_000;
      // The log stores JSON, so the test must not keep values that JSON cannot represent.
      const kept: TaskEvent = JSON.parse(
        JSON.stringify({ ...event, seq: this.task.seq + 1, at: this.#now }),
      );
      this.task = applyEvent(this.task, kept);
    }
  }

  createContext(): ExecutionContext & { readonly calls: readonly ToolCall[] } {
    const calls: ToolCall[] = [];
    const { task, grants, files } = this;
    return {
      calls,
      listTools: async () => (this.registered ? usable(grants) : null),
      isAgentEnabled: async () => this.registered,
      listCapabilities: async () => null,
      reportProgress: async () => true,
      reserveModelUse: async () => ok({ settle: async () => {} }),
      callTool: async (toolId, capability, parameters) => {
        const spend = { cost: 0, toolCalls: task.spend.toolCalls + calls.length };
        const question = callLimitQuestion(task.budget, spend);
        if (question !== null) {
          const answered = task.answers.some((answer) => answer.question === question);
          return fail({ kind: answered ? "rejected" : "budget", message: question });
        }
        const record = (problem?: string) => {
          const call = { toolId, capability, cost: 0, durationMs: 0, ok: problem === undefined };
          calls.push(problem === undefined ? call : { ...call, problem });
          this.calls.push(problem === undefined ? call : { ...call, problem });
        };
        if (
          !usable(grants).some(
            (tool) => tool.id === toolId && tool.capabilities.includes(capability),
          )
        ) {
          const message = `Agent "ada" has no access to tool "${toolId}"; grant access with POST /agents/tools/access.`;
          record(message);
          return fail({ kind: "rejected", message });
        }
        const definition = BUILTIN_TOOLS.find(({ id }) => id === toolId);
        const known = definition?.capabilities.find(({ id }) => id === capability);
        if (known === undefined) throw new Error(`There is no ${toolId}/${capability}`);
        // Parameters are sent as JSON, so a test must not pass other values.
        const sent = asJson(parameters);
        const problems = checkParameters(known, sent);
        const outcome =
          problems.length > 0 ? fail(problems) : await runBuiltin(toolId, capability, sent);
        if (outcome.ok) {
          record();
          return ok(asJson(outcome.value));
        }
        const [first] = outcome.failure;
        const message = `parameters.${first?.path} ${first?.message}.`;
        record(message);
        return fail({ kind: "failed", message });
      },
      saveFile: async ({ type, name, format, bytes }) => {
        const key = `${task.attempt}.${task.round}/${name}`;
        files.set(key, { format, bytes });
        return { type, name, format, size: bytes.byteLength, key, createdAt: this.#now };
      },
    };
  }

  /** Runs one step and commits it as the task's object does. */
  async step(): Promise<StepOutcome> {
    const context = this.createContext();
    const outcome = await runReportStep(this.task, context);
    const { attempt } = this.task;
    const { calls } = context;
    switch (outcome.kind) {
      case "progress": {
        const { progress, phase, work } = outcome;
        this.command({ type: "progress", attempt, data: { progress, phase, calls, work } });
        break;
      }
      case "block": {
        const { why, question, work } = outcome;
        this.command({ type: "block", attempt, data: { kind: why, question, calls, work } });
        break;
      }
      case "submit":
      case "complete":
        this.command({ type: outcome.kind, attempt, outcome: outcome.outcome, calls });
        break;
      case "hold":
        this.command({ type: "hold", attempt, work: outcome.work });
        break;
      case "fail":
        this.command({ type: "fail", attempt, error: outcome.error, calls });
    }
    return outcome;
  }

  /** Runs steps until the task is no longer in progress; returns the phases and the progress. */
  async run(): Promise<[phase: string, progress: number][]> {
    const trail: [string, number][] = [];
    for (let steps = 0; this.task.status === "in_progress"; steps += 1) {
      if (steps > 20) throw new Error(`The task does not end: ${JSON.stringify(trail)}`);
      await this.step();
      trail.push([this.task.currentPhase ?? "", this.task.progress]);
    }
    return trail;
  }

  async runToPhase(phase: string): Promise<void> {
    for (let steps = 0; this.task.currentPhase !== phase; steps += 1) {
      if (steps > 20 || this.task.status !== "in_progress") throw new Error(`No phase ${phase}`);
      await this.step();
    }
  }

  get outcome() {
    const outcome = outcomeOf(this.task);
    if (outcome === null)
      throw new Error(`The task is ${this.task.status}: ${JSON.stringify(errorOf(this.task))}`);
    return outcome;
  }

  /** The quality of the outcome. Built-in agents always rate their work. */
  get quality() {
    if (this.outcome.quality === null) throw new Error("The outcome has no quality");
    return this.outcome.quality;
  }

  names(): string[] {
    return this.outcome.deliverables.map(({ name }) => name);
  }

  /** Returns the bytes of the deliverable with this name. */
  bytes(name: string): Uint8Array {
    const key = this.outcome.deliverables.find((one) => one.name === name)?.key ?? "";
    const file = this.files.get(key);
    if (file === undefined) throw new Error(`There is no ${name} among ${this.names().join(", ")}`);
    return file.bytes;
  }

  text(name: string): string {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(this.bytes(name));
  }
}

function usable(grants: AgentHarness["grants"]): UsableTool[] {
  return BUILTIN_TOOLS.flatMap(({ id, name, category, capabilities }) => {
    const granted = grants.get(id);
    if (granted === undefined) return [];
    return [{ id, name, category, capabilities: granted ?? capabilities.map((one) => one.id) }];
  });
}

function asJson(value: JsonObject): JsonObject {
  const parsed: Json = JSON.parse(JSON.stringify(value));
  if (!isJsonObject(parsed)) throw new Error("Not an object");
  return parsed;
}

export function penguins(): JsonObject[] {
  return PENGUINS;
}

/** Formats rows as CSV. No cell in the penguin data needs quoting. */
export function toCsv(rows: readonly JsonObject[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => names.map((name) => row[name] ?? "").join(","));
  return [names.join(","), ...lines].join("\n");
}
