import { fail, ok, type Result } from "../kernel/result.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Capability } from "../tools/model/capability.ts";
import { compileLinearPattern } from "../tools/schema/linear-pattern.ts";
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
  if (!condition.ok) return fail("this release does not understand it.");
  return evaluateCondition(condition.value, input, matches);
}

function matches(text: string, pattern: string): Result<boolean, string> {
  const compiled = compileLinearPattern(pattern);
  return compiled.ok ? ok(compiled.value.matcher(text).find()) : compiled;
}

/** The parameters, with the defaults of those that the call omits. */
function applyDefaults({ parameters }: Capability, given: JsonObject): JsonObject {
  const defaults = parameters.flatMap(({ name, schema }) =>
    schema?.["default"] === undefined || Object.hasOwn(given, name)
      ? []
      : [[name, schema["default"]] as const],
  );
  return defaults.length === 0 ? given : { ...Object.fromEntries(defaults), ...given };
}
