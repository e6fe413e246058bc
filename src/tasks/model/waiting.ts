import type { Pause, PauseCause } from "../../agents/model/pause.ts";
import { toIsoTime } from "../../kernel/text.ts";
import { type BlockKind, isActive, slotOf, type Task } from "./task.ts";

/** What a task can wait for. */
const WAIT_KINDS = ["agent", "slot", "pause", "question", "review", "retry", "turn"] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/**
 * Why a task waits for an agent. `unassigned`: no suitable agent is available. `unavailable`: the requested agent is
 * not available. `unclaimed`: no worker of the assigned agent has claimed the task or, if it is in progress, continued
 * it.
 */
export const AGENT_WAIT_REASONS = ["unassigned", "unavailable", "unclaimed"] as const;
type AgentWaitReason = (typeof AGENT_WAIT_REASONS)[number];

/** The question of a blocked task. `id` is the `seq` of the event that asked it, so it is unique within the task. */
interface OpenQuestion {
  readonly id: string;
  readonly kind: BlockKind;
  readonly text: string;
  /** The approvals that the task waits for; absent for other questions. */
  readonly approvalIds?: readonly string[];
}

/** The fields that only some kinds of wait have. `agentId`: null if any agent can do the task. */
interface WaitFields {
  readonly agent: { readonly reason: AgentWaitReason; readonly agentId: string | null };
  readonly slot: { readonly agentId: string };
  readonly pause: { readonly agentId: string; readonly cause: PauseCause };
  readonly question: { readonly question: OpenQuestion };
  readonly review: unknown;
  /** The next attempt starts at `at`. */
  readonly retry: { readonly at: number };
  /** The agent's last `failures` turns failed, and another one starts or started at `at`. */
  readonly turn: { readonly failures: number; readonly at: number };
}

/** Why a task is not progressing. Times are in milliseconds since 1970. `message` is for people. */
export type TaskWait<Kind extends WaitKind = WaitKind> = {
  [K in Kind]: {
    readonly kind: K;
    readonly since: number;
    readonly message: string;
  } & WaitFields[K];
}[Kind];

/** Why a task is not progressing at `now`; null if it has ended, its agent is working or its next step is due. */
export function waitingFor(task: Task, now: number): TaskWait | null {
  return dropEndedWait(findWait(task), now);
}

/** The wait that a task's state describes. It can have ended since then (see `dropEndedWait`). */
export function findWait(task: Task): TaskWait | null {
  switch (task.status) {
    case "pending":
      return task.agentId === null ? agentWait(task) : retryWait(task);
    case "assigned":
      return slotOf(task) === "queued" ? queueWait(task) : null;
    case "in_progress":
      if (isActive(task)) return turnWait(task);
      return slotOf(task) === "queued" ? queueWait(task) : null;
    case "blocked":
      return questionWait(task);
    case "review":
      return {
        kind: "review",
        since: task.lastStepAt,
        message: "The work is ready for review.",
      };
    case "completed":
    case "failed":
    case "cancelled":
      return null;
  }
}

/** The wait, or null if it has ended at `now` without an event. */
export function dropEndedWait(wait: TaskWait | null, now: number): TaskWait | null {
  return wait?.kind === "retry" && wait.at <= now ? null : wait;
}

function agentWait(task: Task<"pending">): TaskWait<"agent"> {
  const { requestedAgentId: agentId, teamId, excludedAgentIds, lastStepAt: since } = task;
  if (agentId !== null) {
    const member = teamId === null ? "" : `, or not a member of team ${teamId}`;
    const message = `Agent ${agentId}, which was requested, is disabled or no longer registered${member}.`;
    return { kind: "agent", since, message, reason: "unavailable", agentId };
  }
  const other = excludedAgentIds.length === 0 ? "" : "other ";
  const team = teamId === null ? "" : ` of team ${teamId}`;
  const message = `No ${other}agent${team} is available. The service keeps searching for one.`;
  return { kind: "agent", since, message, reason: "unassigned", agentId };
}

function retryWait({
  attempt,
  attempts,
  notBefore,
  lastStepAt,
}: Task<"pending">): TaskWait<"retry"> | null {
  if (notBefore === null || notBefore <= lastStepAt) return null;
  const start = `Attempt ${attempt} starts at ${toIsoTime(notBefore)}.`;
  const lost = attempts.at(-1)?.error.message;
  const message = lost === undefined ? start : `${lost} ${start}`;
  return { kind: "retry", since: lastStepAt, message, at: notBefore };
}

/** The wait of a task in its agent's queue. Only the queue knows whether a worker's agent also lacks a free slot. */
function queueWait(task: Task): TaskWait<"agent" | "slot" | "pause"> | null {
  const { agentId, terms, lastStepAt: since, pause } = task;
  if (agentId === null) return null;
  if (pause !== undefined) return pauseWait(agentId, since, pause);
  const { executor, maxConcurrentTasks: slots } = terms;
  if (executor === "worker") {
    const full = slots === null ? "" : `, or its ${countSlots(slots)} in use`;
    const message = `No worker of agent ${agentId} has ${claimOf(task)} yet${full}.`;
    return { kind: "agent", since, message, reason: "unclaimed", agentId };
  }
  const message =
    slots === null
      ? `Agent ${agentId} is paused, or was until now.`
      : `Agent ${agentId} has no free slot: its ${countSlots(slots)} in use.`;
  return { kind: "slot", since, message, agentId };
}

function pauseWait(agentId: string, queuedSince: number, pause: Pause): TaskWait<"pause"> {
  const { at, cause, reason } = pause;
  const why = reason === null ? "" : `: ${reason}`;
  const end = /[.!?]$/.test(why) ? "" : ".";
  const message = `Agent ${agentId} is paused${why}${end} The task continues when the agent is resumed.`;
  return { kind: "pause", since: Math.max(queuedSince, at), message, agentId, cause };
}

/** What no worker has done yet. If the task is in progress, a worker has already claimed the attempt. */
function claimOf({ status, attempt }: Task): string {
  if (status === "in_progress") return "continued the task";
  return attempt === 1 ? "claimed the task" : `claimed attempt ${attempt} of the task`;
}

function countSlots(slots: number): string {
  return slots === 1 ? "only slot is" : `${slots} slots are`;
}

const QUESTION_MESSAGES: Readonly<Record<BlockKind, string>> = {
  input: "The agent needs information.",
  approval: "The agent needs approval.",
  auth: "The agent needs permission or credentials.",
  budget: "The task's budget is used up.",
  dependency: "The agent cannot continue until something else has happened.",
};

function questionWait({ blocked }: Task<"blocked">): TaskWait<"question"> {
  const { seq, kind, question: text, since, approvalIds } = blocked;
  const awaited = approvalIds === undefined ? {} : { approvalIds };
  const question = { id: String(seq), kind, text, ...awaited };
  return { kind: "question", since, message: QUESTION_MESSAGES[kind], question };
}

function turnWait({ turnError, retriedTurn }: Task<"in_progress">): TaskWait<"turn"> | null {
  if (retriedTurn === undefined) return null;
  const { failures, at } = retriedTurn;
  // A turn that was lost has no error.
  const { at: since, message: reason } = turnError ?? {
    at,
    message: "The last turn returned no result.",
  };
  const turns = failures === 1 ? "The agent's last turn" : `The agent's last ${failures} turns`;
  const message = `${turns} failed. The service will retry. ${reason}`;
  return { kind: "turn", since, message, failures, at };
}
