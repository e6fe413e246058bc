import type { Artifact, Message } from "@a2a-js/sdk";
import * as z from "zod";
import {
  A2A_FINDING_CHARACTERS_MAX,
  A2A_FINDINGS_MAX,
  A2A_TEXT_CHARACTERS_MAX,
} from "../../../domain/limits.ts";
import type { Outcome } from "../../../domain/task.ts";
import { cut } from "../../../domain/text.ts";
import type { Stored } from "./files.ts";
import { textOf } from "./words.ts";

const PERCENT = z.number().min(0).max(100);
const FINDINGS = z
  .array(z.string().transform((text) => cut(text, A2A_FINDING_CHARACTERS_MAX)))
  .transform((all) => all.filter((text) => text !== "").slice(0, A2A_FINDINGS_MAX));
const QUALITY = z.object({
  score: PERCENT,
  accuracy: PERCENT,
  completeness: PERCENT,
  clarity: PERCENT,
});

/** A result as agents may give it in a data part; what has another form is as if it were not there. */
const RESULT = z.object({
  summary: z.string().nullish().catch(null),
  insights: FINDINGS.nullish().catch(null),
  recommendations: FINDINGS.nullish().catch(null),
  quality: QUALITY.nullish().catch(null),
});
const SAID_NOTHING = "The agent completed the task without a word.";

/** The outcome of what an agent says and hands over. Nothing is judged or added that it does not say itself. */
export function outcomeOf(
  message: Message | null,
  artifacts: readonly Artifact[],
  { deliverables, notes }: Stored,
): Outcome {
  const parts = [...(message?.parts ?? []), ...artifacts.flatMap((artifact) => artifact.parts)];
  const result = parts
    .flatMap(({ content }) => {
      const parsed = RESULT.safeParse(content?.$case === "data" ? content.value : null);
      return parsed.success ? [parsed.data] : [];
    })
    .find((one) => Object.values(one).some((value) => value !== null && value !== undefined));
  const texts = artifacts
    .map((artifact) => textOf(artifact.parts, ""))
    .filter((text) => text !== "");
  const said =
    result?.summary?.trim() || textOf(message?.parts ?? []) || texts.join("\n\n") || SAID_NOTHING;
  return {
    result: {
      summary: withNotes(said, notes),
      insights: result?.insights ?? [],
      recommendations: result?.recommendations ?? [],
    },
    quality: result?.quality ?? null,
    deliverables,
  };
}

function withNotes(said: string, notes: readonly string[]): string {
  if (notes.length === 0) return cut(said, A2A_TEXT_CHARACTERS_MAX);
  const told = cut(notes.join("\n"), A2A_TEXT_CHARACTERS_MAX / 2);
  return `${cut(said, A2A_TEXT_CHARACTERS_MAX - told.length - 2)}\n\n${told}`;
}
