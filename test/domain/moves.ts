import type { AgentTerms } from "../../src/agents/model/agent.ts";
import {
  toReportCommand,
  type TaskCommand,
  type WorkerReport,
} from "../../src/tasks/model/command.ts";
import type { TaskEventData } from "../../src/tasks/model/events.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { PRIORITIES, REVIEW_DECISIONS, type Task } from "../../src/tasks/model/task.ts";
import type { Clock } from "./clock.ts";
import type { Dice } from "./dice.ts";
import { AGENT_ERROR, choice, createdWith, OUTCOME, REPORTS, SECOND } from "./play.ts";
import { isOverdue, typeOf } from "./weights.ts";

/** What sort of life it is; most are ordinary. */
export interface Character {
  readonly clock: Clock;
  /** It fails and is retried, as often as that is allowed. */
  readonly isStubborn: boolean;
  /** It is given more than a task may hold. */
  readonly isHoarder: boolean;
}

/** What a move finds beside the task: its agents' terms, and the leases granted so far. */
export interface World {
  readonly character: Character;
  readonly terms: Readonly<Record<"ada" | "bob", AgentTerms>>;
  readonly tokens: readonly string[];
}

export const FORGED = "forged";

const DAY = 24 * 3_600 * SECOND;
const CALL = { toolId: "t", capability: "c", cost: 0.5, durationMs: 1, ok: true };
const CALLS = [[], [CALL], [CALL], [CALL, CALL]] as const;
const USE = { inputTokens: 900, outputTokens: 40, cost: 0.25 };
/** Of the one MiB that a context may hold, and of the 100,000 characters of notes. */
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

/** The next move: mostly something that fits the task, else anything at all. */
export function commandOf(dice: Dice, task: Task, world: World, now: number): TaskCommand {
  const isAnything = dice.oneIn(world.character.isHoarder ? 40 : 5);
  const type = typeOf(dice, isAnything ? null : task, world.character, now);
  const isStale = dice.oneIn(12);
  const attempt = isStale ? task.attempt + dice.of([-1, 1]) : task.attempt;
  const named = dice.of(["ada", "bob"]);
  const calls = dice.of(CALLS);
  const use = dice.oneIn(2) ? { use: USE } : {};
  switch (type) {
    case "create":
      return { type, data: createdWith({ fingerprint: dice.of(["f", "other"]) }) };
    case "assign": {
      const chosen = task.agentId === "bob" || task.agentId === "ada" ? task.agentId : named;
      return { type, choice: choice(chosen), terms: world.terms[chosen] };
    }
    case "decline":
      return { type, reason: "no" };
    case "admit":
      return { type, agentId: askerOf(dice, task), grant: grantFor(dice, task, world) };
    case "release":
      return { type, agentId: askerOf(dice, task), reason: "disabled" };
    case "endLease":
      return { type, keyId: dice.oneIn(3) ? "another" : (task.lease?.keyId ?? "none") };
    case "report":
      return toReportCommand(tokenFor(dice, task, world), reportOf(dice, task, world));
    case "progress": {
      // What our own executors leave for later is theirs to measure, and small.
      const data = { phase: dice.of(["drafting", "checking"]), calls, work: dice.of(CONTEXTS) };
      return { type, attempt, data: { ...data, progress: amountOf(dice), ...use } };
    }
    case "block": {
      const kind = dice.of(["input", "budget", "approval", "auth", "dependency"]);
      const data = { kind, question: "?", calls, work: dice.of(CONTEXTS), ...use };
      return { type, attempt, data };
    }
    case "spend":
      return { type, calls, ...use };
    case "respond":
      return { type, response: responseOf(dice, world) };
    case "submit":
    case "complete":
      return { type, attempt, outcome: OUTCOME, calls, ...use };
    case "review":
      return { type, decision: dice.of(REVIEW_DECISIONS), comment: dice.of([null, "so"]) };
    case "fail":
      return { type, attempt, error: AGENT_ERROR, calls, ...use };
    case "cancel":
      return { type, reason: dice.of([null, "enough"]) };
    case "retry": {
      const context = dice.oneIn(2) ? contextOf(dice, world) : null;
      const given = { reassign: dice.oneIn(3), choice: dice.oneIn(6) ? null : choice(named) };
      const notes = dice.oneIn(4) ? { notes: notesOf(world) } : {};
      return { type, attempt, ...given, context, ...notes };
    }
    case "update":
      return { type, change: changeOf(dice, task, world, now) };
    case "rate":
      return { type, feedback: { rating: dice.between(1, 5) } };
    case "start":
      return { type };
    case "tick":
      return { type, jitter: dice.roll() };
  }
}

/** Mostly the task's own agent, whose queue it is that asks. */
function askerOf(dice: Dice, task: Task): string {
  return dice.oneIn(10) || task.agentId === null ? dice.of(["ada", "bob"]) : task.agentId;
}

/** A lease for workers, a mere place for others; now and then the wrong one of the two. */
function grantFor(dice: Dice, task: Task, { tokens }: World) {
  const isForWorker = task.terms.executor === "worker";
  if (isForWorker === dice.oneIn(16)) return null;
  const worker = dice.of([null, "laptop"]);
  const keyId = dice.of(["0123456789abcdef", "fedcba9876543210"]);
  return { token: `lease-${tokens.length + 1}`, worker, seconds: dice.between(5, 60), keyId };
}

/** Usually the token of the current or last lease, whose worker may repeat its report; rarely another token. */
function tokenFor(dice: Dice, task: Task, { tokens }: World): string {
  if (task.lease !== null && !dice.oneIn(8)) return task.lease.token;
  if (dice.oneIn(3)) return tokens.at(-1) ?? FORGED;
  return tokens[dice.below(tokens.length + 1)] ?? FORGED;
}

const OFTEN = ["progress", "progress", "progress", "heartbeat", "blocked", "file"] as const;
const HOARDED = ["file", "file", "file", "file", "file", "progress"] as const;

function reportOf(dice: Dice, task: Task, world: World): WorkerReport {
  const isHoarding = world.character.isHoarder && !dice.oneIn(60);
  // A worker that has released a task repeats its report only until another worker claims the task.
  const isRepeat = task.lease?.isReturned === true && dice.oneIn(4);
  const usual = isRepeat
    ? "released"
    : dice.of([...OFTEN, "review", "completed", "failed", "released"]);
  const plain: WorkerReport = REPORTS[isHoarding ? dice.of(HOARDED) : usual];
  switch (plain.type) {
    case "progress":
      return {
        ...plain,
        progress: isHoarding ? 99 : amountOf(dice),
        work: contextOf(dice, world),
      };
    case "blocked":
      return { ...plain, question: dice.of(["Which year?", "?"]), work: contextOf(dice, world) };
    case "file": {
      const name = `report-${dice.below(world.character.isHoarder ? 300 : 3)}.md`;
      return { ...plain, file: { ...plain.file, name } };
    }
    case "released":
      return { ...plain, work: contextOf(dice, world) };
    case "failed":
      return { ...plain, message: dice.of(["It broke.", "It burnt."]) };
    default:
      return plain;
  }
}

/** As agents tell it: fractions, too little and too much included. */
function amountOf(dice: Dice): number {
  return dice.oneIn(3) ? dice.roll() * 130 - 10 : dice.between(0, 100);
}

function contextOf(dice: Dice, { character }: World): JsonObject {
  if (character.isHoarder && dice.oneIn(2)) return { [`hoard-${dice.below(6)}`]: BIG };
  return dice.of(CONTEXTS);
}

function responseOf(dice: Dice, { character }: World): string | JsonObject | null {
  if (character.isHoarder && dice.oneIn(2)) return BIG;
  return dice.of(["go on", null, { maxToolCalls: 9 }, { maxCost: 3 }]);
}

function notesOf({ character }: World): string {
  return character.isHoarder ? LONG : "n";
}

function changeOf(dice: Dice, task: Task, world: World, now: number): TaskEventData["updated"] {
  switch (isOverdue(task, now) ? 0 : dice.below(4)) {
    case 0:
      return { deadline: now + deadlineAfterMs(dice) };
    case 1:
      return { priority: dice.of(PRIORITIES) };
    case 2:
      return { notes: notesOf(world) };
    default:
      return { context: contextOf(dice, world) };
  }
}

/** Most lie in the minutes and years ahead; some too soon, some too late. */
function deadlineAfterMs(dice: Dice): number {
  const bad = dice.of([-DAY, -1, 0, 6 * 366 * DAY]);
  return dice.oneIn(5) ? bad : dice.of([1, dice.below(3_600) * SECOND, DAY, 4 * 365 * DAY]);
}
