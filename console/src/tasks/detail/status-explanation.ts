import type { Tone } from "../../ui/badge.tsx";
import type { Sentence } from "./text-parts.ts";

/** Why a task is where it is, and what a person can do about it. */
export interface StatusExplanation {
  readonly tone: Tone;
  readonly sentence: Sentence;
  readonly advice?: string;
  readonly actions?: readonly StatusAction[];
}

/** What may let a waiting task continue. `isFirst`: the task has no agent yet. */
export type StatusAction =
  | { readonly kind: "open_agent"; readonly agentId: string }
  | { readonly kind: "change_agent"; readonly isFirst: boolean }
  | { readonly kind: "change_priority" };
