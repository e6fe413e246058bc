import * as z from "zod";
import type { JsonObject } from "../../../domain/json.ts";
import { entryShape } from "./calls.ts";
import type { Source } from "./material.ts";

const planShape = z.object({
  sources: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(["table", "text"]),
      amount: z.string(),
      digest: z.string(),
    }),
  ),
  /** "table-analyst/profile" for each capability that the agent might use when it planned. */
  capabilities: z.array(z.string()),
});
export type Plan = z.infer<typeof planShape>;

const deliverableShape = z.object({
  type: z.string(),
  name: z.string(),
  format: z.string(),
  size: z.number(),
  key: z.string(),
  createdAt: z.number(),
  heldAt: z.number().exactOptional(),
});

const draftedShape = z.object({
  result: z.object({
    summary: z.string(),
    insights: z.array(z.string()),
    recommendations: z.array(z.string()),
  }),
  quality: z.object({
    score: z.number(),
    accuracy: z.number(),
    completeness: z.number(),
    clarity: z.number(),
  }),
  deliverables: z.array(deliverableShape),
});

const workShape = z.object({
  plan: planShape.nullable().default(null),
  gathered: z.array(entryShape).default([]),
  analysed: z.array(entryShape).default([]),
  /** Charts drawn before the budget stopped the drafting. */
  drawn: z.array(entryShape).default([]),
  drafted: draftedShape.nullable().default(null),
});

/** What the agent's earlier steps left: one key for each phase, in plain JSON. */
export type Work = z.infer<typeof workShape>;

/** Reads `task.work`, which holds nothing but what the steps of this agent wrote. */
export function workOf(work: JsonObject): Work {
  return workShape.parse(work);
}

/** The plan's memory of its sources, without their content. */
export function remembered(sources: readonly Source[]): Plan["sources"] {
  return sources.map(({ id, kind, amount, digest }) => ({ id, kind, amount, digest }));
}

/** Whether the material is still what was planned for: a context may change while work goes on. */
export function isAsPlanned(plan: Plan, sources: readonly Source[]): boolean {
  const digests = (of: readonly { id: string; digest: string }[]) =>
    of.map(({ id, digest }) => `${id} ${digest}`).join();
  return digests(plan.sources) === digests(sources);
}
