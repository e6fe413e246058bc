import { shown } from "../../../domain/problem.ts";
import { inspectSchema } from "../../schema/inspect.ts";
import { metered } from "../../schema/work.ts";
import type { DraftCapability } from "../draft.ts";
import type { Notes } from "./notes.ts";
import { cut } from "./text.ts";

/** Half a second; GitHub's, Stripe's and Galaxy's patterns take a thousandth of it all together. */
const UNITS_MAX = 500_000;
const PARAMETER_CHARACTERS_MAX = 100;
const UNCHECKED =
  "The pattern is not checked, and its parameter for its plain type alone, as RE2 cannot run it (no lookaround or backreferences, no lengths or counts over 1,000)";

/** Notes the patterns of parameters that the check of a call could not run, each once. */
export async function notePatterns(
  capabilities: readonly DraftCapability[],
  notes: Notes,
): Promise<void> {
  const patterns = patternsOf(capabilities);
  if (patterns.size === 0) return;
  const { linearPattern } = await import("../../schema/linear-pattern.ts");
  let tried = 0;
  const trial = metered(UNITS_MAX, (spend) => {
    for (const [source, place] of patterns) {
      const isRunnable = linearPattern(source, spend).ok;
      tried += 1;
      if (!isRunnable) notes.add(UNCHECKED, `${shown(source)} (first in ${place})`);
    }
  });
  if (trial.ok) return;
  for (const [source] of [...patterns].slice(tried)) {
    notes.add(
      "The pattern was not tried out, as there are too many or too large ones",
      shown(source),
    );
  }
}

/** Each pattern with the first parameter that has it. */
function patternsOf(capabilities: readonly DraftCapability[]): ReadonlyMap<string, string> {
  const patterns = new Map<string, string>();
  for (const { id, parameters } of capabilities) {
    for (const { name, schema } of parameters) {
      // Most schemas have none, which their text tells sooner than a walk.
      if (schema === undefined || !JSON.stringify(schema).includes('"pattern')) continue;
      for (const source of inspectSchema(schema).patterns.keys()) {
        if (patterns.has(source)) continue;
        patterns.set(source, `${cut(name, PARAMETER_CHARACTERS_MAX)} of ${id}`);
      }
    }
  }
  return patterns;
}
