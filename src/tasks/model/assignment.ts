import type { AgentChoice, ScoredCandidate, Task } from "./task.ts";
import type { ExecutorType } from "../../agents/model/agent.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { splitTaskText } from "./task-input/split-task.ts";
import type { Category } from "../../tools/model/tool.ts";

/** An agent that can be assigned to a task. `load`: the number of its live tasks. `rating`: its mean rating, 1 to 5. */
export interface Candidate {
  readonly agentId: string;
  readonly agentName: string;
  readonly skills: readonly string[];
  readonly categories: readonly Category[];
  readonly load: number;
  readonly rating: number | null;
  readonly executor: ExecutorType;
  /** How many tasks the agent can work on at once; null: unlimited. */
  readonly maxConcurrentTasks: number | null;
}

/** The task fields that determine which agent is assigned. */
export type AssignableTask = Pick<
  Task,
  "task" | "deliverableTypes" | "context" | "teamId" | "excludedAgentIds" | "requestedAgentId"
>;

export interface CandidateFilter {
  /** Only this agent. */
  readonly agentId: string | null;
  /** Only members of this team. */
  readonly teamId: string | null;
  readonly excludedAgentIds: readonly string[];
}

/** The candidates, and whether the requested agent and team exist and the agent is enabled. */
export interface CandidateSearch {
  readonly candidates: readonly Candidate[];
  readonly agentKnown: boolean;
  readonly agentEnabled: boolean;
  readonly teamKnown: boolean;
}

/** Live task counts by agent id. */
export type AgentLoads = ReadonlyMap<string, number>;

export function addLoads(
  candidates: readonly Candidate[],
  loads: readonly AgentLoads[],
): Candidate[] {
  return candidates.map((candidate) => {
    const further = loads.map((counted) => counted.get(candidate.agentId) ?? 0);
    return { ...candidate, load: further.reduce((sum, one) => sum + one, candidate.load) };
  });
}

/** What a task needs from its agent. `words` are matched against skills, `categories` against tools. */
export interface TaskNeeds {
  readonly words: readonly string[];
  /** Tool categories that can read the task's input. An agent with none of them may rank lower. */
  readonly inputCategories: readonly Category[];
  readonly categories: readonly Category[];
}

const SKILL_POINTS = 4;
const GRANT_POINTS = 3;
/** Added for a mean rating of 5, subtracted for a mean rating of 1. An agent without ratings counts as rated 3. */
const RATING_POINTS = 1;
/** The penalty for an infinite load. A load of LOAD_HALF costs half as much. */
const LOAD_POINTS = 4;
const LOAD_HALF = 4;
/** The penalty for a model that has no tool for the task's table, because models are bad at arithmetic. */
const NO_INPUT_TOOL_POINTS = 5;
/** The penalty for an agent without a free slot. It outweighs all of the above combined. */
const AT_CAPACITY_POINTS = 20;
/** The penalty for an agent that cannot read the input. It is better to wait for an agent that can. */
const UNREADABLE_INPUT_POINTS = 40;
/** The minimum tool coverage assumed for an external agent, whose own tools are unknown. */
const OWN_TOOLS_SHARE = 0.5;
const RATING_MIDDLE = 3;
const RATING_HALF_RANGE = 2;
/** Only the first five characters of words are compared, so "analyse" matches "analysis". */
const STEM_CHARACTERS = 5;
const SCORED_CANDIDATES_MAX = 10;

/**
 * Chooses the best candidate and returns it with the reasons and the ten highest scores; null if there are no
 * candidates.
 */
export function chooseAgent(need: TaskNeeds, candidates: readonly Candidate[]): AgentChoice | null {
  const scored = candidates
    .map((candidate) => ({ candidate, score: scoreCandidate(need, candidate) }))
    .toSorted(
      (a, b) =>
        b.score - a.score ||
        a.candidate.load - b.candidate.load ||
        (a.candidate.agentId < b.candidate.agentId ? -1 : 1),
    );
  const best = scored[0];
  if (best === undefined) return null;
  return {
    agentId: best.candidate.agentId,
    agentName: best.candidate.agentName,
    reasons: describeMatch(need, best.candidate),
    candidates: scored
      .slice(0, SCORED_CANDIDATES_MAX)
      .map((one): ScoredCandidate => ({ agentId: one.candidate.agentId, score: one.score })),
  };
}

/** The choice of an agent that the client requested. */
export function toRequestedChoice({
  agentId,
  agentName,
}: Pick<Candidate, "agentId" | "agentName">): AgentChoice {
  return {
    agentId,
    agentName,
    reasons: ["requested by the client"],
    candidates: [],
  };
}

/**
 * Derives what a task needs from its text, its context and the requested deliverables. If the context contains no
 * input, the input in the task's text is used.
 */
export function deriveTaskNeeds(
  task: string,
  deliverables: readonly string[],
  context: JsonObject,
): TaskNeeds {
  const isInContext = ["csv", "data", "text"].some((key) => Object.hasOwn(context, key));
  const kind = isInContext ? null : (splitTaskText(task).input?.kind ?? null);
  const has = (key: string): boolean => Object.hasOwn(context, key) || kind === key;
  const asks = (...types: string[]): boolean => deliverables.some((type) => types.includes(type));
  const reading: Category[] = [];
  if (has("csv") || has("data")) reading.push("data");
  if (has("text")) reading.push("research");
  const making: Category[] = [];
  if (asks("chart", "presentation", "report")) making.push("creative");
  if (asks("spreadsheet")) making.push("integration");
  const taskWords = wordsIn(`${task} ${deliverables.join(" ")}`);
  return { words: taskWords, inputCategories: reading, categories: [...reading, ...making] };
}

function scoreCandidate(need: TaskNeeds, candidate: Candidate): number {
  const rating = ((candidate.rating ?? RATING_MIDDLE) - RATING_MIDDLE) / RATING_HALF_RANGE;
  const total =
    SKILL_POINTS * ratio(matchingSkills(need, candidate).length, candidate.skills.length) +
    GRANT_POINTS * toolCoverage(need, candidate) +
    RATING_POINTS * rating -
    LOAD_POINTS * ratio(candidate.load, candidate.load + LOAD_HALF) -
    (isFull(candidate) ? AT_CAPACITY_POINTS : 0) -
    inputPenalty(need, candidate);
  // Adding 0 turns -0 into 0.
  return Math.round(total * 1_000) / 1_000 + 0;
}

function describeMatch(need: TaskNeeds, candidate: Candidate): string[] {
  const skills = matchingSkills(need, candidate);
  const { load, maxConcurrentTasks, rating } = candidate;
  const full = isFull(candidate) ? `, no free slot (limit ${maxConcurrentTasks})` : "";
  return [
    skills.length === 0 ? "no matching skills" : `skills: ${skills.join(", ")}`,
    describeTools(need, candidate),
    `${load} live ${load === 1 ? "task" : "tasks"}${full}`,
    rating === null ? "not rated yet" : `rated ${rating.toFixed(1)}`,
  ];
}

function describeTools(need: TaskNeeds, candidate: Candidate): string {
  const covered = grantedCategories(need, candidate).length;
  if (need.categories.length === 0) return "no specific tools needed";
  if (covered === 0 && hasOwnTools(candidate)) return "has its own tools";
  const { length } = need.categories;
  const noun = length === 1 ? "category" : "categories";
  return `tools for ${covered} of ${length} required ${noun} (${need.categories.join(", ")})`;
}

/** The share of the required tool categories that the agent covers or is assumed to cover. */
function toolCoverage(need: TaskNeeds, candidate: Candidate): number {
  if (need.categories.length === 0) return 0;
  const granted = ratio(grantedCategories(need, candidate).length, need.categories.length);
  return hasOwnTools(candidate) ? Math.max(granted, OWN_TOOLS_SHARE) : granted;
}

/**
 * Built-in agents need a tool to read input. Models can read text without one. External agents bring their own tools.
 */
function inputPenalty({ inputCategories }: TaskNeeds, candidate: Candidate): number {
  const { categories, executor } = candidate;
  const hasTool = inputCategories.some((category) => categories.includes(category));
  if (inputCategories.length === 0 || hasTool || hasOwnTools(candidate)) return 0;
  if (executor !== "model") return UNREADABLE_INPUT_POINTS;
  return inputCategories.includes("research") ? 0 : NO_INPUT_TOOL_POINTS;
}

/** External agents bring their own tools, which need no grants. */
function hasOwnTools({ executor }: Candidate): boolean {
  return executor === "a2a" || executor === "worker";
}

function isFull({ load, maxConcurrentTasks }: Candidate): boolean {
  return maxConcurrentTasks !== null && load >= maxConcurrentTasks;
}

function matchingSkills(need: TaskNeeds, candidate: Candidate): string[] {
  const stems = new Set(need.words.map(stemOf));
  return candidate.skills.filter((skill) => wordsIn(skill).some((word) => stems.has(stemOf(word))));
}

function grantedCategories(need: TaskNeeds, candidate: Candidate): Category[] {
  return need.categories.filter((category) => candidate.categories.includes(category));
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}

function stemOf(word: string): string {
  return word.slice(0, STEM_CHARACTERS);
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
