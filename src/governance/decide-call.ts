import { fail, ok, preview, type Result } from "../kernel/result.ts";
import { toJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Capability } from "../tools/model/capability.ts";
import { compileLinearPattern } from "../tools/schema/linear-pattern.ts";
import { MATCHED_CHARACTERS_MAX } from "./limits.ts";
import { evaluateCondition } from "./model/condition.ts";
import { parseCondition } from "./model/parse-condition.ts";
import { decide, type Policy, type PolicyDecision } from "./model/policy.ts";

/** A call whose parameters are valid. `estimatedCost`: its highest possible price, in US dollars. */
export interface PolicyCall {
  readonly agentId: string | null;
  readonly parameters: JsonObject;
  readonly capability: Capability;
  readonly estimatedCost: number;
}

/** Decides about a call from the policies in force that cover it. */
export function decideCall(policies: readonly Policy[], call: PolicyCall): PolicyDecision {
  const parameters = applyDefaults(call.capability, call.parameters);
  const input = { parameters, agentId: call.agentId, estimatedCost: call.estimatedCost };
  const ordered = policies.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return decide(ordered, ({ when }) => evaluateWhen(when, input));
}

function evaluateWhen(
  when: Policy["when"],
  input: Parameters<typeof evaluateCondition>[1],
): Result<boolean, string> {
  if (when === null) return ok(true);
  const condition = parseCondition(when, () => null);
  if (!condition.ok)
    return fail("It contains a field or an operator that this release does not support.");
  return evaluateCondition(condition.value, input, matches);
}

/** The default in a parameter's schema or in the definition to which the schema refers; null if there is none. */
function defaultOf(schema: JsonObject | undefined): Json {
  const own = schema?.["default"] ?? null;
  const reference = schema?.["$ref"];
  if (own !== null || typeof reference !== "string") return own;
  const definition = toJsonObject(schema?.["$defs"])[reference.replace(/^#\/\$defs\//, "")];
  return toJsonObject(definition)["default"] ?? null;
}

function matches(text: string, pattern: string): Result<boolean, string> {
  if (text.length > MATCHED_CHARACTERS_MAX)
    return fail(`Patterns are applied to at most ${MATCHED_CHARACTERS_MAX} characters.`);
  const compiled = compileLinearPattern(pattern);
  if (!compiled.ok) return fail(`RE2 does not support the pattern ${preview(pattern)}.`);
  return ok(compiled.value.matcher(text).find());
}

/** The parameters, with the defaults of those that the call omits. Defaults of parts of parameters are not applied. */
function applyDefaults({ parameters }: Capability, given: JsonObject): JsonObject {
  const defaults = parameters.flatMap(({ name, schema }) => {
    const value = Object.hasOwn(given, name) ? null : defaultOf(schema);
    return value === null ? [] : [[name, value] as const];
  });
  return defaults.length === 0 ? given : { ...Object.fromEntries(defaults), ...given };
}
