import type { Artifact, Message, StreamResponse, Task, TaskState, TaskStatus } from "@a2a-js/sdk";
import { A2A_ID_CHARACTERS_MAX } from "./limits.ts";
import type { BlockKind } from "../../tasks/model/task.ts";

const STATUS_KEY_CHARACTERS_MAX = 200;

/** The state of one remote task. Ignores events for other tasks, and all events after the state is settled. */
export class RemoteTaskState {
  taskId: string | null;
  contextId: string | null = null;
  state: TaskState | null = null;
  message: Message | null = null;
  /** The complete response, if the agent sent a message instead of a task. */
  reply: Message | null = null;
  /** The percentage in an event's metadata, from 0 to 99. */
  reportedProgress: number | null = null;
  /** Identifies a status. Equal keys mean the same status. */
  statusKey = "";
  readonly artifacts = new Map<string, Artifact>();

  /** The key of a status whose question has been answered. This status is ignored. */
  readonly #answeredStatusKey: string | null;

  constructor(taskId: string | null, answeredStatusKey: string | null) {
    this.taskId = taskId;
    this.#answeredStatusKey = answeredStatusKey;
  }

  get mapping(): RemoteStateMapping | null {
    return this.state === null ? null : REMOTE_STATE_MAPPINGS[this.state];
  }

  /** Whether the agent is waiting for people or has finished its work. */
  get isSettled(): boolean {
    return this.reply !== null || (this.mapping !== null && this.mapping.kind !== "working");
  }

  apply({ payload }: StreamResponse): void {
    if (payload === undefined || this.isSettled) return;
    switch (payload.$case) {
      case "message":
        if (this.taskId !== null) return;
        this.reply = payload.value;
        this.contextId = payload.value.contextId || null;
        return;
      case "task":
        return this.#applyTask(payload.value);
      case "statusUpdate": {
        const { taskId, contextId, status, metadata } = payload.value;
        if (!this.#isFollowedTask(taskId, contextId)) return;
        this.#applyProgress(metadata);
        this.#applyStatus(status);
        return;
      }
      case "artifactUpdate": {
        const { taskId, contextId, artifact, append, metadata } = payload.value;
        if (artifact === undefined || !this.#isFollowedTask(taskId, contextId)) return;
        this.#applyProgress(metadata);
        this.#applyArtifact(artifact, append);
      }
    }
  }

  #applyTask({ id, contextId, status, artifacts, metadata }: Task): void {
    if (!this.#isFollowedTask(id, contextId)) return;
    this.#applyProgress(metadata);
    const seen = new Set<string>();
    for (const [index, artifact] of artifacts.entries()) {
      // Artifacts with equal ids in one list are separate artifacts.
      const { artifactId } = artifact;
      const key = seen.has(artifactId) ? `${artifactId} ${index}` : artifactId;
      seen.add(key);
      this.artifacts.set(key, artifact);
    }
    this.#applyStatus(status);
  }

  #applyStatus(status: TaskStatus | undefined): void {
    if (status === undefined) return;
    const { state, message, timestamp } = status;
    const key = [state, timestamp ?? "", message?.messageId ?? ""]
      .join(" ")
      .slice(0, STATUS_KEY_CHARACTERS_MAX);
    if (key === this.#answeredStatusKey) return;
    this.state = state;
    this.message = message ?? null;
    this.statusKey = key;
    this.#applyProgress(message?.metadata);
  }

  #applyArtifact(artifact: Artifact, append: boolean): void {
    const before = append ? this.artifacts.get(artifact.artifactId) : undefined;
    if (before === undefined) this.artifacts.set(artifact.artifactId, artifact);
    else for (const part of artifact.parts) before.parts.push(part);
  }

  #applyProgress(metadata: Task["metadata"]): void {
    const reported: unknown = metadata?.["progress"];
    if (typeof reported === "number" && reported >= 0 && reported < 100)
      this.reportedProgress = Math.floor(reported);
  }

  /**
   * Checks whether an event belongs to the followed task. If no task is followed yet, starts to follow the first one
   * that appears.
   */
  #isFollowedTask(taskId: string, contextId: string): boolean {
    if (taskId === "" || taskId.length > A2A_ID_CHARACTERS_MAX) return false;
    this.taskId ??= taskId;
    if (this.taskId !== taskId) return false;
    if (contextId.length <= A2A_ID_CHARACTERS_MAX) this.contextId ??= contextId || null;
    return true;
  }
}

/**
 * The meaning of a remote state. `prefix` precedes the agent's message; `defaultText` is used if there is no message.
 */
type RemoteStateMapping =
  | { readonly kind: "working"; readonly phase: string }
  | {
      readonly kind: "input_required";
      readonly blockKind: BlockKind & ("input" | "auth");
      readonly defaultText: string;
    }
  | { readonly kind: "completed" }
  | {
      readonly kind: "failed";
      readonly retryable: boolean;
      readonly prefix: string;
      readonly defaultText: string;
    };

const UNKNOWN_STATE: RemoteStateMapping = {
  kind: "failed",
  retryable: false,
  prefix: "The A2A agent is in a state that A2A 1.0 does not define. It says: ",
  defaultText: "The A2A agent is in a state that A2A 1.0 does not define.",
};

/** Every state of A2A 1.0, by its number in the protocol's schema. */
export const REMOTE_STATE_MAPPINGS: Readonly<Record<TaskState, RemoteStateMapping>> = {
  /** TASK_STATE_UNSPECIFIED */
  0: UNKNOWN_STATE,
  /** TASK_STATE_SUBMITTED */
  1: { kind: "working", phase: "submitted" },
  /** TASK_STATE_WORKING */
  2: { kind: "working", phase: "working" },
  /** TASK_STATE_COMPLETED */
  3: { kind: "completed" },
  /** TASK_STATE_FAILED */
  4: {
    kind: "failed",
    retryable: true,
    prefix: "",
    defaultText: "The A2A agent failed without saying why.",
  },
  /** TASK_STATE_CANCELED: the agent itself cancelled its work. */
  5: {
    kind: "failed",
    retryable: true,
    prefix: "The A2A agent cancelled its work: ",
    defaultText: "The A2A agent cancelled its work without saying why.",
  },
  /** TASK_STATE_INPUT_REQUIRED */
  6: {
    kind: "input_required",
    blockKind: "input",
    defaultText: "The A2A agent needs input, but does not say what.",
  },
  /** TASK_STATE_REJECTED: a retry would be rejected again. */
  7: {
    kind: "failed",
    retryable: false,
    prefix: "The A2A agent rejected the task: ",
    defaultText: "The A2A agent rejected the task without saying why.",
  },
  /** TASK_STATE_AUTH_REQUIRED */
  8: {
    kind: "input_required",
    blockKind: "auth",
    defaultText: "The A2A agent needs you to authenticate with it, but does not say where.",
  },
  /** UNRECOGNIZED */
  [-1]: UNKNOWN_STATE,
};
