import type { Artifact, Message } from "@a2a-js/sdk";
import * as z from "zod";
import { A2A_FINDING_CHARACTERS_MAX, A2A_FINDINGS_MAX, A2A_TEXT_CHARACTERS_MAX } from "./limits.ts";
import type { TaskOutcome } from "../../tasks/model/task.ts";
import { sanitizeText } from "../../kernel/text.ts";
import type { SavedArtifacts } from "./save-artifacts.ts";
import { joinTextParts } from "./messages.ts";

const percentSchema = z.number().min(0).max(100);
const findingsSchema = z
  .array(z.string().transform((text) => sanitizeText(text, A2A_FINDING_CHARACTERS_MAX)))
  .transform((all) => all.filter((text) => text !== "").slice(0, A2A_FINDINGS_MAX));
const qualitySchema = z.object({
  score: percentSchema,
  accuracy: percentSchema,
  completeness: percentSchema,
  clarity: percentSchema,
});

/** A result in a data part; fields of another form are ignored. */
const resultSchema = z.object({
  summary: z.string().nullish().catch(null),
  insights: findingsSchema.nullish().catch(null),
  recommendations: findingsSchema.nullish().catch(null),
  quality: qualitySchema.nullish().catch(null),
});
const NO_SUMMARY = "The agent completed the task without a word.";

/** The outcome of an agent's message and artifacts. Nothing is added that the agent does not say itself. */
export function buildA2aOutcome(
  message: Message | null,
  artifacts: readonly Artifact[],
  { deliverables, notes }: SavedArtifacts,
): TaskOutcome {
  const parts = [...(message?.parts ?? []), ...artifacts.flatMap((artifact) => artifact.parts)];
  const result = parts
    .flatMap(({ content }) => {
      const parsed = resultSchema.safeParse(content?.$case === "data" ? content.value : null);
      return parsed.success ? [parsed.data] : [];
    })
    .find((one) => Object.values(one).some((value) => value !== null && value !== undefined));
  const texts = artifacts
    .map((artifact) => joinTextParts(artifact.parts, ""))
    .filter((text) => text !== "");
  const summary =
    result?.summary?.trim() ||
    joinTextParts(message?.parts ?? []) ||
    texts.join("\n\n") ||
    NO_SUMMARY;
  return {
    result: {
      summary: appendFileNotes(summary, notes),
      insights: result?.insights ?? [],
      recommendations: result?.recommendations ?? [],
    },
    quality: result?.quality ?? null,
    deliverables,
  };
}

function appendFileNotes(summary: string, notes: readonly string[]): string {
  if (notes.length === 0) return sanitizeText(summary, A2A_TEXT_CHARACTERS_MAX);
  const noteText = sanitizeText(notes.join("\n"), A2A_TEXT_CHARACTERS_MAX / 2);
  return `${sanitizeText(summary, A2A_TEXT_CHARACTERS_MAX - noteText.length - 2)}\n\n${noteText}`;
}
