import * as z from "zod";

/** A JSON object whose keys are anybody's own. */
export function freeForm(description: string) {
  return z.record(z.string(), z.unknown()).meta({ description });
}
