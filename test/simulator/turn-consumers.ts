import type { StepExecutor, TurnOutcome } from "../../src/executors/contract.ts";
import { INLINE_FILE_BYTES_MAX } from "../../src/tasks/limits.ts";
import type { Task } from "../../src/tasks/model/task.ts";
import type { ExecutorTurn, TurnMessage } from "../../src/tasks/model/turn.ts";
import { createBystander } from "./virtual-clock.ts";
import type { RequestLog } from "./request-log.ts";
import { stepOutcome } from "./outcomes.ts";
import { pause } from "./pause.ts";
import { withSmallFiles } from "./small-files.ts";
import type { SimulatedPlatform } from "./platform.ts";

/**
 * The consumers of the turn queue, which delivers each message at least once, possibly late, and in
 * any order.
 */
export class TurnConsumers {
  readonly #world: SimulatedPlatform;
  readonly #ledger: RequestLog;
  #consumers = 0;
  /** Whether the built-in agent stores a file in each step, by task id. */
  readonly #storing = new Map<string, boolean>();

  constructor(platform: SimulatedPlatform, requestLog: RequestLog) {
    this.#world = platform;
    this.#ledger = requestLog;
  }

  take(message: TurnMessage, delayMs: number): void {
    const { clock, rng, faultPlan } = this.#world;
    const self = createBystander(`consumer ${(this.#consumers += 1)}`);
    const lateMs = faultPlan.chance(0.05, "turn late") ? rng.below(180_000) : rng.below(300);
    clock.after(delayMs + lateMs, () => void this.#handle(message), self);
    if (faultPlan.chance(0.05, "turn twice")) this.take(message, delayMs + rng.below(30_000));
  }

  /** Returns the built-in agent's step, which may be slow, store a file, or fail. */
  step(): StepExecutor {
    return async (task, hands) => {
      const { rng, faultPlan } = this.#world;
      if (faultPlan.chance(0.03, "step slow")) await pause(rng.below(60_000));
      const id = idOf(task);
      const mark = this.#ledger.mark(id, "step");
      const outcome = stepOutcome(rng, task, mark, faultPlan.isOver);
      const isStoring = this.#storing.get(id) ?? rng.oneIn(2);
      this.#storing.set(id, isStoring);
      if (!isStoring) return outcome;
      if (this.#world.scenario.areFilesSmall) return withSmallFiles(task, hands, mark, outcome);
      const bytes = new Uint8Array(INLINE_FILE_BYTES_MAX + 1);
      const file = await hands.saveFile({
        type: "report",
        name: mark,
        format: "text/plain",
        bytes,
      });
      if (outcome.kind !== "complete") return outcome;
      return { ...outcome, outcome: { ...outcome.outcome, deliverables: [file] } };
    };
  }

  async #handle(message: TurnMessage): Promise<void> {
    const { faultPlan } = this.#world;
    if (message.kind === "cancel") return faultPlan.note("remote work cancelled");
    // A crashed consumer acknowledges nothing, so the queue redelivers the message.
    if (faultPlan.chance(0.05, "consumer ended")) return this.take(message, 15_000);
    try {
      await this.#takeTurn(message.taskId, message.turn);
    } catch {
      // As in src/executors/turn-consumer.ts: without a result, the task sends the turn again.
    }
  }

  async #takeTurn(taskId: string, turn: ExecutorTurn): Promise<void> {
    const { rng, faultPlan } = this.#world;
    const port = this.#world.port(taskId);
    const task = await port.beginTurn(turn);
    if (task === null) return;
    this.#ledger.show(taskId, task);
    if (rng.oneIn(4)) await this.#progress(taskId, task, turn);
    await pause(faultPlan.chance(0.05, "turn lost") ? 200_000 : rng.below(8_000));
    if (faultPlan.chance(0.05, "consumer ended in a turn")) return;
    const mark = this.#ledger.mark(taskId, "turn");
    this.#world.trace?.(`a turn of ${taskId} ends (${mark})`);
    await port.endTurn(turn, this.#outcome(task, mark));
  }

  async #progress(taskId: string, task: Task, turn: ExecutorTurn): Promise<void> {
    const mark = this.#ledger.mark(taskId, "progress of a turn");
    const progress = { progress: task.progress + 1, phase: "reading", work: { mark } };
    const isAwaited = await this.#world.port(taskId).progressTurn(turn, progress);
    this.#ledger.tell(mark, isAwaited ? "done" : "rejected");
  }

  #outcome(task: Task, mark: string): TurnOutcome {
    const { rng, faultPlan } = this.#world;
    if (!faultPlan.isOver && rng.oneIn(6)) {
      return { kind: "again", afterMs: rng.below(20_000), failure: rng.oneIn(2) ? mark : null };
    }
    const outcome = stepOutcome(rng, task, mark, faultPlan.isOver);
    const use = { inputTokens: 10, outputTokens: 1, cost: 0.01 };
    return rng.oneIn(3) ? { ...outcome, use } : outcome;
  }
}

/** Extracts the task's id from its title, because a step does not receive the id. */
function idOf({ task }: Task): string {
  return task.replace("task ", "");
}
