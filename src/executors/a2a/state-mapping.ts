import type { TaskState } from "@a2a-js/sdk";
import type { BlockKind } from "../../tasks/model/task.ts";

/**
 * What a remote task's state means for ours. `defaultText` is used if the agent sends no message; `prefix`
 * precedes its message.
 */
export type RemoteStateMapping =
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
  prefix: "The A2A agent is in a state that A2A 1.0 does not know. It says: ",
  defaultText: "The A2A agent is in a state that A2A 1.0 does not know.",
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
  /** TASK_STATE_CANCELED: by the agent itself. */
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

/** Why the agent is sent a message. */
export type A2aMessageReason = "start" | "answer" | "changes";

/**
 * Whether a message continues the remote task and context. A task that has ended never restarts in A2A, so
 * changes create a new task that refers to it.
 */
export const A2A_MESSAGE_TARGETS: Readonly<
  Record<A2aMessageReason, { readonly task: "new" | "same"; readonly context: "new" | "same" }>
> = {
  /** Each attempt starts a new context, because the old one may have caused the failure. */
  start: { task: "new", context: "new" },
  answer: { task: "same", context: "same" },
  changes: { task: "new", context: "same" },
};
