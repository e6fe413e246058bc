import type { ExecutorType } from "./agent.ts";
import type { JsonObject } from "./json.ts";
import { splitTask } from "./task-input/split.ts";
import type { Choice, ScoredCandidate } from "./task.ts";
import type { Category } from "./tool.ts";

/** An agent that could take a task. `load`: live tasks in hand. `rating`: mean of feedback, 1 to 5. */
export interface Candidate {
  readonly agentId: string;
  readonly agentName: string;
  readonly skills: readonly string[];
  readonly categories: readonly Category[];
  readonly load: number;
  readonly rating: number | null;
  readonly executor: ExecutorType;
  /** Tasks that it works on at once; null: any number. With as many in hand it is full. */
  readonly maxConcurrentTasks: number | null;
}

/** Live tasks by their agents. */
export type Loads = ReadonlyMap<string, number>;

/** Candidates with what they have in hand beside what was counted. */
export function addLoads(candidates: readonly Candidate[], loads: readonly Loads[]): Candidate[] {
  return candidates.map((candidate) => {
    const further = loads.map((counted) => counted.get(candidate.agentId) ?? 0);
    return { ...candidate, load: further.reduce((sum, one) => sum + one, candidate.load) };
  });
}

/** What a task asks of its agent: the words it is told in, and the kinds of tools it will want. */
export interface Need {
  readonly words: readonly string[];
  /** Categories that can read what the task brings: who has none of them comes last. */
  readonly reading: readonly Category[];
  /** All categories that the work could use. */
  readonly categories: readonly Category[];
}

const SKILL_POINTS = 4;
const GRANT_POINTS = 3;
/** For a mean rating of 5; 1 costs as many, and nobody's rating counts as 3. */
const RATING_POINTS = 1;
/** What an agent with endlessly many live tasks loses; four of them cost half of it. */
const LOAD_POINTS = 4;
const LOAD_HALF = 4;
/** Lost by a model that has no tool for the tables it reads: it counts badly, so skill alone does not win. */
const UNAIDED_POINTS = 5;
/** Lost by an agent without a free place: more than all of the above together can make up. */
const FULL_POINTS = 20;
/** Lost by an agent that cannot read what the task brings: even waiting for one that can is better. */
const READING_POINTS = 40;
/** What nobody knows of agents that bring tools of their own counts as the middle, like no rating. */
const OWN_TOOLS_SHARE = 0.5;
const RATING_MIDDLE = 3;
const RATING_HALF_RANGE = 2;
/** Inflections share their first letters: "analyse" and "analysis" meet at "analy". */
const STEM_CHARACTERS = 5;
const SCORED_CANDIDATES_MAX = 10;

/** The best candidate with its reasons and how the others scored, or null when there is none. */
export function chooseAgent(need: Need, candidates: readonly Candidate[]): Choice | null {
  const scored = candidates
    .map((candidate) => ({ candidate, score: score(need, candidate) }))
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
    reasons: reasons(need, best.candidate),
    candidates: scored
      .slice(0, SCORED_CANDIDATES_MAX)
      .map((one): ScoredCandidate => ({ agentId: one.candidate.agentId, score: one.score })),
  };
}

/** The choice when the caller named the agent. */
export function requestedAgent(candidate: Candidate): Choice {
  return {
    agentId: candidate.agentId,
    agentName: candidate.agentName,
    reasons: ["asked for by name"],
    candidates: [],
  };
}

/** The agent of a choice that was no choice, as people had named it. */
export function requestedIn(choice: Choice | null): string | null {
  return choice !== null && choice.candidates.length === 0 ? choice.agentId : null;
}

/**
 * What a task needs, derived from its text, its context and the requested deliverables. If the context has
 * nothing to read, the input in the task's own text counts.
 */
export function needOf(task: string, deliverables: readonly string[], context: JsonObject): Need {
  const isInContext = ["csv", "data", "text"].some((key) => Object.hasOwn(context, key));
  const kind = isInContext ? null : (splitTask(task).input?.kind ?? null);
  const has = (key: string): boolean => Object.hasOwn(context, key) || kind === key;
  const asks = (...types: string[]): boolean => deliverables.some((type) => types.includes(type));
  const reading: Category[] = [];
  if (has("csv") || has("data")) reading.push("data");
  if (has("text")) reading.push("research");
  const making: Category[] = [];
  if (asks("chart", "presentation", "report")) making.push("creative");
  if (asks("spreadsheet")) making.push("integration");
  const told = words(`${task} ${deliverables.join(" ")}`);
  return { words: told, reading, categories: [...reading, ...making] };
}

function score(need: Need, candidate: Candidate): number {
  const rating = ((candidate.rating ?? RATING_MIDDLE) - RATING_MIDDLE) / RATING_HALF_RANGE;
  const total =
    SKILL_POINTS * share(matchingSkills(need, candidate).length, candidate.skills.length) +
    GRANT_POINTS * equipment(need, candidate) +
    RATING_POINTS * rating -
    LOAD_POINTS * share(candidate.load, candidate.load + LOAD_HALF) -
    (isFull(candidate) ? FULL_POINTS : 0) -
    readingLoss(need, candidate);
  // Adding zero makes the zero of a tie a plain one: -0 would differ from 0.
  return Math.round(total * 1_000) / 1_000 + 0;
}

function reasons(need: Need, candidate: Candidate): string[] {
  const skills = matchingSkills(need, candidate);
  const { load, maxConcurrentTasks, rating } = candidate;
  const full = isFull(candidate) ? `, as many as it takes at once (${maxConcurrentTasks})` : "";
  return [
    skills.length === 0 ? "no skill named in the task" : `skills: ${skills.join(", ")}`,
    toolsReason(need, candidate),
    `${load} live ${load === 1 ? "task" : "tasks"}${full}`,
    rating === null ? "not rated yet" : `rated ${rating.toFixed(1)}`,
  ];
}

function toolsReason(need: Need, candidate: Candidate): string {
  const held = heldCategories(need, candidate).length;
  if (need.categories.length === 0) return "no particular tools needed";
  if (held === 0 && bringsTools(candidate)) return "brings tools of its own";
  return `tools for ${held} of ${need.categories.length} needs (${need.categories.join(", ")})`;
}

/** The share of the needs that the agent has tools for, as far as that is known. */
function equipment(need: Need, candidate: Candidate): number {
  if (need.categories.length === 0) return 0;
  const granted = share(heldCategories(need, candidate).length, need.categories.length);
  return bringsTools(candidate) ? Math.max(granted, OWN_TOOLS_SHARE) : granted;
}

/** Built-in agents read with their tools alone, models by themselves, others as only they know. */
function readingLoss({ reading }: Need, candidate: Candidate): number {
  const { categories, executor } = candidate;
  const hasTool = reading.some((category) => categories.includes(category));
  if (reading.length === 0 || hasTool || bringsTools(candidate)) return 0;
  if (executor !== "model") return READING_POINTS;
  return reading.includes("research") ? 0 : UNAIDED_POINTS;
}

/** What works elsewhere has tools that no grant of ours tells of. */
function bringsTools({ executor }: Candidate): boolean {
  return executor === "a2a" || executor === "worker";
}

function isFull({ load, maxConcurrentTasks }: Candidate): boolean {
  return maxConcurrentTasks !== null && load >= maxConcurrentTasks;
}

function matchingSkills(need: Need, candidate: Candidate): string[] {
  const stems = new Set(need.words.map(stem));
  return candidate.skills.filter((skill) => words(skill).some((word) => stems.has(stem(word))));
}

function heldCategories(need: Need, candidate: Candidate): Category[] {
  return need.categories.filter((category) => candidate.categories.includes(category));
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}

function stem(word: string): string {
  return word.slice(0, STEM_CHARACTERS);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
