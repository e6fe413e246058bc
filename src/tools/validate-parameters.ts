import { checkParameters, checkParameterType, type Capability } from "./model/capability.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Problem } from "../kernel/problem.ts";

/**
 * The problems of parameters, each with the path of the wrong value (`filter.labels[2]`). If a schema cannot be used
 * or needs too much work, only the type is checked, and the tool itself decides.
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
  const checkValue = createValueChecker();
  for (const { parameter, schema, value } of given) {
    const checked = checkValue(parameter.name, schema, value);
    problems.push(...(checked.ok ? checked.value : checkParameterType(parameter, value)));
  }
  return problems;
}
