import fc from "fast-check";
import type { AgentTerms } from "../../src/domain/agent.ts";
import { LEGAL_FROM, type Command, type CommandType } from "../../src/domain/commands.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import { placeOf } from "../../src/domain/place.ts";
import type { Report } from "../../src/domain/report.ts";
import { REVIEW_DECISIONS, type ReviewDecision, type Task } from "../../src/domain/task.ts";
import { AGENT_ERROR, choice, createdWith, OUTCOME, REPORTS, SECOND, T0 } from "./play.ts";

/** One move of a random life: which command, what it carries, and how long after the one before. */
export interface Move {
  readonly pick: number;
  readonly decision: ReviewDecision;
  /** Most moves are legal, or lives would end at once; the others may be anything. */
  readonly lawful: boolean;
  readonly stale: boolean;
  readonly number: number;
  readonly flag: boolean;
  readonly context: JsonObject;
  readonly report: keyof typeof REPORTS;
  readonly leaseSeconds: number;
  readonly jitter: number;
  readonly afterMs: number;
  /** How far from the end of the lease, where there is one, instead of `afterMs`. */
  readonly besideLeaseEndMs: number | null;
}

/** What a move finds beside the task: its agents' terms, and the leases granted so far. */
export interface World {
  readonly terms: Readonly<Record<"ada" | "bob", AgentTerms>>;
  readonly tokens: readonly string[];
}

export const FORGED = "forged";

const CALL = { toolId: "t", capability: "c", cost: 0.5, durationMs: 1, ok: true };
const USE = { inputTokens: 900, outputTokens: 40, cost: 0.25 };

const json = fc.dictionary(
  fc.constantFrom("a", "b", "__proto__"),
  fc.constantFrom<JsonObject[string]>(null, 1, "x", { deep: [1] }),
);

export const move: fc.Arbitrary<Move> = fc.record({
  pick: fc.noBias(fc.nat(10_000)),
  decision: fc.constantFrom(...REVIEW_DECISIONS),
  lawful: oneIn(4).map((rare) => !rare),
  stale: oneIn(8),
  number: fc.double({ min: -10, max: 120, noNaN: true }),
  flag: fc.boolean(),
  context: json,
  report: fc.constantFrom(...namesOf(REPORTS), "progress", "progress", "heartbeat", "blocked"),
  leaseSeconds: fc.integer({ min: 5, max: 60 }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  // A clock may stand still, run on, leap past a deadline, or be set back a little.
  afterMs: fc.oneof(
    { weight: 30, arbitrary: fc.integer({ min: -500, max: 20 * SECOND }) },
    { weight: 1, arbitrary: fc.nat(40 * 24 * 3_600 * SECOND) },
  ),
  besideLeaseEndMs: fc.option(fc.constantFrom(-1, 0, 1), { freq: 8 }),
});

/** When a move is made, after one at `now`. */
export function momentOf({ afterMs, besideLeaseEndMs }: Move, task: Task, now: number): number {
  if (besideLeaseEndMs === null || task.lease === null || task.openedSeq === 0) {
    return now + afterMs;
  }
  return task.lease.expiresAt + besideLeaseEndMs;
}

export function commandOf(given: Move, task: Task, world: World, now: number): Command {
  const all = typesFor(given.lawful ? task : null, now);
  const type = all[given.pick % all.length] ?? "tick";
  const attempt = given.stale ? task.attempt - 1 : task.attempt;
  const named = given.flag ? "bob" : "ada";
  const agent = choice(named);
  const use = given.flag ? { use: USE } : {};
  switch (type) {
    case "create":
      return { type, data: createdWith({ fingerprint: given.flag ? "f" : "other" }) };
    case "assign": {
      const chosen = task.agentId === "bob" || task.agentId === "ada" ? task.agentId : named;
      return { type, choice: choice(chosen), terms: world.terms[chosen] };
    }
    case "decline":
      return { type, reason: "no" };
    case "admit":
      return { type, agentId: agentOf(given, task), grant: grantFor(given, task, world) };
    case "release":
      return { type, agentId: agentOf(given, task), reason: "disabled" };
    case "report":
      return { type, token: tokenFor(given, task, world), report: reportOf(given) };
    case "progress": {
      const { number: progress, context: work } = given;
      const data = { progress, phase: "drafting", calls: [CALL], work, ...use };
      return { type, attempt, data };
    }
    case "block": {
      const kind = given.flag ? "input" : "budget";
      const data = { kind, question: "?", calls: [CALL], work: given.context, ...use } as const;
      return { type, attempt, data };
    }
    case "spend":
      return { type, calls: [CALL], ...use };
    case "respond":
      return { type, response: given.flag ? { maxToolCalls: 9 } : "go on" };
    case "submit":
    case "complete":
      return { type, attempt, outcome: OUTCOME, calls: [CALL], ...use };
    case "review": {
      const { decision } = given;
      return { type, decision, comment: given.flag ? "so" : null };
    }
    case "fail":
      return { type, attempt, error: AGENT_ERROR, calls: [CALL], ...use };
    case "cancel":
      return { type, reason: null };
    case "retry": {
      const context = given.flag ? given.context : null;
      return { type, attempt, reassign: given.flag, choice: agent, context };
    }
    case "update": {
      const deadline = T0 + Math.round(given.number * 3_600 * SECOND);
      const change = given.flag ? { deadline } : { context: given.context, notes: "n" };
      return { type, change };
    }
    case "rate":
      return { type, feedback: { rating: 3 } };
    case "start":
      return { type };
    case "tick":
      return { type, jitter: given.jitter };
  }
}

/** Mostly the task's own agent, whose queue it is that asks. */
function agentOf({ stale, flag }: Move, task: Task): string {
  return stale || task.agentId === null ? (flag ? "bob" : "ada") : task.agentId;
}

/** A lease for workers, a mere place for others; now and then the wrong one of the two. */
function grantFor({ stale, flag, leaseSeconds: seconds }: Move, task: Task, { tokens }: World) {
  const isForWorker = task.terms.executor === "worker";
  if (isForWorker === (stale && flag)) return null;
  return { token: `lease-${tokens.length + 1}`, worker: flag ? "laptop" : null, seconds };
}

/** Mostly that of the lease that stands; now and then an older or a forged one. */
function tokenFor({ stale, pick }: Move, task: Task, { tokens }: World): string {
  const any = [...tokens, FORGED];
  return stale || task.lease === null ? (any[pick % any.length] ?? FORGED) : task.lease.token;
}

function reportOf({ report, number: progress, context }: Move): Report {
  const plain: Report = REPORTS[report];
  if (plain.type === "progress") return { ...plain, progress, work: context };
  return plain.type === "blocked" ? { ...plain, work: context } : plain;
}

/** What can be asked, each as often as it weighs: what moves a task on more often than what ends it. */
function typesFor(task: Task | null, now: number): CommandType[] {
  const types = namesOf(LEGAL_FROM);
  const fit = types.filter((type) => task === null || LEGAL_FROM[type].includes(task.status));
  const weights = task === null ? WEIGHTS : { ...WEIGHTS, ...weightsOf(task, now) };
  return fit.flatMap((type) => Array.from({ length: weights[type] ?? 6 }, () => type));
}

type Weights = Partial<Record<CommandType, number>>;

const WEIGHTS: Weights = {
  cancel: 1,
  fail: 1,
  tick: 2,
  update: 2,
  rate: 1,
  admit: 1,
  release: 1,
  report: 2,
};

/** What brings a task with this agent forward. */
function weightsOf(task: Task, now: number): Weights {
  const others: Weights = { start: 1, decline: 1, progress: 1, block: 1, submit: 1, complete: 1 };
  if (task.status === "pending") return { assign: 12 };
  if (placeOf(task) === "waiting") return { ...others, admit: 20, release: 3 };
  if (task.terms.executor !== "worker") return {};
  // What time owes mostly comes before anything else does.
  const isLost = task.lease !== null && task.lease.expiresAt <= now;
  return { ...others, report: 20, tick: isLost ? 40 : 2 };
}

function oneIn(count: number): fc.Arbitrary<boolean> {
  return fc.noBias(fc.integer({ min: 1, max: count })).map((drawn) => drawn === 1);
}

/** The keys of a record that is written out in full. */
function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(record) as Name[];
}
