import type { Task } from "../../tasks/model/task.ts";
import { toSingleLine } from "../../kernel/text.ts";
import type { ExecutionContext } from "../contract.ts";
import { serializeA2aCheckpoint, type A2aCheckpoint } from "./checkpoint.ts";
import { A2A_PROGRESS_INTERVAL_MIN_MS, computeProgressIntervalMs } from "./intervals.ts";
import type { RemoteTaskState } from "./remote-task-state.ts";
import { joinTextParts } from "./messages.ts";

const PHASE_CHARACTERS_MAX = 100;
const ESTIMATED_PROGRESS_MAX = 90;
/** Each report without a figure advances progress by an eighth of the distance to the maximum. */
const PROGRESS_DIVISOR = 8;

/** Reports the progress of a turn. A changed checkpoint is reported at once, other progress at intervals. */
export class ProgressWriter {
  checkpoint: A2aCheckpoint;
  /** Whether the attempt has ended. The log then accepts no more reports from this turn. */
  isStopped = false;

  readonly #context: ExecutionContext;
  #writtenCheckpoint: A2aCheckpoint;
  #progress: number;
  #phase: string | null;
  #writtenStatusKey = "";

  constructor(context: ExecutionContext, task: Task, checkpoint: A2aCheckpoint) {
    this.#context = context;
    this.checkpoint = checkpoint;
    this.#writtenCheckpoint = checkpoint;
    this.#progress = task.progress;
    this.#phase = task.currentPhase;
  }

  isRecorded(taskId: string): boolean {
    return this.#writtenCheckpoint.taskId === taskId;
  }

  /** Reports a new checkpoint, or new progress if a report is due. Returns whether the turn continues. */
  async writeIfDue(remoteTask: RemoteTaskState, now: number): Promise<boolean> {
    const isDue = !remoteTask.isSettled && this.#isDue(now, A2A_PROGRESS_INTERVAL_MIN_MS);
    await this.#writeNew(remoteTask, isDue, now);
    return !this.isStopped;
  }

  /** Reports progress that was not due before, unless the outcome of the turn contains it. */
  async flush(remoteTask: RemoteTaskState, now: number): Promise<void> {
    const isLive = remoteTask.reply === null && remoteTask.mapping?.kind !== "completed";
    // The last report of a turn does not wait for the minimum interval.
    const isDue = remoteTask.isSettled || this.#isDue(now, 0);
    await this.#writeNew(remoteTask, isLive && isDue, now);
  }

  #isDue(now: number, intervalMinMs: number): boolean {
    const { since, noted } = this.checkpoint;
    return now - noted >= computeProgressIntervalMs(now - since, intervalMinMs);
  }

  #hasNewProgress({ reportedProgress, statusKey, isSettled }: RemoteTaskState): boolean {
    return (
      (reportedProgress !== null && reportedProgress > this.#progress) ||
      (!isSettled && statusKey !== this.#writtenStatusKey)
    );
  }

  async #writeNew(remoteTask: RemoteTaskState, isDue: boolean, now: number): Promise<void> {
    // A new checkpoint is always due. Without it, the next turn would repeat a message to the agent after a crash.
    const isCheckpointNew = this.checkpoint !== this.#writtenCheckpoint;
    const isNew = isCheckpointNew || (isDue && this.#hasNewProgress(remoteTask));
    if (!isNew || this.isStopped) return;
    const checkpoint = { ...this.checkpoint, noted: now };
    this.checkpoint = checkpoint;
    const phase = formatPhase(remoteTask);
    // The first report of a turn can repeat the last one of the previous turn. A repeat must not advance the progress.
    if (phase !== this.#phase || remoteTask.reportedProgress !== null) {
      this.#progress = estimateProgress(this.#progress, remoteTask.reportedProgress);
    }
    const continues = await this.#context.reportProgress({
      progress: this.#progress,
      phase,
      work: serializeA2aCheckpoint(checkpoint),
    });
    this.#phase = phase;
    this.#writtenStatusKey = remoteTask.statusKey;
    if (continues) this.#writtenCheckpoint = checkpoint;
    else this.isStopped = true;
  }
}

function formatPhase({ mapping, message }: RemoteTaskState): string {
  if (mapping?.kind !== "working") return "working";
  const text =
    message === null ? "" : toSingleLine(joinTextParts(message.parts), PHASE_CHARACTERS_MAX);
  return text === "" ? mapping.phase : text;
}

/** The progress after one more report: the agent's own figure, or else a step towards 90. It never decreases. */
export function estimateProgress(progress: number, reported: number | null): number {
  const step = Math.ceil((ESTIMATED_PROGRESS_MAX - progress) / PROGRESS_DIVISOR);
  return Math.max(progress, reported ?? progress + step);
}
