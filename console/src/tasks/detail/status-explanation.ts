import type { Tone } from "../../ui/badge.tsx";
import type { Sentence } from "./text-parts.ts";

/** Why a task has its status, and what a person can do. */
export interface StatusExplanation {
  readonly tone: Tone;
  readonly sentence: Sentence;
  readonly advice?: string;
  readonly actions?: readonly StatusAction[];
}

/** An action that may let a waiting task continue. `isFirst`: the task has no agent and requests none. */
export type StatusAction =
  | { readonly kind: "open_agent"; readonly agentId: string }
  | { readonly kind: "enable_agent"; readonly agentId: string }
  /** `maximum`: the new maximum of concurrent tasks. */
  | { readonly kind: "raise_maximum"; readonly agentId: string; readonly maximum: number }
  | { readonly kind: "change_agent"; readonly isFirst: boolean }
  | { readonly kind: "change_priority" };
