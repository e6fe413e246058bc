import type { Artifact, Message, StreamResponse, Task, TaskState, TaskStatus } from "@a2a-js/sdk";
import { A2A_ID_CHARACTERS_MAX } from "../../../domain/limits.ts";
import { toldProgress } from "./pace.ts";
import { STATES, type Meaning } from "./states.ts";

const MARK_CHARACTERS = 200;

/**
 * What has been heard of one task elsewhere. Events of other tasks and such without an id or a status
 * are passed over; after a state in which the agent waits or has ended, nothing more is believed.
 */
export class Sight {
  contextId: string | null = null;
  state: TaskState | null = null;
  message: Message | null = null;
  /** A message instead of a task: the whole answer. */
  reply: Message | null = null;
  /** Progress as the agent tells it, 0..99. */
  told: number | null = null;
  /** What tells one status from another; equal marks are the same status seen twice. */
  mark = "";
  readonly artifacts = new Map<string, Artifact>();

  /** The mark of a status that has been answered: seen once more, it is old news. */
  readonly #stale: string | null;
  #taskId: string | null;

  constructor(taskId: string | null, stale: string | null) {
    this.#taskId = taskId;
    this.#stale = stale;
  }

  get taskId(): string | null {
    return this.#taskId;
  }

  get meaning(): Meaning | null {
    return this.state === null ? null : STATES[this.state];
  }

  /** Whether the agent does nothing more for now. */
  get isSettled(): boolean {
    return this.reply !== null || (this.meaning !== null && this.meaning.kind !== "going");
  }

  hear({ payload }: StreamResponse): void {
    if (payload === undefined || this.isSettled) return;
    switch (payload.$case) {
      case "message":
        if (this.#taskId === null) this.#replied(payload.value);
        return;
      case "task":
        return this.#saw(payload.value);
      case "statusUpdate": {
        const { taskId, contextId, status, metadata } = payload.value;
        if (!this.#isOwn(taskId, contextId)) return;
        this.#progressed(metadata);
        this.#stands(status);
        return;
      }
      case "artifactUpdate": {
        const { taskId, contextId, artifact, append, metadata } = payload.value;
        if (artifact === undefined || !this.#isOwn(taskId, contextId)) return;
        this.#progressed(metadata);
        this.#handed(artifact, append);
      }
    }
  }

  #replied(message: Message): void {
    this.reply = message;
    this.contextId = message.contextId || null;
  }

  #saw({ id, contextId, status, artifacts, metadata }: Task): void {
    if (!this.#isOwn(id, contextId)) return;
    this.#progressed(metadata);
    const seen = new Set<string>();
    for (const [place, artifact] of artifacts.entries()) {
      // Two of one id in one list are two all the same.
      const { artifactId } = artifact;
      const key = seen.has(artifactId) ? `${artifactId} ${place}` : artifactId;
      seen.add(key);
      this.artifacts.set(key, artifact);
    }
    this.#stands(status);
  }

  #stands(status: TaskStatus | undefined): void {
    if (status === undefined) return;
    const { state, message, timestamp } = status;
    const mark = [state, timestamp ?? "", message?.messageId ?? ""]
      .join(" ")
      .slice(0, MARK_CHARACTERS);
    if (mark === this.#stale) return;
    this.state = state;
    this.message = message ?? null;
    this.mark = mark;
    this.#progressed(message?.metadata);
  }

  #handed(artifact: Artifact, append: boolean): void {
    const before = append ? this.artifacts.get(artifact.artifactId) : undefined;
    if (before === undefined) this.artifacts.set(artifact.artifactId, artifact);
    else for (const part of artifact.parts) before.parts.push(part);
  }

  #progressed(metadata: Task["metadata"]): void {
    this.told = toldProgress(metadata) ?? this.told;
  }

  /** The first task that is heard of is the one. */
  #isOwn(taskId: string, contextId: string): boolean {
    if (taskId === "" || taskId.length > A2A_ID_CHARACTERS_MAX) return false;
    this.#taskId ??= taskId;
    if (this.#taskId !== taskId) return false;
    if (contextId.length <= A2A_ID_CHARACTERS_MAX) this.contextId ??= contextId || null;
    return true;
  }
}
