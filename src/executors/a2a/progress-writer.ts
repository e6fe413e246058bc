import { A2A_PROGRESS_INTERVAL_MIN_MS } from "./limits.ts";
import type { Task } from "../../tasks/model/task.ts";
import { toSingleLine } from "../../kernel/text.ts";
import type { ExecutionContext } from "../contract.ts";
import { serializeA2aCheckpoint, type A2aCheckpoint } from "./checkpoint.ts";
import { computeProgressIntervalMs, estimateProgress } from "./intervals.ts";
import type { RemoteTaskState } from "./remote-task-state.ts";
import { joinTextParts } from "./messages.ts";

const PHASE_CHARACTERS_MAX = 100;

/** Writes down how far a turn has come: word of a new task at once, everything else now and then. */
export class ProgressWriter {
  readonly #context: ExecutionContext;
  #checkpoint: A2aCheckpoint;
  #writtenCheckpoint: A2aCheckpoint;
  #progress: number;
  #phase: string | null;
  #writtenStatusKey = "";
  #isStopped = false;

  constructor(context: ExecutionContext, task: Task, checkpoint: A2aCheckpoint) {
    this.#context = context;
    this.#checkpoint = checkpoint;
    this.#writtenCheckpoint = checkpoint;
    this.#progress = task.progress;
    this.#phase = task.currentPhase;
  }

  /** What the next turn must know. */
  get checkpoint(): A2aCheckpoint {
    return this.#checkpoint;
  }

  setCheckpoint(checkpoint: A2aCheckpoint): void {
    this.#checkpoint = checkpoint;
  }

  /** Whether nobody waits for the turn any more: the log takes no further word of it. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether the log tells of this task elsewhere. */
  isRecorded(taskId: string): boolean {
    return this.#writtenCheckpoint.taskId === taskId;
  }

  /** Whether the turn is to go on: what was heard is written down when it is new, and due. */
  async writeIfDue(remoteTask: RemoteTaskState, now: number): Promise<boolean> {
    const isDue = this.#isDue(now, A2A_PROGRESS_INTERVAL_MIN_MS);
    const shouldWrite =
      this.#hasUnwrittenCheckpoint ||
      (isDue && !remoteTask.isSettled && this.#hasNewProgress(remoteTask));
    if (shouldWrite && !this.#isStopped) await this.#write(remoteTask, now);
    return !this.#isStopped;
  }

  /** Writes down what was not due before; what a task comes to in this turn says the rest. */
  async flush(remoteTask: RemoteTaskState, now: number): Promise<void> {
    const isLive = remoteTask.reply === null && remoteTask.mapping?.kind !== "done";
    // A turn has one last word, so that it need not wait for the shortest pause.
    const isDue = remoteTask.isSettled || this.#isDue(now, 0);
    const shouldWrite =
      this.#hasUnwrittenCheckpoint || (isLive && isDue && this.#hasNewProgress(remoteTask));
    if (shouldWrite && !this.#isStopped) await this.#write(remoteTask, now);
  }

  #isDue(now: number, intervalMinMs: number): boolean {
    const { since, noted } = this.#checkpoint;
    return now - noted >= computeProgressIntervalMs(now - since, intervalMinMs);
  }

  /** Whether a crash would make the next turn say again what the agent has heard. */
  get #hasUnwrittenCheckpoint(): boolean {
    return this.#checkpoint !== this.#writtenCheckpoint;
  }

  #hasNewProgress({ reportedProgress, statusKey, isSettled }: RemoteTaskState): boolean {
    return (
      (reportedProgress !== null && reportedProgress > this.#progress) ||
      (!isSettled && statusKey !== this.#writtenStatusKey)
    );
  }

  async #write(remoteTask: RemoteTaskState, now: number): Promise<void> {
    const checkpoint = { ...this.#checkpoint, noted: now };
    this.#checkpoint = checkpoint;
    const phase = formatPhase(remoteTask);
    // The first word of a turn may be the last of the one before.
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
    else this.#isStopped = true;
  }
}

/** A few words of the agent on what it does, or the name of its state. */
function formatPhase({ mapping, message }: RemoteTaskState): string {
  if (mapping?.kind !== "going") return "working";
  const words =
    message === null ? "" : toSingleLine(joinTextParts(message.parts), PHASE_CHARACTERS_MAX);
  return words === "" ? mapping.phase : words;
}
