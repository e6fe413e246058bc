import type { AgentTerms } from "../../../../src/agents/model/agent.ts";
import {
  toReportCommand,
  type TaskCommand,
  type WorkerReport,
} from "../../../../src/tasks/model/command.ts";
import { SETTLED_STATUSES } from "../../../../src/governance/model/approval-status.ts";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { PRIORITIES, REVIEW_DECISIONS, type Task } from "../../../../src/tasks/model/task.ts";
import type { Clock } from "./clock.ts";
import type { Rng } from "../../../support/rng.ts";
import { AGENT_ERROR, choice, buildCreated, OUTCOME, REPORTS, SECOND } from "../fixtures.ts";
import { isOverdue, drawCommandType } from "./command-weights.ts";

/** Characteristics of a run. Most runs are ordinary. */
export interface RunTraits {
  readonly clock: Clock;
  /** The task fails and is retried as often as possible. */
  readonly isStubborn: boolean;
  /** The task receives more data than it may store. */
  readonly isHoarder: boolean;
}

/**
 * The generator's inputs besides the task: the run's traits, its agents' settings, and the lease
 * tokens granted so far.
 */
export interface RunContext {
  readonly traits: RunTraits;
  readonly terms: Readonly<Record<"ada" | "bob", AgentTerms>>;
  readonly tokens: readonly string[];
}

export const FORGED_TOKEN = "forged";

const DAY = 24 * 3_600 * SECOND;
const CALL = { toolId: "t", capability: "c", cost: 0.5, durationMs: 1, ok: true };
const CALLS = [[], [CALL], [CALL], [CALL, CALL]] as const;
const USE = { inputTokens: 900, outputTokens: 40, cost: 0.25 };
/** Large in relation to the limits of 1 MiB for a context and 100,000 characters for notes. */
const BIG = "x".repeat(300_000);
const LONG = "n".repeat(30_000);

const CONTEXTS: readonly [JsonObject, ...JsonObject[]] = [
  {},
  { a: 1 },
  { a: null, b: "x" },
  { b: { deep: [1, { er: null }] } },
  JSON.parse('{"__proto__":{"deep":[1]},"a":"y"}'),
  JSON.parse('{"__proto__":null}'),
];

/** Draws the next command. It is usually one that the task allows, but can be any command. */
export function drawCommand(rng: Rng, task: Task, world: RunContext, now: number): TaskCommand {
  const isAnything = rng.oneIn(world.traits.isHoarder ? 40 : 5);
  const type = drawCommandType(rng, isAnything ? null : task, world.traits, now);
  const isStale = rng.oneIn(12);
  const attempt = isStale ? task.attempt + rng.pick([-1, 1]) : task.attempt;
  const named = rng.pick(["ada", "bob"]);
  const calls = rng.pick(CALLS);
  const use = rng.oneIn(2) ? { use: USE } : {};
  switch (type) {
    case "create":
      return { type, data: buildCreated({ fingerprint: rng.pick(["f", "other"]) }) };
    case "assign": {
      const own = task.agentId === "bob" ? "bob" : "ada";
      const chosen = task.agentId === null || rng.oneIn(12) ? named : own;
      return { type, choice: choice(chosen), terms: world.terms[chosen] };
    }
    case "decline":
      return { type, reason: "no" };
    case "admit":
      return { type, agentId: askerOf(rng, task), grant: grantFor(rng, task, world) };
    case "release":
      return { type, agentId: askerOf(rng, task), reason: "disabled" };
    case "endLease":
      return { type, keyId: rng.oneIn(3) ? "another" : (task.lease?.keyId ?? "none") };
    case "hold":
      return { type, attempt, work: rng.pick(CONTEXTS) };
    case "report":
      return toReportCommand(tokenFor(rng, task, world), reportOf(rng, task, world));
    case "progress": {
      // The service's own executors limit the work that they save, so it is small.
      const data = { phase: rng.pick(["drafting", "checking"]), calls, work: rng.pick(CONTEXTS) };
      return { type, attempt, data: { ...data, progress: amountOf(rng), ...use } };
    }
    case "block": {
      const kind = rng.pick(["input", "budget", "approval", "auth", "dependency"]);
      const data = { kind, question: "?", calls, work: rng.pick(CONTEXTS), ...use };
      const approvalIds = approvalIdsOf(rng, task);
      return { type, attempt, data: approvalIds.length === 0 ? data : { ...data, approvalIds } };
    }
    case "requestApproval": {
      const approvalId = rng.oneIn(4) ? approvalIdOf(rng, task) : `approval-${task.seq}`;
      const data = { approvalId, toolId: "t", capability: "c", sha256: "00ff" };
      return { type, attempt, data };
    }
    case "settleApproval": {
      const status = rng.pick(SETTLED_STATUSES);
      const result = status === "executed" ? "{}" : null;
      const settlement = { approvalId: approvalIdOf(rng, task), status, message: "so", result };
      return { type, settlement };
    }
    case "spend":
      return { type, calls, ...use };
    case "respond":
      return { type, response: responseOf(rng, world) };
    case "submit":
    case "complete":
      return { type, attempt, outcome: OUTCOME, calls, ...use };
    case "review":
      return { type, decision: rng.pick(REVIEW_DECISIONS), comment: rng.pick([null, "so"]) };
    case "fail":
      return { type, attempt, error: AGENT_ERROR, calls, ...use };
    case "cancel":
      return { type, reason: rng.pick([null, "enough"]) };
    case "retry": {
      const context = rng.oneIn(2) ? contextOf(rng, world) : null;
      const given = { reassign: rng.oneIn(3), choice: rng.oneIn(6) ? null : choice(named) };
      const notes = rng.oneIn(4) ? { notes: notesOf(world) } : {};
      return { type, attempt, ...given, context, ...notes };
    }
    case "update":
      return { type, ...changeOf(rng, task, world, now) };
    case "rate":
      return { type, feedback: { rating: rng.between(1, 5) } };
    case "start":
      return { type };
    case "expire":
      return { type, jitter: rng.next() };
  }
}

/** Usually the id of one of the task's approvals. */
function approvalIdOf(rng: Rng, { approvals }: Task): string {
  const ids = approvals.map(({ approvalId }) => approvalId);
  return ids[rng.below(ids.length + 1)] ?? "unknown";
}

/** Sometimes returns approvals of the task, which a block then waits for. */
function approvalIdsOf(rng: Rng, { approvals }: Task): string[] {
  if (approvals.length === 0 || rng.oneIn(3)) return [];
  return approvals.slice(-rng.between(1, 2)).map(({ approvalId }) => approvalId);
}

/** Usually returns the task's own agent, whose queue sends the command. */
function askerOf(rng: Rng, task: Task): string {
  return rng.oneIn(10) || task.agentId === null ? rng.pick(["ada", "bob"]) : task.agentId;
}

/** Grants a lease to workers and a slot to other agents, and occasionally the wrong one. */
function grantFor(rng: Rng, task: Task, { tokens }: RunContext) {
  const isForWorker = task.terms.executor === "worker";
  if (isForWorker === rng.oneIn(16)) return null;
  const worker = rng.pick([null, "laptop"]);
  const keyId = rng.pick(["0123456789abcdef", "fedcba9876543210"]);
  return { token: `lease-${tokens.length + 1}`, worker, seconds: rng.between(5, 60), keyId };
}

/**
 * Usually returns the token of the current lease, if there is one. Otherwise returns any lease
 * token, often the last one, or a forged token.
 */
function tokenFor(rng: Rng, task: Task, { tokens }: RunContext): string {
  if (task.lease !== null && !rng.oneIn(8)) return task.lease.token;
  if (rng.oneIn(3)) return tokens.at(-1) ?? FORGED_TOKEN;
  return tokens[rng.below(tokens.length + 1)] ?? FORGED_TOKEN;
}

const OFTEN = ["progress", "progress", "progress", "heartbeat", "blocked", "file"] as const;
const LARGE_REPORTS = ["file", "file", "file", "file", "file", "progress"] as const;

function reportOf(rng: Rng, task: Task, world: RunContext): WorkerReport {
  const isHoarding = world.traits.isHoarder && !rng.oneIn(60);
  // After releasing a task, a worker may repeat its report until another worker claims the task.
  const isRepeat = task.lease?.isReturned === true && rng.oneIn(4);
  const usual = isRepeat
    ? "released"
    : rng.pick([...OFTEN, "review", "completed", "failed", "released"]);
  const report: WorkerReport = REPORTS[isHoarding ? rng.pick(LARGE_REPORTS) : usual];
  const isFree = report.type === "heartbeat" || report.type === "file" || rng.oneIn(2);
  const plain: WorkerReport = isFree ? report : { ...report, cost: 0.75 };
  switch (plain.type) {
    case "progress":
      return {
        ...plain,
        progress: isHoarding ? 99 : amountOf(rng),
        work: contextOf(rng, world),
      };
    case "blocked":
      return { ...plain, question: rng.pick(["Which year?", "?"]), work: contextOf(rng, world) };
    case "file": {
      const name = `report-${rng.below(world.traits.isHoarder ? 300 : 3)}.md`;
      return { ...plain, file: { ...plain.file, name } };
    }
    case "released":
      return { ...plain, work: contextOf(rng, world) };
    case "failed":
      return { ...plain, message: rng.pick(["It broke.", "It burnt."]) };
    default:
      return plain;
  }
}

/** Draws a progress value as reported by an agent. It may be a fraction or out of range. */
function amountOf(rng: Rng): number {
  return rng.oneIn(3) ? rng.next() * 130 - 10 : rng.between(0, 100);
}

function contextOf(rng: Rng, { traits: character }: RunContext): JsonObject {
  if (character.isHoarder && rng.oneIn(2)) return { [`hoard-${rng.below(6)}`]: BIG };
  return rng.pick(CONTEXTS);
}

function responseOf(rng: Rng, { traits: character }: RunContext): string | JsonObject | null {
  if (character.isHoarder && rng.oneIn(2)) return BIG;
  return rng.pick(["go on", null, { maxToolCalls: 9 }, { maxCost: 3 }]);
}

function notesOf({ traits: character }: RunContext): string {
  return character.isHoarder ? LONG : "n";
}

function changeOf(
  rng: Rng,
  task: Task,
  world: RunContext,
  now: number,
): Pick<Extract<TaskCommand, { type: "update" }>, "change" | "choice"> {
  switch (isOverdue(task, now) ? 0 : rng.below(6)) {
    case 0:
      return { change: { deadline: now + deadlineAfterMs(rng) } };
    case 1:
      return { change: { priority: rng.pick(PRIORITIES) } };
    case 2:
      return { change: { notes: notesOf(world) } };
    case 3:
      return { change: {}, choice: choice(rng.pick(["ada", "bob"])) };
    case 4: {
      const given = choice(rng.pick(["ada", "bob"]));
      return { change: { priority: rng.pick(PRIORITIES) }, choice: given };
    }
    default:
      return { change: { context: contextOf(rng, world) } };
  }
}

/**
 * Draws the number of milliseconds until a deadline. It is usually valid (at most four years), but
 * sometimes negative, zero or too large.
 */
function deadlineAfterMs(rng: Rng): number {
  const bad = rng.pick([-DAY, -1, 0, 6 * 366 * DAY]);
  return rng.oneIn(5) ? bad : rng.pick([1, rng.below(3_600) * SECOND, DAY, 4 * 365 * DAY]);
}
