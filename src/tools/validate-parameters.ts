import { checkParameters, checkParameterType, type Capability } from "./model/capability.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Problem } from "../kernel/problem.ts";

/**
 * Every way in which `values` differ from what the capability takes; empty when they fit. A path names
 * the value to mend (`filter.labels[2]`), each once. A parameter whose schema cannot be used, or takes
 * too much work, is checked for its plain type alone: the tool itself judges in the end.
 */
export async function validateParameters(
  capability: Capability,
  values: JsonObject,
): Promise<Problem[]> {
  const problems = checkParameters(capability, values);
  const given = capability.parameters.flatMap((parameter) => {
    const { name, schema } = parameter;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return schema === undefined || value === undefined ? [] : [{ parameter, schema, value }];
  });
  if (given.length === 0) return problems;
  const { createValueChecker } = await import("./schema/checkers.ts");
  const judge = createValueChecker();
  for (const { parameter, schema, value } of given) {
    const judged = judge(parameter.name, schema, value);
    problems.push(...(judged.ok ? judged.value : checkParameterType(parameter, value)));
  }
  return problems;
}

/** Tells of JSON Schemas (draft 2020-12) why they cannot be used, null when they can; for one request. */
export async function loadSchemaChecker(): Promise<(schema: JsonObject) => string | null> {
  const { createSchemaChecker } = await import("./schema/checkers.ts");
  return createSchemaChecker();
}
