import type { Json, JsonObject } from "../../domain/json.ts";
import type { Problem } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { explain } from "./explain/explain.ts";
import { factsOf } from "./facts.ts";
import { prepared } from "./prepared.ts";
import { runValidator } from "./validator.ts";
import { metered, type Spend } from "./work.ts";

// About a fifth of a second at worst, which a call spends on all its parameters together.
const UNITS_MAX = 200_000;
// The search for every error may take this share of what is left; the rest is for the first errors.
const ALL_ERRORS_SHARE = 0.5;

/** The problems of a value called `name`, or why its schema could not judge it. */
export type JudgeValue = (
  name: string,
  schema: JsonObject,
  value: Json,
) => Result<Problem[], "unusable" | "work_exceeded">;

/** Judges values by their schemas (draft 2020-12) for as much work as one call may cause. */
export function judgeOfCall(): JudgeValue {
  let left = UNITS_MAX;

  function within<Value>(unitsMax: number, work: (spend: Spend) => Value) {
    return metered(unitsMax, (spend) =>
      work((units) => {
        left -= units;
        spend(units);
      }),
    );
  }

  return (name, schema, value) => {
    for (const isBrief of [false, true]) {
      if (left <= 0) break;
      const unitsMax = isBrief ? left : left * ALL_ERRORS_SHARE;
      const outcome = within(unitsMax, (spend) => judge(name, schema, value, isBrief, spend));
      if (outcome.ok) return outcome.value;
    }
    return fail("work_exceeded");
  };
}

function judge(
  name: string,
  schema: JsonObject,
  value: Json,
  isBrief: boolean,
  spend: Spend,
): Result<Problem[], "unusable"> {
  const question = {
    document: value,
    facts: factsOf(value),
    schema: prepared(schema, spend),
    draft: "2020-12",
  } as const;
  const findings = runValidator(question, isBrief, spend);
  if (!findings.ok) return fail("unusable");
  if (findings.value.errors.length === 0) return ok([]);
  return ok(explain(name, { document: value, findings: findings.value, spend }));
}
