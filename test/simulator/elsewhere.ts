import type { StepExecutor, TurnOutcome } from "../../src/executors/contract.ts";
import { INLINE_FILE_BYTES_MAX } from "../../src/tasks/limits.ts";
import type { Task } from "../../src/tasks/model/task.ts";
import type { ExecutorTurn, TurnMessage } from "../../src/tasks/model/turn.ts";
import { bystander } from "./clock.ts";
import type { Ledger } from "./ledger.ts";
import { stepOutcome } from "./outcomes.ts";
import { pause } from "./pause.ts";
import { withSmallFiles } from "./small-files.ts";
import type { World } from "./world.ts";

/** The consumers of the queue of turns, which brings each message at least once, late, and in any order. */
export class Elsewhere {
  readonly #world: World;
  readonly #ledger: Ledger;
  #consumers = 0;
  /** Whether the built-in agent stores a file in each step of a task. */
  readonly #storing = new Map<string, boolean>();

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
  }

  take(message: TurnMessage, delayMs: number): void {
    const { clock, dice, fates } = this.#world;
    const self = bystander(`consumer ${(this.#consumers += 1)}`);
    const lateMs = fates.chance(0.05, "turn late") ? dice.below(180_000) : dice.below(300);
    clock.after(delayMs + lateMs, () => void this.#handle(message), self);
    if (fates.chance(0.05, "turn twice")) this.take(message, delayMs + dice.below(30_000));
  }

  /** A step of the built-in agent, as somebody plays it: it may be slow, store a file, or break. */
  step(): StepExecutor {
    return async (task, hands) => {
      const { dice, fates } = this.#world;
      if (fates.chance(0.03, "step slow")) await pause(dice.below(60_000));
      const id = idOf(task);
      const mark = this.#ledger.mark(id, "step");
      const outcome = stepOutcome(dice, task, mark, fates.isOver);
      const isStoring = this.#storing.get(id) ?? dice.oneIn(2);
      this.#storing.set(id, isStoring);
      if (!isStoring) return outcome;
      if (this.#world.setting.areFilesSmall) return withSmallFiles(task, hands, mark, outcome);
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
    const { fates } = this.#world;
    if (message.kind === "cancel") return fates.note("called off");
    // A consumer that ends has acknowledged nothing: the message comes again.
    if (fates.chance(0.05, "consumer ended")) return this.take(message, 15_000);
    try {
      await this.#takeTurn(message.taskId, message.turn);
    } catch {
      // As in src/executors/turn-consumer.ts: the task itself sends again what it does not hear of.
    }
  }

  async #takeTurn(taskId: string, turn: ExecutorTurn): Promise<void> {
    const { dice, fates } = this.#world;
    const port = this.#world.port(taskId);
    const task = await port.beginTurn(turn);
    if (task === null) return;
    this.#ledger.show(taskId, task);
    if (dice.oneIn(4)) await this.#progress(taskId, task, turn);
    await pause(fates.chance(0.05, "turn lost") ? 200_000 : dice.below(8_000));
    if (fates.chance(0.05, "consumer ended in a turn")) return;
    const mark = this.#ledger.mark(taskId, "turn");
    this.#world.trace?.(`a turn of ${taskId} ends (${mark})`);
    await port.endTurn(turn, this.#outcome(task, mark));
  }

  async #progress(taskId: string, task: Task, turn: ExecutorTurn): Promise<void> {
    const mark = this.#ledger.mark(taskId, "progress of a turn");
    const progress = { progress: task.progress + 1, phase: "reading", work: { mark } };
    const isAwaited = await this.#world.port(taskId).progressTurn(turn, progress);
    this.#ledger.tell(mark, isAwaited ? "done" : "refused");
  }

  #outcome(task: Task, mark: string): TurnOutcome {
    const { dice, fates } = this.#world;
    if (!fates.isOver && dice.oneIn(6)) {
      return { kind: "again", afterMs: dice.below(20_000), fault: dice.oneIn(2) ? mark : null };
    }
    const outcome = stepOutcome(dice, task, mark, fates.isOver);
    const use = { inputTokens: 10, outputTokens: 1, cost: 0.01 };
    return dice.oneIn(3) ? { ...outcome, use } : outcome;
  }
}

/** Tasks are told by their words here; what is done in a step is not told which task it is. */
function idOf({ task }: Task): string {
  return task.replace("task ", "");
}
