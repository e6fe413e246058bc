import type { TaskState } from "@a2a-js/sdk";
import type { BlockKind } from "../../tasks/model/task.ts";

/**
 * What a state of a task elsewhere is to ours. `otherwise` is said where the agent gives no words of
 * its own; `lead` stands before its words.
 */
export type RemoteStateMapping =
  | { readonly kind: "going"; readonly phase: string }
  | {
      readonly kind: "asks";
      readonly why: BlockKind & ("input" | "auth");
      readonly otherwise: string;
    }
  | { readonly kind: "done" }
  | {
      readonly kind: "over";
      readonly retryable: boolean;
      readonly lead: string;
      readonly otherwise: string;
    };

const UNKNOWN_STATE: RemoteStateMapping = {
  kind: "over",
  retryable: false,
  lead: "The A2A agent is in a state that A2A 1.0 does not know. It says: ",
  otherwise: "The A2A agent is in a state that A2A 1.0 does not know.",
};

/** Theirs to ours: every state of A2A 1.0, by its number in the protocol's schema. */
export const REMOTE_STATE_MAPPINGS: Readonly<Record<TaskState, RemoteStateMapping>> = {
  /** TASK_STATE_UNSPECIFIED */
  0: UNKNOWN_STATE,
  /** TASK_STATE_SUBMITTED */
  1: { kind: "going", phase: "submitted" },
  /** TASK_STATE_WORKING */
  2: { kind: "going", phase: "working" },
  /** TASK_STATE_COMPLETED */
  3: { kind: "done" },
  /** TASK_STATE_FAILED */
  4: {
    kind: "over",
    retryable: true,
    lead: "",
    otherwise: "The A2A agent failed without saying why.",
  },
  /** TASK_STATE_CANCELED: by the agent itself, as nobody here has asked for it. */
  5: {
    kind: "over",
    retryable: true,
    lead: "The A2A agent cancelled its work: ",
    otherwise: "The A2A agent cancelled its work without saying why.",
  },
  /** TASK_STATE_INPUT_REQUIRED */
  6: {
    kind: "asks",
    why: "input",
    otherwise: "The A2A agent needs input, but does not say what.",
  },
  /** TASK_STATE_REJECTED: the agent has decided; the same request would meet the same decision. */
  7: {
    kind: "over",
    retryable: false,
    lead: "The A2A agent rejected the task: ",
    otherwise: "The A2A agent rejected the task without saying why.",
  },
  /** TASK_STATE_AUTH_REQUIRED */
  8: {
    kind: "asks",
    why: "auth",
    otherwise: "The A2A agent needs you to authenticate with it, but does not say where.",
  },
  /** A name that is none of these. */
  [-1]: UNKNOWN_STATE,
};

/** What happens to our task that an agent is told of in a message. */
export type A2aMessageReason = "start" | "answer" | "changes";

/**
 * Ours to theirs. Approving, rejecting and feedback are nothing to an agent whose task has ended.
 * A task that has ended never starts again in A2A: changes make a new one that refers to it.
 */
export const A2A_MESSAGE_TARGETS: Readonly<
  Record<A2aMessageReason, { readonly task: "new" | "same"; readonly context: "new" | "same" }>
> = {
  /** Each attempt anew, as an earlier one may have gone wrong because of what was said in it. */
  start: { task: "new", context: "new" },
  answer: { task: "same", context: "same" },
  changes: { task: "new", context: "same" },
};
