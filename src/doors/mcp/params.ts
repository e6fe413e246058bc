import * as z from "zod";
import type { Problem } from "../../domain/problem.ts";
import { validate } from "../../http/validate.ts";

const object = z.record(z.string(), z.unknown());
const PARAMS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["tools/list", z.object({ params: z.object({ cursor: z.string().optional() }).optional() })],
  [
    "tools/call",
    z.object({ params: z.object({ name: z.string(), arguments: object.optional() }) }),
  ],
  [
    "initialize",
    z.object({
      params: z.object({
        protocolVersion: z.string(),
        capabilities: object,
        clientInfo: z.object({ name: z.string(), version: z.string() }),
      }),
    }),
  ],
]);

/** What is wrong with a request's params, in the words of all other requests; the SDK then judges the rest. */
export function paramsProblems(method: string, params: unknown): readonly Problem[] {
  const schema = PARAMS.get(method);
  if (schema === undefined) return [];
  const read = validate(schema, params === undefined ? {} : { params });
  return read.ok ? [] : read.failure;
}
